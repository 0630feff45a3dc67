"""
Write the C function by which a bundle plans a call: `i32 name_plan(sizes, memory)`.

It checks the values of the symbols as the runtime does, and says how many bytes the
buffers of a call have then, and where inputs, outputs and activations are in them
(`bundle_layout.py`). It returns zero, or which of the `refusals` it was; then `memory`
is one that no run takes.

What is computed from sizes is computed in a function of its own, that is called when
nothing of it can exceed 64 bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ....dialects import MOST_BYTES, Dim, dtype, sizes
from ....dialects.loop import ProgramOp
from ....runtime import PLACE_DECLARED, WORD, Reach, RowLayout
from ..text.function import FunctionWriter
from .bundle_layout import BundleLayout
from .context_layout import row_of
from .placing import write_placing, write_tables

ALIGNMENT = 64
"""What the buffers of a bundle, and the offsets in them, are multiples of."""


def bundle_layout(program: ProgramOp) -> BundleLayout:
    """The fields of a plan of the program."""
    return BundleLayout(len(program.inputs) + len(program.outputs), row_of(program))


def mark_of(program: ProgramOp, name: str) -> int:
    """The number in a plan by which a run knows that it is its own, and whole."""
    text = f"{name}\n{program.symbols}\n{program.inputs}\n{program.plan}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "little") | 1


def refusals(program: ProgramOp) -> tuple[str, ...]:
    """What was expected of sizes when planning returned 1, 2, ...."""
    ranges = [
        f"expected {name} "
        + (f"of {least} or more" if most >= MOST else f"from {least} to {most}")
        for name, least, most in limits_of(program)
    ]
    checks = [each.message.data for each in program.checks]
    return (*ranges, *_GENERAL, *checks)


_GENERAL = (
    "expected sizes whose products stay below 2**62 bytes",
    "expected inputs and outputs without negative sizes",
)
"""What is expected of the sizes of every model, after the ranges of symbols."""

MOST = 2**63 - 1
"""The most that a size of C can be."""


def limits_of(program: ProgramOp) -> Iterable[tuple[str, int, int]]:
    """Each symbol, and the least and the most that it may be."""
    for each in program.symbols:
        least, most = each.limits or (0, MOST)
        yield each.label.data, least, most


class _PlanWriter:
    """Writes a function that returns the number of a refusal, or zero."""

    def __init__(self, program: ProgramOp):
        self.program = program
        self.w = FunctionWriter({})
        for at, each in enumerate(program.symbols):
            address = self.w.entered(
                f"getelementptr inbounds i64, ptr %sizes, i64 {at}"
            )
            value = self.w.entered(f"load i64, ptr {address}, align {WORD}")
            self.w.symbols = {**self.w.symbols, each.label.data: value}

    def refuse_if(self, bad: str, number: int) -> None:
        """Returns the number of a refusal if something is bad."""
        w = self.w
        refused, good = w.fresh("refused"), w.fresh("good")
        w.do(f"br i1 {bad}, label %{refused}, label %{good}")
        w.start(refused)
        w.do(f"ret i32 {number}")
        w.start(good)

    def field(self, number: int) -> str:
        """The address of a field of the plan."""
        return self.w.emit(f"getelementptr inbounds i64, ptr %memory, i64 {number}")

    def store(self, value: str, number: int) -> None:
        """Stores an i64 in a field of the plan."""
        self.w.do(f"store i64 {value}, ptr {self.field(number)}, align {WORD}")


def write_filling(program: ProgramOp, name: str) -> tuple[str, tuple[Dim, ...]]:
    """
    The text of `sr_fill`, which plans for sizes of which all that is computed is in
    reach; and the dimensions that it computes.
    """
    filling = _FillingWriter(program)
    text = filling.write(mark_of(program, name))
    return text, tuple(filling.w.sizes)


class _FillingWriter(_PlanWriter):
    """Writes the checks of sizes, and the plan."""

    def __init__(self, program: ProgramOp):
        super().__init__(program)
        self.layout = bundle_layout(program)
        self.reach = len(program.symbols) + 1
        """The refusal of sizes that are too great."""

    def write(self, mark: int) -> str:
        """The whole function."""
        program, layout = self.program, self.layout
        tensors = (*program.input_types, *program.output_types)
        for size in dict.fromkeys(size for each in tensors for size in sizes(each)):
            if not isinstance(size, int):
                self.refuse_negative(size, self.reach + 1)
        for number, each in enumerate(program.checks, self.reach + 2):
            self.refuse_negative(each.size, number)
        end = "0"
        for at, each in enumerate(tensors):
            count = "1"
            for size in map(self.w.size, sizes(each)):
                count = self.w.mul(count, size)
            self.store(end, layout.HEAD + at)
            self.store(count, layout.first_count + at)
            bytes = self.w.mul(count, str(dtype(each).itemsize))
            end = self.capped(end, self.rounded(bytes))
        self.refuse_reach(end)
        self.store(end, layout.MUTABLE)
        for at, value in enumerate(self.w.symbols.values()):
            self.store(value, layout.first_row + layout.row.first_symbol + at)
        for at in range(layout.row.skips):
            self.store("0", layout.first_row + layout.row.first_skip + at)
        top = self.place()
        self.store(top, layout.ACTIVATIONS)
        self.store(top, layout.first_row + RowLayout.BYTES)
        self.store("0", layout.first_row + RowLayout.LOWER_BOUND)
        self.store(str(mark), layout.first_row + RowLayout.USED)
        self.w.do("ret i32 0")
        # The passes of a function that is long would take longer than they are worth.
        return self.w.text(
            "define internal i32 @sr_fill(ptr %sizes, ptr %memory)",
            'nounwind noinline "few-passes" ',
        )

    def refuse_negative(self, size: Dim, number: int) -> None:
        """Refuses a dimension below zero."""
        below = self.w.emit(f"icmp slt i64 {self.w.size(size)}, 0")
        self.refuse_if(below, number)

    def refuse_reach(self, total: str) -> None:
        """Refuses bytes of 2**62 and more."""
        above = self.w.emit(f"icmp sge i64 {total}, {MOST_BYTES}")
        self.refuse_if(above, self.reach)

    def rounded(self, bytes: str) -> str:
        """The least multiple of the alignment that is not less."""
        more = self.w.add(bytes, str(ALIGNMENT - 1))
        return self.w.mul(self.w.div(more, ALIGNMENT), str(ALIGNMENT))

    def capped(self, total: str, more: str) -> str:
        """A sum of bytes, or 2**62 where it is greater."""
        whole = self.w.add(total, more)
        return self.w.emit(f"call i64 @llvm.smin.i64(i64 {whole}, i64 {MOST_BYTES})")

    def place(self) -> str:
        """Places the slots; the bytes that they take."""
        program, w = self.program, self.w
        if not program.slots:
            return "0"
        if program.plan.bytes.data >= 0:
            return str(program.plan.bytes.data)
        count = len(program.slots)
        table = w.entered(f"alloca [{count} x i64], align {WORD}")
        total = "0"
        for at, each in enumerate(program.slots):
            bytes = self.rounded(w.size(each.size))
            address = w.emit(f"getelementptr inbounds i64, ptr {table}, i64 {at}")
            w.do(f"store i64 {bytes}, ptr {address}, align {WORD}")
            total = self.capped(total, bytes)
        self.refuse_reach(total)
        row = self.layout.row
        offsets = self.field(self.layout.first_row + row.first_slot)
        return write_placing(w, program, table, offsets)


def write_planning(program: ProgramOp, name: str, filling: str, reach: Reach) -> str:
    """The module of the function `name_plan`, which calls the text of `sr_fill`."""
    writer = _PlanWriter(program)
    w, layout = writer.w, bundle_layout(program)
    writer.store("0", layout.first_row + RowLayout.USED)
    writer.store("0", layout.MUTABLE)
    writer.store("0", layout.ACTIVATIONS)
    for number, (symbol, least, most) in enumerate(limits_of(program), 1):
        below = w.emit(f"icmp slt i64 {w.symbols[symbol]}, {max(least, 0)}")
        above = w.emit(f"icmp sgt i64 {w.symbols[symbol]}, {min(most, MOST)}")
        writer.refuse_if(w.emit(f"or i1 {below}, {above}"), number)
    writer.refuse_if(_exceeds(w, reach), len(program.symbols) + 1)
    w.do(f"ret i32 {w.emit('call i32 @sr_fill(ptr %sizes, ptr %memory)')}")
    head = f"define i32 @{name}_plan(ptr %sizes, ptr %memory)"
    return "\n".join(
        (write_tables(program), _DECLARED, filling, w.text(head, "nounwind "))
    )


_DECLARED = f"""{PLACE_DECLARED}declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare {{i64, i1}} @llvm.umul.with.overflow.i64(i64, i64)
declare {{i64, i1}} @llvm.uadd.with.overflow.i64(i64, i64)
"""


def _exceeds(w: FunctionWriter, reach: Reach) -> str:
    """Whether the sum that bounds all that is computed is 2**62 or more."""
    exceeds: list[str] = []

    def checked(function: str, a: str, b: str) -> str:
        both = w.emit(
            f"call {{i64, i1}} @llvm.{function}.with.overflow.i64(i64 {a}, i64 {b})"
        )
        exceeds.append(w.emit(f"extractvalue {{i64, i1}} {both}, 1"))
        return w.emit(f"extractvalue {{i64, i1}} {both}, 0")

    def one(value: str) -> str:
        return w.emit(f"call i64 @llvm.smax.i64(i64 {value}, i64 1)")

    factors = {name: one(value) for name, value in w.symbols.items()}
    total = "0"
    for factor, names in reach:
        term = str(factor)
        for each in names:
            term = checked("umul", term, factors[each])
        total = checked("uadd", total, term)
    exceeds.append(w.emit(f"icmp uge i64 {total}, {MOST_BYTES}"))
    return w.any_of(exceeds)
