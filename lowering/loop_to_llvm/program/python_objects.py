"""
Write reads of Python's objects: fields of arrays, elements of tuples, the state.

A check that does not hold sends the call to Python, at the label `slow`. The fields of
an array are stable, and the runtime checks them once against arrays that it knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import Dim, Tensor, dtype, sizes
from ....runtime import DTYPE_NAMES, WORD, State
from ..text.function import FunctionWriter

# Where the fields of a numpy array are, in bytes.
TYPE, DATA, RANK, DIMS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
# NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED.
WANTED_FLAGS = 0x1 | 0x100
# NPY_ARRAY_WRITEABLE besides.
WRITTEN_FLAGS = WANTED_FLAGS | 0x400

STATE = "@sr_state = external global i8\n"


def state_field(number: int) -> str:
    """The address of a field of the module's state, as a constant."""
    return f"getelementptr inbounds (i64, ptr @sr_state, i64 {number})"


def _descriptor_field(type: Tensor) -> int:
    """The field of the state that has the descriptor of a tensor's dtype."""
    return State.DTYPES + DTYPE_NAMES.index(dtype(type).name)


# Whether an object is an array of a dtype, the descriptor of which is a field of the
# state, and of a rank, with the flags `wanted`.
_IS_ARRAY = "@sr_is_array(ptr %array, i64 %dtype, i32 %rank, i32 %wanted)"
IS_ARRAY = f"""define i1 {_IS_ARRAY} nounwind {{
entry:
  %type.at = getelementptr inbounds i8, ptr %array, i64 {TYPE}
  %type = load ptr, ptr %type.at, align {WORD}
  %arrays = load ptr, ptr {state_field(State.ARRAY_TYPE)}, align {WORD}
  %is.array = icmp eq ptr %type, %arrays
  br i1 %is.array, label %look, label %other
look:
  %rank.at = getelementptr inbounds i8, ptr %array, i64 {RANK}
  %own.rank = load i32, ptr %rank.at, align 4
  %same.rank = icmp eq i32 %own.rank, %rank
  %described.at = getelementptr inbounds i8, ptr %array, i64 {DTYPE}
  %described = load ptr, ptr %described.at, align {WORD}
  %known.at = getelementptr inbounds i64, ptr @sr_state, i64 %dtype
  %known = load ptr, ptr %known.at, align {WORD}
  %same.dtype = icmp eq ptr %described, %known
  %flags.at = getelementptr inbounds i8, ptr %array, i64 {FLAGS}
  %flags = load i32, ptr %flags.at, align 4
  %kept = and i32 %flags, %wanted
  %same.flags = icmp eq i32 %kept, %wanted
  %both = and i1 %same.rank, %same.dtype
  %all = and i1 %both, %same.flags
  ret i1 %all
other:
  ret i1 false
}}
"""

_NEW = "ptr %arrays, ptr %known, i32 %rank"

# A new array, null when there is no memory.
NEW_ARRAY = f"""define ptr @sr_new_array(i64 %dtype, i32 %rank, ptr %dims) nounwind {{
  %known.at = getelementptr inbounds i64, ptr @sr_state, i64 %dtype
  %known = load ptr, ptr %known.at, align {WORD}
  %make = load ptr, ptr {state_field(State.NEW)}, align {WORD}
  %arrays = load ptr, ptr {state_field(State.ARRAY_TYPE)}, align {WORD}
  call void @Py_IncRef(ptr %known)
  %array = call ptr %make({_NEW}, ptr %dims, ptr null, ptr null, i32 0, ptr null)
  ret ptr %array
}}
"""

# Whether the names of keyword arguments are `out` alone.
IS_OUT = f"""define i1 @sr_is_out(ptr %names) nounwind {{
entry:
  %count = call i64 @PyTuple_Size(ptr %names)
  %one = icmp eq i64 %count, 1
  br i1 %one, label %look, label %other
look:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 0)
  %out = load ptr, ptr {state_field(State.OUT)}, align {WORD}
  %same = icmp eq ptr %name, %out
  ret i1 %same
other:
  ret i1 false
}}
"""

# Rows of memory, each as its start and its end: whether none of the first `own` of them
# shares a byte with one that comes after it.
APART = f"""define i1 @sr_apart(ptr %ranges, i64 %own, i64 %count) nounwind {{
entry:
  br label %one
one:
  %at = phi i64 [0, %entry], [%next, %done]
  %row = getelementptr inbounds [2 x i64], ptr %ranges, i64 %at
  %start = load i64, ptr %row, align {WORD}
  %row.end = getelementptr inbounds i64, ptr %row, i64 1
  %end = load i64, ptr %row.end, align {WORD}
  %next = add nuw nsw i64 %at, 1
  br label %other
other:
  %to = phi i64 [%next, %one], [%to.next, %compare]
  %rest = icmp slt i64 %to, %count
  br i1 %rest, label %compare, label %done
compare:
  %that = getelementptr inbounds [2 x i64], ptr %ranges, i64 %to
  %that.start = load i64, ptr %that, align {WORD}
  %that.end.at = getelementptr inbounds i64, ptr %that, i64 1
  %that.end = load i64, ptr %that.end.at, align {WORD}
  %to.next = add nuw nsw i64 %to, 1
  %before = icmp ule i64 %end, %that.start
  %after = icmp ule i64 %that.end, %start
  %apart = or i1 %before, %after
  br i1 %apart, label %other, label %shared
done:
  %more = icmp slt i64 %next, %own
  br i1 %more, label %one, label %good
good:
  ret i1 true
shared:
  ret i1 false
}}
"""


_FEW_PAIRS = 6
"""Pairs of ranges of memory that are compared without a table and a loop."""


