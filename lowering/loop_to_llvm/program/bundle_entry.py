"""
Write the C function of a bundle: `i32 name(constants, mutable, activations)`.

Its context is on its own stack, so calls with buffers of their own run side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....dialects.loop import ProgramOp
from ....runtime import WORD
from ..text.function import FunctionWriter
from .context_layout import layout_of


@dataclass(frozen=True)
class Places:
    """The offsets of inputs and outputs in the mutable buffer of a bundle."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def write_bundle_entry(program: ProgramOp, name: str, places: Places) -> str:
    """The function `name`, which lets one thread run the program."""
    layout = layout_of(program)
    w = FunctionWriter({})
    context = w.emit(f"alloca [{layout.size} x i64], align {WORD}")

    def store(number: int, value: str) -> None:
        field = w.emit(f"getelementptr inbounds i64, ptr {context}, i64 {number}")
        w.do(f"store {value}, ptr {field}, align {WORD}")

    def store_places(first: int, offsets: tuple[int, ...]) -> None:
        for at, offset in enumerate(offsets):
            start = w.emit(f"getelementptr inbounds i8, ptr %mutable, i64 {offset}")
            store(first + at, f"ptr {start}")

    for number in range(layout.size):
        store(number, "i64 0")
    store(layout.CONSTANTS, "ptr %constants")
    store(layout.ACTIVATIONS, "ptr %activations")
    store(layout.THREADS, "i64 1")
    store_places(layout.HEAD, places.inputs)
    store_places(layout.first_output, places.outputs)
    status = w.emit(f"call i32 @sr_run(ptr {context})")
    w.do(f"ret i32 {status}")
    head = f"define i32 @{name}"
    return "\n" + w.text(
        f"{head}(ptr %constants, ptr %mutable, ptr %activations)", "nounwind "
    )
