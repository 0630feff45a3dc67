"""
Write a program as bytecode.

What a kernel takes, the addresses of buffers and then sizes, stands in registers that
follow each other. The order of calls, and what ends a run, is as in machine code
(`loop_to_llvm/program/run.py`); a run is not interrupted by signals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim, dim, symbols_of
from ...dialects.loop import (
    CallOp,
    DefineOp,
    ElementOp,
    IfOp,
    ProgramOp,
    RepeatOp,
    RequireOp,
    ViewOp,
)
from ...runtime import (
    CONTEXT,
    EQUALITY_ERROR,
    RANGE_ERROR,
    SIZE_ERROR,
    WORD,
    Opcode,
    Words,
)
from .addresses import AddressWriter


@dataclass(frozen=True)
class Bytecode:
    """A program as data."""

    code: Words
    registers: int
    kernels: tuple[str, ...]
    """The kernels that it calls, by their numbers."""


def write_bytecode(program: ProgramOp) -> Bytecode:
    """The bytecode of a program; raises `VerifyException` where it has fallback ops."""
    writer = _Writer(program)
    writer.add(program.body.block.ops)
    writer.emit(Opcode.RETURN, 0)
    return Bytecode(writer.code(), writer.registers, tuple(writer.kernels))


class _Writer(AddressWriter):
    """Writes the ops of a program."""

    def __init__(self, program: ProgramOp):
        super().__init__(program)
        self.kernels: dict[str, int] = {}
        self.count = 0
        """The ops so far that may end a run."""
        self.into = self.body

    def add(self, ops: Iterable[Operation]) -> None:
        """Writes ops, in order."""
        for op in ops:
            match op:
                case ViewOp():
                    pass
                case ElementOp():
                    self.addresses[op.result] = self.element(op)
                case CallOp():
                    self.call(op)
                case DefineOp():
                    self.define(op)
                case RequireOp():
                    self.require(op)
                case IfOp():
                    self.choose(op)
                case RepeatOp():
                    self.repeat(op)
                case _:
                    raise VerifyException(
                        f"expected a program of calls of kernels, got {op.name}"
                    )

    def add_inside(self, ops: Iterable[Operation]) -> None:
        """Writes ops that may not run: what they define is unknown after them."""
        before = {*self.ready}
        self.add(ops)
        self.ready = before

    def call(self, op: CallOp) -> None:
        """Writes the arguments and the call of a kernel."""
        guard: int | None = None
        if op.unless_same is not None:
            one, other = map(self.address, op.buffers)
            differs = self.compute(Opcode.SUBTRACT, one, other)
            guard = self.branch(Opcode.JUMP_IF_ZERO, differs)
        elif op.skip is not None:
            taken = self.skip_field(op.skip.value.data)
            is_own = self.compute(Opcode.EQUAL, taken, self.number(0))
            guard = self.branch(Opcode.JUMP_IF_ZERO, is_own)
        kernel = self.kernels.setdefault(op.kernel_name, len(self.kernels))
        arguments = self.take(len(op.buffers) + len(op.sizes))
        for at, buffer in enumerate(op.buffers):
            self.emit(Opcode.MOVE, arguments + at, self.address(buffer))
        for at, size in enumerate(op.sizes, len(op.buffers)):
            self.pass_size(arguments + at, size)
        self.emit(Opcode.CALL, kernel, arguments, self.count)
        if guard is not None:
            self.land(guard)
        self.count += 1

    def pass_size(self, register: int, size: Dim) -> None:
        """Sets a register, which nothing else writes, to a size."""
        if isinstance(size, int):
            self.entry.append((Opcode.CONSTANT, register, size, 0))
        elif symbols_of(size) <= self.symbols.keys():
            self.entry.append((Opcode.MOVE, register, self.size(size), 0))
        else:
            self.emit(Opcode.MOVE, register, self.size_now(size))

    def choose(self, op: IfOp) -> None:
        """Writes both lists of calls, of which one runs."""
        otherwise = self.branch(Opcode.JUMP_IF_ZERO, self.is_true(op.condition))
        self.add_inside(op.then.block.ops)
        after = self.branch(Opcode.JUMP)
        self.land(otherwise)
        self.add_inside(op.otherwise.block.ops)
        self.land(after)

    def repeat(self, op: RepeatOp) -> None:
        """Writes the calls of a loop, and its end."""
        (trip,) = op.body.block.args
        index, one = self.take(), self.number(1)
        self.addresses[trip] = index
        limit = self.size_now(op.limit)
        self.emit(Opcode.MOVE, index, self.number(0))
        ends: list[int] = []
        if op.before is not None:
            ends.append(self.branch(Opcode.JUMP_IF_ZERO, self.is_true(op.before)))
        head = len(self.body)
        more = self.compute(Opcode.LESS, index, limit)
        ends.append(self.branch(Opcode.JUMP_IF_ZERO, more))
        self.add_inside(op.body.block.ops)
        self.emit(Opcode.ADD, index, index, one)
        if op.after is not None:
            ends.append(self.branch(Opcode.JUMP_IF_ZERO, self.is_true(op.after)))
        self.land(self.branch(Opcode.JUMP), head)
        for each in ends:
            self.land(each)

    def define(self, op: DefineOp) -> None:
        """Writes a size that the program computed to its field, if it is in range."""
        value = self.compute(Opcode.LOAD, self.address(op.value))
        low, high = (self.size_now(each) for each in op.range)
        for number, each in enumerate((value, low, high)):
            self.store(self.layout.ERROR + number, each)
        floor = self.compute(Opcode.MAXIMUM, low, self.number(0))
        below = self.compute(Opcode.LESS, value, floor)
        above = self.compute(Opcode.LESS, high, value)
        self.leave_if(self.compute(Opcode.ADD, below, above), RANGE_ERROR)
        self.store(self.defined_field(op.symbol.data), value)
        self.ready.add(op.symbol.data)
        self.count += 1

    def require(self, op: RequireOp) -> None:
        """Ends the run when a quantity is below zero."""
        quantity = self.size_now(dim(op.quantity.data))
        for number, each in enumerate(op.shown):
            self.store(self.layout.ERROR + number, self.size_now(each))
        below = self.compute(Opcode.LESS, quantity, self.number(0))
        self.leave_if(below, EQUALITY_ERROR if op.shown else SIZE_ERROR)
        self.count += 1

    def is_true(self, buffer: SSAValue) -> int:
        """Whether the first element of a buffer of booleans is true."""
        return self.compute(Opcode.LOAD_BYTE, self.address(buffer))

    def leave_if(self, bad: int, status: int) -> None:
        """Ends the run when a register is not zero."""
        good = self.branch(Opcode.JUMP_IF_ZERO, bad)
        self.store(self.layout.FAILED, self.number(self.count))
        self.emit(Opcode.RETURN, status)
        self.land(good)

    def store(self, field: int, register: int) -> None:
        """Writes a register to a field of the context."""
        self.emit(Opcode.STORE, register, CONTEXT, field * WORD)
