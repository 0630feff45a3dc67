"""
Write a kernel as an LLVM function: its parameters, its ops in order, and its returns.

Loops are written by `loops.py`, contractions by the files of `contraction/`, and the
math functions that ops call are added after the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import bf16, f32, i64
from xdsl.ir import Operation

from ....dialects import Dim
from ....dialects.graph import scalar
from ....dialects.loop import (
    FEW_PASSES,
    ArgsortOp,
    CheckIndexOp,
    ChooseOp,
    ClampIndexOp,
    ExtentOp,
    ForOp,
    KernelOp,
    LoadOp,
    NativeOp,
    PositionOp,
    PrefetchOp,
    SplitIndexOp,
    StoreOp,
    TargetAttr,
    TileOp,
    YieldOp,
)
from ....dialects.scalar import DotBytesOp
from ..contraction.blocking import write_blocks
from ..contraction.tile import write_tile
from ..isa import instructions_of
from ..math import Element, define
from ..text.brain_float import upper_half
from ..text.function import FunctionWriter
from ..text.memory_access import MemoryAccess
from ..text.scalar_op import write_scalar_op
from ..text.scope import Scope
from ..text.types import Value
from .argsort import write_argsort
from .check_index import write_check, write_clamp
from .choose import ChoiceWriter
from .dot_bytes import write_dot_bytes
from .empty_loops import leave_if_idle
from .loops import LoopWriter
from .native import write_native


def write_kernel(
    kernel: KernelOp, target: TargetAttr, name: str
) -> tuple[str, tuple[Dim, ...]]:
    """
    The text of the kernel as the LLVM function `name`, with the functions that it
    calls, and the dimensions that it computes from its symbols.
    """
    writer = _KernelWriter(kernel, target)
    text = writer.write(name)
    return text, tuple(writer.w.sizes)


class _KernelWriter:
    """Writes the ops of one kernel, one after the other."""

    def __init__(self, kernel: KernelOp, target: TargetAttr):
        self.kernel = kernel
        self.target = target
        self.fma = bool(target.fma.data)
        self.instructions = instructions_of(target, bf16, bf16)
        self.rounds_at_once = target.isa(bf16) is not None
        self.symbols = [each.data for each in kernel.symbols]
        self.w = FunctionWriter({each: f"%symbol.{each}" for each in self.symbols})
        self.scope = Scope()
        self.memory = MemoryAccess(self.w, self.scope)
        self.loops = LoopWriter(self.memory, self.write_ops)
        self.functions: dict[tuple[str, Element, int], None] = {}
        self.beside: list[str] = []
        """Texts of functions that stand beside the kernel."""

    def write(self, name: str) -> str:
        """The text of the kernel under this name."""
        block = self.kernel.body.block
        parameters: list[str] = []
        shared = self.kernel.may_share
        if shared:
            shared |= {len(block.args) - 1}
        for number, argument in enumerate(block.args):
            self.scope.define(argument, Value(f"%p{number}", argument.type))
            alone = "" if number in shared else "noalias "
            parameters.append(f"ptr {alone}nocapture noundef %p{number}")
        parameters += [f"i64 %symbol.{each}" for each in self.symbols]
        if self.kernel.work is not None:
            parameters += ["i64 %part", "i64 %parts"]
        fails = self.kernel.may_fail
        if fails:
            parameters.append("ptr noalias nocapture noundef %error")
        done = "ret i32 0" if fails else "ret void"
        checks = [each for each in block.ops if isinstance(each, CheckIndexOp)]
        self.write_ops(checks)
        leave_if_idle(self.w, self.kernel, done)
        self.write_ops(each for each in block.ops if each not in checks)
        self.w.do(done)
        result = "i32" if fails else "void"
        head = f"define {result} {name}({', '.join(parameters)})"
        few = FEW_PASSES in self.kernel.attributes
        attributes = "nounwind " + ('"few-passes" ' if few else "")
        body = self.w.text(head, attributes)
        functions = [
            define(name, element, lanes, self.fma)
            for name, element, lanes in self.functions
        ]
        return "\n".join([body, *functions, *self.beside])

    def need(self, name: str, element: Element, lanes: int) -> None:
        """Notes that a math function is called."""
        self.functions[name, element, lanes] = None

    def write_ops(self, ops: Iterable[Operation]) -> None:
        """Writes ops in their order."""
        for op in ops:
            self.write_op(op)

    def write_op(self, op: Operation) -> None:
        """Writes one op."""
        match op:
            case ForOp():
                self.loops.write(op)
            case TileOp():
                write = write_tile if op.schedule is None else write_blocks
                write(self, op)
            case StoreOp():
                self.memory.store(op)
            case PrefetchOp():
                self.memory.prefetch(op)
            case CheckIndexOp():
                write_check(self.w, op, self.scope[op.indices].text)
            case SplitIndexOp():
                self.split_index(op)
            case ChooseOp():
                end = ChoiceWriter(self.memory, self.write_ops, op).write()
                self.scope.define(op.end, end)
            case ArgsortOp():
                write_argsort(self.memory, self.write_ops, op)
            case NativeOp():
                self.beside.append(write_native(self.w, self.scope, op))
            case YieldOp():
                return
            case _:
                self.scope.define(op.results[0], self.evaluate(op))

    def split_index(self, op: SplitIndexOp) -> None:
        """Writes the division of an index, and the rest."""
        w, index, width = self.w, self.scope[op.index].text, self.w.size(op.size)
        outer = w.div(index, width)
        inner = w.add(index, w.mul(w.mul(outer, width), "-1"))
        self.scope.set_index(op.outer, outer)
        self.scope.set_index(op.inner, inner)

    def evaluate(self, op: Operation) -> Value:
        """Writes an op that has a result; the result."""
        # Found by its class: most are scalar ops, and each `isinstance` takes time.
        write = _WRITERS.get(op.__class__, _KernelWriter.scalar)
        return write(self, op)

    def load(self, op: LoadOp) -> Value:
        """Writes a load."""
        return self.memory.load(op)

    def position(self, op: PositionOp) -> Value:
        """Writes the value of a subscript."""
        return self.memory.position(op)

    def extent(self, op: ExtentOp) -> Value:
        """The value of a dimension."""
        return Value(self.w.size(op.value), i64)

    def clamped(self, op: ClampIndexOp) -> Value:
        """Writes an index that is held to its range."""
        return write_clamp(self.w, op, self.scope[op.value])

    def truncated(self, op: arith.TruncFOp) -> Value:
        """Writes the conversion to a narrower float."""
        if op.input.type != f32 or op.result.type != bf16:
            return self.scalar(op)
        value = self.scope[op.input]
        if not self.rounds_at_once and scalar.is_element(op.input, bf16):
            return upper_half(self.w, value)
        return self.instructions.narrow(self.w, value)

    def dot_bytes(self, op: DotBytesOp) -> Value:
        """Writes the products of bytes, added up."""
        operands = [self.scope[each] for each in op.operands]
        return write_dot_bytes(self.w, self.target, op, operands)

    def scalar(self, op: Operation) -> Value:
        """Writes an op of `arith`, `math` or `scalar`; its result."""
        operands = [self.scope[each] for each in op.operands]
        return write_scalar_op(self.w, op, operands, self.fma, self.need)


_WRITERS: Mapping[type[Operation], Callable[[_KernelWriter, Any], Value]] = {
    ClampIndexOp: _KernelWriter.clamped,
    DotBytesOp: _KernelWriter.dot_bytes,
    ExtentOp: _KernelWriter.extent,
    LoadOp: _KernelWriter.load,
    PositionOp: _KernelWriter.position,
    arith.TruncFOp: _KernelWriter.truncated,
}
"""The writers of ops with a result that are no scalar ops, or not always."""
