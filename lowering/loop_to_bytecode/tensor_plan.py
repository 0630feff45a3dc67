"""
Write the bytecode that plans a call from C: it checks the sizes, places inputs and
outputs one after the other, and fills the plan row.

What it refuses has the numbers of `loop_to_llvm/program/bundle_plan.py`.
"""

from __future__ import annotations

from ...dialects import dtype, sizes
from ...dialects.loop import ProgramOp
from ...runtime import Opcode, PlanCode, PlanLayout, Reach
from ..loop_to_llvm import ALIGNMENT, limits_of, reach_of_plans, row_of
from .planning import PlanWriter


def write_tensor_plan(program: ProgramOp, reach: Reach) -> PlanCode:
    """
    The code of plans of a program, of which `reach` bounds all numbers. Where a run
    computes sizes, tensors have no places before it.
    """
    types = (*program.input_types, *program.output_types)
    ranks = () if program.defined else tuple(len(sizes(each)) for each in types)
    writer = _TensorPlanWriter(program, PlanLayout(row_of(program), ranks))
    too_large = len(program.symbols) + 1
    writer.check_limits()
    writer.check_reach(reach_of_plans(program, reach), too_large)
    writer.check_sizes(too_large + 1)
    if ranks:
        writer.place_tensors(too_large)
    writer.fill_row(too_large)
    return writer.made()


class _TensorPlanWriter(PlanWriter):
    """Writes the checks of sizes, and the places of tensors."""

    @property
    def tensors(self) -> list[tuple[int, list[int]]]:
        """The bytes of an element, and the registers of sizes, of each tensor."""
        types = (*self.program.input_types, *self.program.output_types)
        return [
            (dtype(each).itemsize, [*map(self.size, sizes(each))]) for each in types
        ]

    def check_limits(self) -> None:
        """Refuses symbols out of their ranges, each with a number, from 1 on."""
        for number, (name, least, most) in enumerate(limits_of(self.program), 1):
            symbol = self.symbols[name]
            below = self.compute(Opcode.LESS, symbol, self.number(max(least, 0)))
            above = self.compute(Opcode.LESS, self.number(most), symbol)
            self.refuse_if(self.compute(Opcode.MAXIMUM, below, above), number)

    def check_sizes(self, number: int) -> None:
        """Refuses negative sizes of tensors, and what the program's checks refuse."""
        zero = self.number(0)
        tensors = self.tensors if self.layout.ranks else []
        each_once = dict.fromkeys(each for _, shape in tensors for each in shape)
        for size in each_once:
            self.refuse_if(self.compute(Opcode.LESS, size, zero), number)
        for at, check in enumerate(self.program.checks, number + 1):
            below = self.compute(Opcode.LESS, self.size(check.size), zero)
            self.refuse_if(below, at)

    def place_tensors(self, number: int) -> None:
        """Stores where tensors are, and their sizes; refuses 2**62 bytes and more."""
        layout, field = self.layout, self.layout.first_size
        end, unit = self.number(0), self.number(ALIGNMENT)
        for at, (itemsize, shape) in enumerate(self.tensors):
            count = self.number(1)
            for size in shape:
                count = self.compute(Opcode.MULTIPLY_CAPPED, count, size)
                self.store(size, field)
                field += 1
            self.store(end, layout.HEAD + at)
            self.store(count, layout.first_count + at)
            bytes = self.compute(Opcode.MULTIPLY_CAPPED, count, self.number(itemsize))
            above = self.compute(Opcode.ADD, bytes, self.number(ALIGNMENT - 1))
            units = self.compute(Opcode.DIVIDE, above, unit)
            rounded = self.compute(Opcode.MULTIPLY, units, unit)
            end = self.compute(Opcode.ADD_CAPPED, end, rounded)
        self.refuse_large(end, number)
        self.store(end, layout.PLACED)
