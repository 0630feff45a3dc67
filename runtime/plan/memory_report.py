"""`MemoryReport`: the bytes that a call of some sizes takes, and how few would do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..abi import aligned, stored_dtype
from ..files import listed
from ..program import Program, evaluate, integer
from .plan_table import PlanTable


@dataclass(frozen=True)
class MemoryReport:
    """The memory of a call in bytes."""

    activations: int
    """The block of activations, as planned."""

    outputs: int
    """The arrays that are returned; the most that they can be, if the run decides."""

    constants: int
    """The block of constants, which all calls share."""

    lower_bound: int
    """The least that any plan of the activations takes for these values and order."""

    reused: int
    """What the activations would take more if none shared memory with another."""

    @property
    def optimal(self) -> bool:
        """Whether no plan of the activations is smaller."""
        return self.activations == self.lower_bound


def report_memory(
    program: Program, plans: PlanTable, constants: int, sizes: Mapping[str, int]
) -> MemoryReport:
    """
    The report of a call in which the symbols have these `sizes`.

    Raises `TypeError` for a symbol that is missing or unknown and for a size that is no
    integer, and `ValueError` for sizes that the model cannot take.
    """
    if sorted(sizes) != sorted(program.symbols):
        expected = listed(program.symbols) or "no sizes"
        raise TypeError(f"expected {expected}, got {listed(sizes) or 'none'}")
    sizes = {name: integer(size, f"a size {name}") for name, size in sizes.items()}
    for name, size in sizes.items():
        if size < 0:
            raise ValueError(f"expected {name} of at least 0, got {size}")
    made = plans.plan_for(sizes)
    alone = sum(aligned(evaluate(each.bytes, sizes)) for each in program.slots)
    return MemoryReport(
        activations=made.size,
        outputs=_output_bytes(program, sizes),
        constants=constants,
        lower_bound=made.lower_bound,
        reused=alone - made.size,
    )


def _output_bytes(program: Program, sizes: Mapping[str, int]) -> int:
    """The bytes of all outputs together, at most."""
    counts = [evaluate(each, sizes) for each in program.capacities]
    if not program.defined:
        counts = [math.prod(each.sizes(sizes)) for each in program.outputs]
    items = [stored_dtype(each.dtype).itemsize for each in program.outputs]
    return sum(count * item for count, item in zip(counts, items, strict=True))
