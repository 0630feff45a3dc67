"""
Write a program as an LLVM function: `i32 sr_run(context)`, a straight list of calls.

Views become addresses in the memory that the context names (`runtime/layout.py`). A
call that fails ends the run with its status, and says which call it was. `sr_repeat`
runs the same many times over, for measuring without Python.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from ...dialects.dims import dim, symbols_of
from ...dialects.graph.shape import sizes, tensor_type
from ...dialects.loop.ops.kernel import KernelOp
from ...dialects.loop.ops.program import (
    CallOp,
    CallOutOp,
    ProgramOp,
    ViewOp,
    symbol_name,
)
from ...runtime.layout import INDEX_ERROR, WORD, Layout
from .function import FunctionWriter


def entry_list(program: ProgramOp, name: str) -> tuple[Attribute, ...]:
    """The entry of a program that is a list; empty when there is none."""
    found = program.entries.data.get(name)
    return found.data if isa(found, ArrayAttr) else ()


def symbols_of_program(program: ProgramOp) -> tuple[str, ...]:
    """The symbols that calls of the program use, in the order of their words."""
    found: dict[str, None] = {}
    for name in ("inputs", "outputs"):
        for type in entry_list(program, name):
            for size in sizes(tensor_type(type)):
                found.update(dict.fromkeys(sorted(symbols_of(size))))
    return tuple(found)


def layout_of(program: ProgramOp) -> Layout:
    """The words of a context of the program."""
    return Layout(
        inputs=len(entry_list(program, "inputs")),
        outputs=len(entry_list(program, "outputs")),
        symbols=len(symbols_of_program(program)),
        slots=len(entry_list(program, "slots")),
    )


def write_program(
    program: ProgramOp, kernels: Mapping[str, KernelOp], names: Mapping[str, str]
) -> str:
    """The text of the program, which calls kernels by the names that they are given."""
    return _ProgramWriter(program, kernels, names).write()


class _ProgramWriter:
    """Writes the ops of a program."""

    def __init__(
        self,
        program: ProgramOp,
        kernels: Mapping[str, KernelOp],
        names: Mapping[str, str],
    ):
        self.program = program
        self.kernels = kernels
        self.names = names
        self.layout = layout_of(program)
        self.symbols = symbols_of_program(program)
        texts = {name: f"%symbol.{at}" for at, name in enumerate(self.symbols)}
        self.w = FunctionWriter(texts)
        self.addresses: dict[SSAValue, str] = {}
        self.calls = 0

    def write(self) -> str:
        """The functions `sr_run` and `sr_repeat`, and declarations of the kernels."""
        w = self.w
        for at, name in enumerate(self.symbols):
            word = self.word(self.layout.first_symbol + at)
            w.entry.append(f"  {w.symbols[name]} = load i64, ptr {word}, align {WORD}")
        for op in self.program.body.block.ops:
            match op:
                case ViewOp():
                    self.addresses[op.result] = self.view(op)
                case CallOp():
                    self.call(op)
                case CallOutOp():
                    self.call_out(op)
                case _:
                    raise AssertionError(f"a program views and calls, got {op.name}")
        w.do("ret i32 0")
        run = w.text("define i32 @sr_run(ptr noundef %context)", "nounwind ")
        return "\n".join([self.declarations(), run, REPEAT])

    def declarations(self) -> str:
        """A declaration of each kernel."""
        lines: list[str] = []
        for name, kernel in self.kernels.items():
            arguments = ["ptr" for _ in kernel.body.block.args]
            arguments += ["i64" for _ in kernel.symbols]
            result = "i32" if kernel.may_fail else "void"
            if kernel.may_fail:
                arguments.append("ptr")
            lines.append(f"declare {result} {self.names[name]}({', '.join(arguments)})")
        # Kernels may differ in the loop dialect and be the same function all the same.
        return "\n".join([*dict.fromkeys(lines), ""])

    def word(self, number: int) -> str:
        """The address of a word of the context, computed at the entry."""
        return self.w.entered(f"getelementptr inbounds i64, ptr %context, i64 {number}")

    def pointer(self, number: int) -> str:
        """The pointer that a word of the context holds."""
        return self.w.entered(f"load ptr, ptr {self.word(number)}, align {WORD}")

    def view(self, op: ViewOp) -> str:
        """The address of a view."""
        number, layout = op.number.value.data, self.layout
        match op.region.data:
            case "inputs":
                return self.pointer(layout.HEAD + number)
            case "outputs":
                return self.pointer(layout.first_output + number)
            case "constants":
                return self.offset(layout.CONSTANTS, str(number))
            case _:
                offset = op.offset.value.data
                if offset >= 0:
                    return self.offset(layout.ACTIVATIONS, str(offset))
                word = self.word(layout.first_slot + number)
                looked_up = self.w.entered(f"load i64, ptr {word}, align {WORD}")
                return self.offset(layout.ACTIVATIONS, looked_up)

    def offset(self, base: int, offset: str) -> str:
        """An address so many bytes after the one that a word holds."""
        start = self.pointer(base)
        return self.w.entered(f"getelementptr inbounds i8, ptr {start}, i64 {offset}")

    def call(self, op: CallOp) -> None:
        """Writes the call of a kernel."""
        name = symbol_name(op.callee)
        kernel = self.kernels[name]
        arguments = [f"ptr {self.addresses[each]}" for each in op.buffers]
        arguments += [f"i64 {self.w.size(dim(each.data))}" for each in op.symbols]
        callee = self.names[name]
        if not kernel.may_fail:
            self.w.do(f"call void {callee}({', '.join(arguments)})")
        else:
            arguments.append(f"ptr {self.word(self.layout.ERROR)}")
            status = self.w.emit(f"call i32 {callee}({', '.join(arguments)})")
            self.leave_on(status, str(INDEX_ERROR))
        self.calls += 1

    def call_out(self, op: CallOutOp) -> None:
        """Writes the call of the function that runs fallback ops."""
        w, count = self.w, len(op.buffers)
        buffers = w.entered(f"alloca [{count} x ptr], align {WORD}")
        for at, buffer in enumerate(op.buffers):
            slot = w.emit(f"getelementptr inbounds ptr, ptr {buffers}, i64 {at}")
            w.do(f"store ptr {self.addresses[buffer]}, ptr {slot}, align {WORD}")
        function = self.pointer(self.layout.CALL_OUT)
        status = w.emit(
            f"call i32 {function}(ptr %context, i64 {op.number.value.data}, "
            f"ptr {buffers})"
        )
        self.leave_on(status, status)
        self.calls += 1

    def leave_on(self, status: str, result: str) -> None:
        """Ends the run when a status is not zero, and says which call it was of."""
        w = self.w
        failed, good = w.fresh("failed"), w.fresh("good")
        bad = w.emit(f"icmp ne i32 {status}, 0")
        w.do(f"br i1 {bad}, label %{failed}, label %{good}")
        w.start(failed)
        w.do(
            f"store i64 {self.calls}, ptr {self.word(self.layout.FAILED)}, align {WORD}"
        )
        w.do(f"ret i32 {result}")
        w.start(good)


REPEAT = """define i32 @sr_repeat(ptr noundef %context, i64 %times) nounwind {
entry:
  br label %again
again:
  %time = phi i64 [0, %entry], [%next, %again]
  %status = call i32 @sr_run(ptr %context)
  %next = add nuw nsw i64 %time, 1
  %more = icmp slt i64 %next, %times
  br i1 %more, label %again, label %done
done:
  ret i32 %status
}
"""
