"""
Lower a function of the host level to bytecode (`runtime/abi/bytecode.py`).

Each value has a register of its own. What a function on words takes, a kernel among
them, stands in registers that follow each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ..dialects.loop import ProgramOp
from ..runtime.abi import CONTEXT, START, Opcode, Words
from ..runtime.hostcode import BINARY, NULL, Block, Function, Op, Value
from ..runtime.plan import PlanCode
from .program_to_host import SPEND, Reach, lower_plan, lower_whole, plan_layout

_OPCODES = {
    **{name: opcode for opcode, name in BINARY.items()},
    "or": Opcode.MAXIMUM,  # of bits
    "offset": Opcode.ADD,
}

_LOADS = {1: Opcode.LOAD_BYTE, 4: Opcode.LOAD_HALF, 8: Opcode.LOAD}

_Instruction = tuple[int, int, int, int]


@dataclass(frozen=True)
class Bytecode:
    """A function as data."""

    code: Words
    registers: int
    kernels: tuple[str, ...]
    """The kernels that it calls, by their numbers."""


def _lowered(function: Function, tables: Mapping[str, int] | None = None) -> Bytecode:
    """
    The bytecode of a function, which finds constant arrays by addresses that fields of
    its context have; raises `VerifyException` for what only machine code can do.
    """
    writer = _Writer(function, tables or {})
    writer.block(function.body)
    moved = len(writer.entry)
    jumps = (Opcode.JUMP, Opcode.JUMP_IF_ZERO)
    body = [(op, a, b + moved * (op in jumps), c) for op, a, b, c in writer.body]
    code = np.array([*writer.entry, *body], np.int64).reshape(-1)
    return Bytecode(code, writer.count, tuple(writer.kernels))


def lower_program_to_bytecode(program: ProgramOp) -> Bytecode:
    """The bytecode of what runs a program; raises `VerifyException` as above."""
    (function,) = lower_whole(program, is_polled=True).functions
    return _lowered(function)


def lower_plan_to_bytecode(
    program: ProgramOp, reach: Reach, is_placed: bool
) -> PlanCode:
    """
    The bytecode that plans the calls of a program; `reach` bounds all its numbers; it
    places tensors where that is asked for. Raises `VerifyException` where no sizes are
    so small that 64 bits hold all.
    """
    layout = plan_layout(program, is_placed)
    plan = lower_plan(program, reach, is_placed)
    made = _lowered(plan, {"orders": layout.orders})
    return PlanCode(made.code, made.registers, layout)


class _Writer:
    """Writes instructions: those that set numbers, which run first, and all others."""

    def __init__(self, function: Function, tables: Mapping[str, int]):
        self.tables = tables
        self.count = START + 1
        self.entry: list[_Instruction] = []
        self.body: list[_Instruction] = []
        self.registers: dict[Op, int] = {function.parameters[0]: CONTEXT}
        self.results: dict[Op, Sequence[int]] = {}
        self.numbers: dict[int, int] = {}
        self.kernels: dict[str, int] = {}

    def take(self, count: int = 1) -> int:
        """The first of some registers that nothing uses."""
        self.count += count
        return self.count - count

    def emit(self, op: Opcode, a: int = 0, b: int = 0, c: int = 0) -> int:
        """Writes an instruction; its place."""
        self.body.append((op, a, b, c))
        return len(self.body) - 1

    def compute(self, op: Opcode, b: int, c: int = 0) -> int:
        """Writes an instruction with a result; the register that this is in."""
        made = self.take()
        self.emit(op, made, b, c)
        return made

    def number(self, value: int) -> int:
        """The register of a number."""
        if value not in self.numbers:
            made = self.numbers[value] = self.take()
            self.entry.append((Opcode.CONSTANT, made, int(value), 0))
        return self.numbers[value]

    def of(self, value: Value) -> int:
        """The register of a value."""
        if not isinstance(value, Op):
            return self.number(value)
        if value is NULL:
            return self.number(0)
        if value.name == "result":
            around = value.operands[0]
            assert isinstance(around, Op), "a result is of an op"
            number: int = value.data
            return self.results[around][number]
        return self.registers[value]

    def move(self, to: int, value: Value) -> None:
        """Sets a register to a value."""
        if isinstance(value, Op):
            self.emit(Opcode.MOVE, to, self.of(value))
        else:
            self.emit(Opcode.CONSTANT, to, int(value))

    def following(self, values: Sequence[Value]) -> int:
        """The first of registers that have these values, one after the other."""
        first = self.take(len(values))
        for at, each in enumerate(values, first):
            self.move(at, each)
        return first

    def land(self, jump: int, at: int | None = None) -> None:
        """Lets a jump go on here, or at another place."""
        op, a, _, c = self.body[jump]
        self.body[jump] = op, a, len(self.body) if at is None else at, c

    def block(self, block: Block) -> None:
        """Writes the ops of a block."""
        for op in block.ops:
            if op.name in _OPCODES:
                one, other = map(self.of, op.operands)
                self.registers[op] = self.compute(_OPCODES[op.name], one, other)
                continue
            write = getattr(self, f"write_{op.name}", None)
            if write is None:
                raise VerifyException(
                    f"expected ops that bytecode has, got {op.name}; compile the model "
                    "to machine code"
                )
            write(op)

    def inverted(self, op: Op, opcode: Opcode, one: Value, other: Value) -> None:
        """Writes whether something does not hold."""
        holds = self.compute(opcode, self.of(one), self.of(other))
        self.registers[op] = self.compute(Opcode.EQUAL, holds, self.number(0))

    def write_ne(self, op: Op) -> None:
        """Writes whether two differ."""
        self.inverted(op, Opcode.EQUAL, *op.operands)

    def write_le(self, op: Op) -> None:
        """Writes whether one is not greater."""
        self.inverted(op, Opcode.LESS, *reversed(op.operands))

    def write_number(self, op: Op) -> None:
        """Takes an address as the integer that it is."""
        self.registers[op] = self.of(op.operands[0])

    def write_select(self, op: Op) -> None:
        """Writes a choice."""
        bit, one, other = map(self.of, op.operands)
        self.registers[op] = self.compute(Opcode.MOVE, other)
        self.emit(Opcode.MOVE_IF, self.registers[op], one, bit)

    def write_table(self, op: Op) -> None:
        """Writes the load of the address of an array."""
        field = self.tables[op.data]
        self.registers[op] = self.compute(Opcode.LOAD, CONTEXT, 8 * field)

    def write_load(self, op: Op) -> None:
        """Writes a load."""
        bytes, width, _ = op.data
        address = self.of(op.operands[0])
        self.registers[op] = self.compute(_LOADS[width], address, bytes)

    def write_store(self, op: Op) -> None:
        """Writes a store."""
        value, address = map(self.of, op.operands)
        self.emit(Opcode.STORE, value, address, op.data[0])

    def write_words(self, op: Op) -> None:
        """Writes words to registers."""
        self.registers[op] = self.following(op.operands)

    def write_word(self, op: Op) -> None:
        """Takes a word as the register that it is."""
        self.registers[op] = self.of(op.operands[0]) + op.data

    def write_call_words(self, op: Op) -> None:
        """Writes a call on words."""
        self.call(op.data.name, self.of(op.operands[0]), 0)

    def write_call(self, op: Op) -> None:
        """Writes a poll, after which a run goes on."""
        if op.data != SPEND:
            raise VerifyException(f"expected no call of {op.data.name} in bytecode")
        self.emit(Opcode.POLL, self.of(op.operands[1]))
        self.registers[op] = self.number(0)

    def write_kernel(self, op: Op) -> None:
        """Writes the call of a kernel."""
        name, number = op.data
        self.call(name, self.following(op.operands[1:]), number)

    def call(self, name: str, words: int, number: int) -> None:
        """Writes the call of a function on words."""
        function = self.kernels.setdefault(name, len(self.kernels))
        self.emit(Opcode.CALL, function, words, number)

    def write_leave(self, op: Op) -> None:
        """Writes a return."""
        (status,) = op.operands
        assert not isinstance(status, Op), "a function as data returns numbers"
        self.emit(Opcode.RETURN, status)

    def write_if(self, op: Op) -> None:
        """Writes two blocks; one of them is taken."""
        first, second = op.blocks
        results = [self.take() for _ in first.ends]
        otherwise = self.emit(Opcode.JUMP_IF_ZERO, self.of(op.operands[0]))
        self.block(first)
        self.end(results, first)
        if not second.ops and not results:
            self.land(otherwise)
            return
        after = self.emit(Opcode.JUMP)
        self.land(otherwise)
        self.block(second)
        self.end(results, second)
        self.land(after)
        self.results[op] = results

    def end(self, registers: Sequence[int], block: Block) -> None:
        """Sets registers to the values that a block ends with."""
        values = [self.of(each) for each in block.ends]
        if {*values} & {*registers}:
            # None is overwritten before it is read.
            values = [self.compute(Opcode.MOVE, each) for each in values]
        for register, value in zip(registers, values, strict=True):
            self.emit(Opcode.MOVE, register, value)

    def write_repeat(self, op: Op) -> None:
        """Writes a loop that ends where its first value is not set."""
        (block,) = op.blocks
        registers = [self.take() for _ in op.operands]
        for register, argument, first in zip(
            registers, block.arguments, op.operands, strict=True
        ):
            self.move(register, first)
            self.registers[argument] = register
        head = self.emit(Opcode.JUMP_IF_ZERO, registers[0])
        self.block(block)
        self.end(registers, block)
        self.land(self.emit(Opcode.JUMP), head)
        self.land(head)
        self.results[op] = registers
