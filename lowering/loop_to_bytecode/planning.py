"""
Write the bytecode that plans a call: it fills a plan row for the values of the symbols.

What it decides is what `runtime/plan_table.py` does: which results are other memory as
it lies, what slots that takes out, and where the others are.
"""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from ...dialects import MOST_BYTES
from ...dialects.loop import ProgramOp, SkipAttr
from ...runtime import (
    APART,
    CONTEXT,
    ELSEWHERE,
    PLAN_ARGUMENTS,
    WORD,
    Opcode,
    PlanCode,
    PlanLayout,
    Reach,
    RowLayout,
)
from ..loop_to_llvm import ALIGNMENT, reach_of_plans, row_of
from .assembler import Assembler

_TOO_LARGE = 1
"""The refusal of sizes with which a run would compute numbers of 2**62 and more."""


def write_row_plan(program: ProgramOp, reach: Reach) -> PlanCode | None:
    """
    The code that plans a program, of which `reach` bounds all numbers; None where there
    is nothing to plan, or a planner of Python does it.
    """
    planned, orders = program.plan.bytes.data >= 0, program.plan.orders
    if not program.symbols or not (planned or orders):
        return None
    try:
        whole = reach_of_plans(program, reach)
    except VerifyException:
        # No sizes are so small that 64 bits hold all: Python plans.
        return None
    writer = PlanWriter(program, PlanLayout(row_of(program)))
    writer.check_reach(whole, _TOO_LARGE)
    writer.fill_row(_TOO_LARGE)
    return writer.made()


class PlanWriter(Assembler):
    """Writes what fills the fields of a plan."""

    def __init__(self, program: ProgramOp, layout: PlanLayout):
        """The writer of a plan with these fields."""
        super().__init__()
        self.program, self.layout, self.row = program, layout, layout.row
        self.into = self.body
        for at, name in enumerate(program.symbol_names):
            field = layout.first_row + self.row.first_symbol + at
            self.symbols[name] = self.field(field)

    def made(self) -> PlanCode:
        """The code, which ends here."""
        self.emit(Opcode.RETURN, 0)
        return PlanCode(self.code(), self.registers, self.layout)

    def store(self, register: int, field: int) -> None:
        """Stores a register in a field of the plan."""
        self.emit(Opcode.STORE, register, CONTEXT, field * WORD)

    def refuse_if(self, bad: int, number: int) -> None:
        """Returns the number of a refusal where a register is not zero."""
        good = self.branch(Opcode.JUMP_IF_ZERO, bad)
        self.emit(Opcode.RETURN, number)
        self.land(good)

    def refuse_large(self, total: int, number: int) -> None:
        """Refuses a total of 2**62 or more."""
        most = self.number(MOST_BYTES - 1)
        self.refuse_if(self.compute(Opcode.LESS, most, total), number)

    def check_reach(self, reach: Reach, number: int) -> None:
        """Refuses sizes with which the sum is 2**62 or more."""
        one, total = self.number(1), self.number(0)
        used = sorted({name for _, names in reach for name in names})
        factors = {
            name: self.compute(Opcode.MAXIMUM, self.symbols[name], one) for name in used
        }
        for factor, names in reach:
            term = self.number(factor)
            for each in names:
                term = self.compute(Opcode.MULTIPLY_CAPPED, term, factors[each])
            total = self.compute(Opcode.ADD_CAPPED, total, term)
        self.refuse_large(total, number)

    def fill_row(self, number: int) -> None:
        """Stores the fields of the row; refuses activations of 2**62 bytes."""
        program, first = self.program, self.layout.first_row
        ways: dict[int, list[SkipAttr]] = {}
        for each in program.skips:
            ways.setdefault(each.slot.data, []).append(each)
        taken = {slot: self._taken(each) for slot, each in ways.items()}
        for at, register in enumerate(taken.values()):
            self.store(register, first + self.row.first_skip + at)
        if program.plan.bytes.data >= 0:
            offsets = [self.number(each.offset.data) for each in program.slots]
            bytes = self.number(program.plan.bytes.data)
            bound = self.number(max(program.plan.lower_bound.data, 0))
        else:
            offsets, bytes, bound = self._place(ways, taken, number)
        for at, register in enumerate(offsets):
            self.store(register, first + self.row.first_slot + at)
        self.store(bytes, first + RowLayout.BYTES)
        self.store(bound, first + RowLayout.LOWER_BOUND)

    def _taken(self, ways: list[SkipAttr]) -> int:
        """The register of the first way that holds, from 1; zero where none does."""
        zero = self.number(0)
        found = zero
        for number, way in reversed([*enumerate(ways, 1)]):
            holds = self.number(1)
            for clause in way.when:
                any_zero = zero
                for quantity in clause:
                    is_zero = self.compute(Opcode.EQUAL, self.size(quantity), zero)
                    any_zero = self.compute(Opcode.MAXIMUM, any_zero, is_zero)
                holds = self.compute(Opcode.MULTIPLY, holds, any_zero)
            found = self._chosen(holds, self.number(number), found)
        return found

    def _chosen(self, condition: int, one: int, other: int) -> int:
        """The register of one value where a condition is 1, and of another if 0."""
        apart = self.compute(Opcode.SUBTRACT, one, other)
        more = self.compute(Opcode.MULTIPLY, condition, apart)
        return self.compute(Opcode.ADD, other, more)

    def _place(
        self, ways: dict[int, list[SkipAttr]], taken: dict[int, int], number: int
    ) -> tuple[list[int], int, int]:
        """The registers of the offsets of slots, of their bytes, and of the bound."""
        program = self.program
        count, parts = len(program.slots), len(ways)
        orders = [*program.plan.orders]
        total = self.number(0)
        sizes = [self.size(each.size) for each in program.slots]
        for each in sizes:
            room = self.compute(Opcode.ADD_CAPPED, each, self.number(ALIGNMENT))
            total = self.compute(Opcode.ADD_CAPPED, total, room)
        self.refuse_large(total, number)
        values = [self.number(count), self.number(len(orders))]
        values += [self.field(PlanLayout.ORDERS), self.number(parts), *sizes]
        values += (self.number(each.first.data) for each in program.slots)
        values += (self.number(each.last.data) for each in program.slots)
        values += [self.number(0)] * count
        values += map(self.number, ways)
        parted = [self._whole(each, taken[slot]) for slot, each in ways.items()]
        values += (whole for whole, _ in parted)
        values += (start for _, start in parted)
        arguments = self.take(len(values))
        for at, register in enumerate(values):
            self.emit(Opcode.MOVE, arguments + at, register)
        self.emit(Opcode.CALL, 0, arguments)
        first = arguments + PLAN_ARGUMENTS + 3 * count
        return [*range(first, first + count)], arguments, arguments + 1

    def _whole(self, ways: list[SkipAttr], taken: int) -> tuple[int, int]:
        """
        The registers of the slot that another is part of, and of the bytes before it.
        """
        whole, start = self.number(APART), self.number(0)
        for number, way in enumerate(ways, 1):
            this = self.compute(Opcode.EQUAL, taken, self.number(number))
            is_slot = way.region.data == "activations"
            home = self.number(way.number.data if is_slot else ELSEWHERE)
            whole = self._chosen(this, home, whole)
            start = self._chosen(this, self.size(way.offset), start)
        return whole, start
