"""Which field of a context or a plan row is which input or symbol of a program."""

from __future__ import annotations

from ....dialects.loop import ProgramOp
from ....runtime import WORD, ContextLayout, RowLayout
from ..text.function import FunctionWriter


def layout_of(program: ProgramOp) -> ContextLayout:
    """The fields of a context of the program."""
    return ContextLayout(
        inputs=len(program.inputs),
        outputs=len(program.outputs),
        defined=len(program.defined),
    )


def row_of(program: ProgramOp) -> RowLayout:
    """The fields of a plan row of the program."""
    return RowLayout(
        symbols=len(program.symbols),
        slots=len(program.slots),
        skips=len(program.skipped_slots),
    )


class ContextWriter:
    """Writes the addresses of fields of the context, at the entry of a function."""

    w: FunctionWriter
    layout: ContextLayout
    row: RowLayout
    calls: int
    """The calls that are written so far."""

    def field(self, number: int) -> str:
        """The address of a field of the context, computed at the entry."""
        return self.w.entered(f"getelementptr inbounds i64, ptr %context, i64 {number}")

    def pointer(self, number: int) -> str:
        """The pointer that a field of the context holds."""
        return self.w.entered(f"load ptr, ptr {self.field(number)}, align {WORD}")

    def planned(self, number: int) -> str:
        """What a field of the run's plan row holds."""
        row = self.pointer(self.layout.PLAN)
        field = self.w.entered(f"getelementptr inbounds i64, ptr {row}, i64 {number}")
        return self.w.entered(f"load i64, ptr {field}, align {WORD}")

    def offset(self, base: int, offset: str) -> str:
        """The address `offset` bytes after the pointer that a field holds."""
        start = self.pointer(base)
        return self.w.entered(f"getelementptr inbounds i8, ptr {start}, i64 {offset}")

    def leave_if(self, bad: str, result: int) -> None:
        """Ends the run when something is bad, and says at which call it was."""
        w = self.w
        failed, good = w.fresh("failed"), w.fresh("good")
        w.do(f"br i1 {bad}, label %{failed}, label %{good}")
        w.start(failed)
        field = self.field(self.layout.FAILED)
        w.do(f"store i64 {self.calls}, ptr {field}, align {WORD}")
        w.do(f"ret i32 {result}")
        w.start(good)
