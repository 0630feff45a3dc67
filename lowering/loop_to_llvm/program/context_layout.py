"""What the words of a context are for a program: its inputs, outputs, sizes, slots."""

from __future__ import annotations

from ....dialects.loop.ops.program import ProgramOp
from ....runtime.layout import WORD, Layout
from ..text.function import FunctionWriter


def layout_of(program: ProgramOp) -> Layout:
    """The words of a context of the program."""
    return Layout(
        inputs=len(program.inputs),
        outputs=len(program.outputs),
        symbols=len(program.symbols),
        defined=len(program.defined),
        slots=len(program.slots),
    )


class ContextWriter:
    """Writes where the words of a context are, at the entry of a function."""

    w: FunctionWriter
    layout: Layout
    calls: int
    """The calls that are written so far."""

    def word(self, number: int) -> str:
        """The address of a word of the context, computed at the entry."""
        return self.w.entered(f"getelementptr inbounds i64, ptr %context, i64 {number}")

    def pointer(self, number: int) -> str:
        """The pointer that a word of the context holds."""
        return self.w.entered(f"load ptr, ptr {self.word(number)}, align {WORD}")

    def offset(self, base: int, offset: str) -> str:
        """An address so many bytes after the one that a word holds."""
        start = self.pointer(base)
        return self.w.entered(f"getelementptr inbounds i8, ptr {start}, i64 {offset}")

    def leave_if(self, bad: str, result: int) -> None:
        """Ends the run when something is bad, and says at which call it was."""
        w = self.w
        failed, good = w.fresh("failed"), w.fresh("good")
        w.do(f"br i1 {bad}, label %{failed}, label %{good}")
        w.start(failed)
        w.do(
            f"store i64 {self.calls}, ptr {self.word(self.layout.FAILED)}, align {WORD}"
        )
        w.do(f"ret i32 {result}")
        w.start(good)