class ObjectWriter:
    """Writes what a function asks of the objects that it is called with."""

    def __init__(self) -> None:
        """A function without symbols: they have no value before inputs were read."""
        self.w = FunctionWriter({})

    def require(self, condition: str) -> None:
        """Continues if a condition holds; otherwise leaves the call to Python."""
        on = self.w.fresh("on")
        self.w.do(f"br i1 {condition}, label %{on}, label %slow")
        self.w.start(on)

    def state(self, number: int) -> str:
        """The pointer that a field of the module's state holds."""
        return self.w.emit(f"load ptr, ptr {state_field(number)}, align {WORD}")

    def field(self, array: str, offset: int) -> str:
        """The address of a field of an object."""
        return self.w.emit(f"getelementptr inbounds i8, ptr {array}, i64 {offset}")

    def equal(self, type: str, address: str, value: str) -> str:
        """Whether what an address holds is `value`."""
        got = self.w.emit(f"load {type}, ptr {address}")
        return self.w.emit(f"icmp eq {type} {got}, {value}")

    def descriptor(self, type: Tensor) -> str:
        """The descriptor of a tensor's dtype."""
        return self.state(_descriptor_field(type))

    def argument(self, at: int) -> str:
        """The argument number `at`."""
        address = self.w.emit(f"getelementptr inbounds ptr, ptr %arguments, i64 {at}")
        return self.w.emit(f"load ptr, ptr {address}, align {WORD}")

    def require_array(self, array: str, type: Tensor, wanted: int) -> None:
        """Continues if an array has the dtype, the rank and the flags `wanted`."""
        w = self.w
        kind = self.state(State.ARRAY_TYPE)
        self.require(self.equal("ptr", self.field(array, TYPE), kind))
        rank = len(sizes(type))
        same_rank = self.equal("i32", self.field(array, RANK), str(rank))
        same_type = self.equal("ptr", self.field(array, DTYPE), self.descriptor(type))
        flags = w.emit(f"load i32, ptr {self.field(array, FLAGS)}")
        kept = w.emit(f"and i32 {flags}, {wanted}")
        plain = w.emit(f"icmp eq i32 {kept}, {wanted}")
        both = w.emit(f"and i1 {same_rank}, {same_type}")
        self.require(w.emit(f"and i1 {both}, {plain}"))

    def require_written(self, array: str, type: Tensor) -> None:
        """
        Continues if an output may be written to an array. It is a call, as calls that
        give their outputs are a copy of others in all but these checks.
        """
        self.require(
            self.w.emit(
                f"call i1 @sr_is_array(ptr {array}, i64 {_descriptor_field(type)}, "
                f"i32 {len(sizes(type))}, i32 {WRITTEN_FLAGS})"
            )
        )

    def dimensions(self, array: str, rank: int) -> list[str]:
        """The sizes of an array."""
        if not rank:
            return []
        w = self.w
        dims = w.emit(f"load ptr, ptr {self.field(array, DIMS)}, align {WORD}")
        found: list[str] = []
        for axis in range(rank):
            address = w.emit(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}")
            found.append(w.emit(f"load i64, ptr {address}, align {WORD}"))
        return found

    def size(self, size: Dim) -> str:
        """The i64 that a dimension is."""
        return self.w.size(size)

    def new_array(self, type: Tensor, dims: str) -> str:
        """A new array, null when there is no memory; `dims` has room for its sizes."""
        w = self.w
        for axis, size in enumerate(sizes(type)):
            address = w.emit(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}")
            w.do(f"store i64 {self.size(size)}, ptr {address}, align {WORD}")
        return w.emit(
            f"call ptr @sr_new_array(i64 {_descriptor_field(type)}, "
            f"i32 {len(sizes(type))}, ptr {dims})"
        )

    def data(self, array: str) -> str:
        """Where the elements of an array are."""
        return self.w.emit(f"load ptr, ptr {self.field(array, DATA)}, align {WORD}")

    def elements(self, whole: str, count: int) -> list[str]:
        """The elements of a tuple, which must have `count`."""
        w = self.w
        length = w.emit(f"call i64 @PyTuple_Size(ptr {whole})")
        self.require(w.emit(f"icmp eq i64 {length}, {count}"))
        return [
            w.emit(f"call ptr @PyTuple_GetItem(ptr {whole}, i64 {at})")
            for at in range(count)
        ]

    def require_apart(self, own: int, rows: Sequence[tuple[str, str]]) -> None:
        """
        Continues if none of the first `own` ranges of memory overlaps another range;
        each is an address and a number of bytes.
        """
        if not own:
            return
        w = self.w
        starts = [w.emit(f"ptrtoint ptr {address} to i64") for address, _ in rows]
        ends = [
            w.emit(f"add i64 {start}, {size}")
            for start, (_, size) in zip(starts, rows, strict=True)
        ]
        pairs = [(a, b) for a in range(own) for b in range(a + 1, len(rows))]
        if len(pairs) <= _FEW_PAIRS:
            for a, b in pairs:
                before = w.emit(f"icmp ule i64 {ends[a]}, {starts[b]}")
                after = w.emit(f"icmp ule i64 {ends[b]}, {starts[a]}")
                self.require(w.emit(f"or i1 {before}, {after}"))
            return
        table = w.entered(f"alloca [{2 * len(rows)} x i64], align {WORD}")
        words = [each for row in zip(starts, ends, strict=True) for each in row]
        for to, value in enumerate(words):
            address = w.emit(f"getelementptr inbounds i64, ptr {table}, i64 {to}")
            w.do(f"store i64 {value}, ptr {address}, align {WORD}")
        self.require(
            w.emit(f"call i1 @sr_apart(ptr {table}, i64 {own}, i64 {len(rows)})")
        )
