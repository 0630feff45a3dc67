"""What the words of a context are for a program: its inputs, outputs, sizes, slots."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ....dialects.dims import symbols_of
from ....dialects.loop.ops.program import ProgramOp
from ....dialects.loop.ops.program_flow import DefineOp
from ....dialects.shape import sizes, tensor_type
from ....runtime.layout import WORD, Layout
from ..text.function import FunctionWriter


def entry_list(program: ProgramOp, name: str) -> tuple[Attribute, ...]:
    """The entry of a program that is a list; empty when there is none."""
    found = program.entries.data.get(name)
    return found.data if isa(found, ArrayAttr) else ()


def defined_by(program: ProgramOp) -> dict[str, DefineOp]:
    """The symbols that the program defines itself, in the order of their words."""
    return {op.symbol.data: op for op in program.walk() if isinstance(op, DefineOp)}


def symbols_of_program(program: ProgramOp) -> tuple[str, ...]:
    """The symbols that inputs define, in the order of their words."""
    found: dict[str, None] = {}
    defined = defined_by(program)
    for name in ("inputs", "outputs"):
        for type in entry_list(program, name):
            for size in sizes(tensor_type(type)):
                found.update(dict.fromkeys(sorted(symbols_of(size))))
    return tuple(name for name in found if name not in defined)


def layout_of(program: ProgramOp) -> Layout:
    """The words of a context of the program."""
    return Layout(
        inputs=len(entry_list(program, "inputs")),
        outputs=len(entry_list(program, "outputs")),
        symbols=len(symbols_of_program(program)),
        defined=len(defined_by(program)),
        slots=len(entry_list(program, "slots")),
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
