"""
Write the C functions of a bundle: `i32 name(constants, mutable, activations)`, and
`name_parallel`, which takes a function besides that lets threads share work.

Their context is on their own stack, so calls with buffers of their own run side by
side. In a model of any size the first argument is a plan, which `name_plan` made.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....dialects.loop import ProgramOp
from ....runtime import WORD, RowLayout
from ..text.function import FunctionWriter
from .bundle_plan import bundle_layout, mark_of
from .context_layout import layout_of

NOT_PLANNED = -1
"""What a run returns that was given no plan of its model."""

_MOST_THREADS = 1 << 16
"""Threads that a run makes use of."""

_BUFFERS = "ptr %constants, ptr %mutable, ptr %activations"


@dataclass(frozen=True)
class Places:
    """The offsets of inputs and outputs in the mutable buffer of a bundle."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def write_bundle_entry(program: ProgramOp, name: str, places: Places | None) -> str:
    """The functions that run the program; without places, where a plan says."""
    writer = _BundleWriter(program)
    arguments = _BUFFERS
    if places is None:
        arguments = f"ptr %memory, {arguments}"
        writer.read_plan(mark_of(program, name))
    else:
        writer.store_places(places)
    text = writer.write(name, arguments)
    w = FunctionWriter({})
    status = w.emit(f"call i32 @{name}_parallel({arguments}, ptr null)")
    w.do(f"ret i32 {status}")
    return f"\n{text}{w.text(f'define i32 @{name}({arguments})', 'nounwind ')}"


class _BundleWriter:
    """Writes the function that fills a context, and runs the program with it."""

    def __init__(self, program: ProgramOp):
        """A context of which all fields are zero."""
        self.program, self.layout = program, layout_of(program)
        self.w = FunctionWriter({})
        count = self.layout.size
        self.context = self.w.entered(f"alloca [{count} x i64], align {WORD}")
        for number in range(count):
            self.store(number, "i64 0")

    def store(self, number: int, value: str) -> None:
        """Stores a value in a field of the context."""
        address = f"getelementptr inbounds i64, ptr {self.context}, i64 {number}"
        self.w.do(f"store {value}, ptr {self.w.emit(address)}, align {WORD}")

    def store_places(self, places: Places) -> None:
        """Stores the addresses of inputs and outputs."""
        for at, offset in enumerate((*places.inputs, *places.outputs)):
            self.store_place(at, str(offset))

    def store_place(self, at: int, offset: str) -> None:
        """Stores the address of an input, or of an output after all inputs."""
        start = self.w.emit(f"getelementptr inbounds i8, ptr %mutable, i64 {offset}")
        self.store(self.layout.HEAD + at, f"ptr {start}")

    def planned(self, number: int) -> str:
        """The address of a field of the plan."""
        return self.w.emit(f"getelementptr inbounds i64, ptr %memory, i64 {number}")

    def read_plan(self, mark: int) -> None:
        """Stores the addresses that a plan says, unless it is of another model."""
        w, layout = self.w, bundle_layout(self.program)
        row = self.planned(layout.first_row)
        used = self.planned(layout.first_row + RowLayout.USED)
        known = w.emit(f"load i64, ptr {used}, align {WORD}")
        same, other = w.fresh("same"), w.fresh("other")
        is_own = w.emit(f"icmp eq i64 {known}, {mark}")
        w.do(f"br i1 {is_own}, label %{same}, label %{other}")
        w.start(other)
        w.do(f"ret i32 {NOT_PLANNED}")
        w.start(same)
        self.store(self.layout.PLAN, f"ptr {row}")
        for at in range(layout.tensors):
            field = self.planned(layout.HEAD + at)
            self.store_place(at, w.emit(f"load i64, ptr {field}, align {WORD}"))

    def read_threads(self) -> None:
        """Stores what the caller gave to share work with, or that it is one thread."""
        w = self.w
        given, some, ready = w.fresh("given"), w.fresh("some"), w.fresh("ready")
        self.store(self.layout.THREADS, "i64 1")
        none = w.emit("icmp eq ptr %threads, null")
        w.do(f"br i1 {none}, label %{ready}, label %{given}")
        w.start(given)
        fields: list[str] = []
        for at, type in enumerate(("ptr", "ptr", "i64")):
            address = w.emit(f"getelementptr inbounds i64, ptr %threads, i64 {at}")
            fields.append(w.emit(f"load {type}, ptr {address}, align {WORD}"))
        function, user, count = fields
        missing = w.emit(f"icmp eq ptr {function}, null")
        w.do(f"br i1 {missing}, label %{ready}, label %{some}")
        w.start(some)
        self.store(self.layout.FORK, f"ptr {function}")
        self.store(self.layout.POOL, f"ptr {user}")
        most = w.emit(f"call i64 @llvm.smin.i64(i64 {count}, i64 {_MOST_THREADS})")
        self.store(self.layout.THREADS, f"i64 {most}")
        w.do(f"br label %{ready}")
        w.start(ready)

    def write(self, name: str, arguments: str) -> str:
        """The function `name_parallel`."""
        self.store(self.layout.CONSTANTS, "ptr %constants")
        self.store(self.layout.ACTIVATIONS, "ptr %activations")
        self.read_threads()
        status = self.w.emit(f"call i32 @sr_run(ptr {self.context})")
        self.w.do(f"ret i32 {status}")
        head = f"define i32 @{name}_parallel({arguments}, ptr %threads)"
        return self.w.text(head, "nounwind ")
