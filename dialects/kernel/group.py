"""
A group of ops that one kernel computes: its nests, and what it loads and checks.

A group is one op, or the ops of a `graph.fusion`. A value inside the group is not
stored: each read of it is replaced by its expression tree at the position of the read.
At most one reduction feeds a nest of the last op; every op after it sees its
`Accumulator`. Several reductions of the same rows are stages of one nest
(`dialects/kernel/row_reductions.py`); later stages load what an earlier stage keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import SSAValue

from ..dims import Dim, product
from ..graph import (
    Linear,
)
from ..shape import sizes, tensor_type
from .expression import (
    Index,
    KernelNest,
    Load,
    Moved,
    loads,
)
from .linearize import flatten


@dataclass(frozen=True)
class Check:
    """The condition that the indices in a buffer are below a bound."""

    indices: SSAValue
    count: Dim
    start: Dim
    step: Dim
    bound: Dim
    wraps: bool


@dataclass(frozen=True)
class Group:
    """The nests of a group of ops, the values they read, and checks on those values."""

    result: SSAValue
    nests: tuple[KernelNest, ...]
    checks: tuple[Check, ...]
    replaced: SSAValue | None = None
    """The operand whose memory the result takes over, if any."""

    numbers: Mapping[str, Dim] = field(default_factory=dict[str, Dim])
    """
    The values of symbols that stand for numbers, or for what is computed from sizes, so
    that more groups are alike.
    """

    def of(
        self, values: Mapping[SSAValue, SSAValue], replaced: SSAValue | None = None
    ) -> Group:
        """The same group of other values."""
        moved = Moved(lambda position: position, values)
        return Group(
            values[self.result],
            tuple(moved.nest(each) for each in self.nests),
            tuple(replace(each, indices=values[each.indices]) for each in self.checks),
            replaced,
        )

    def buffers(self) -> list[SSAValue]:
        """
        The values that the nests load, other than from the memory of the result, in the
        order of their first load.
        """
        found: dict[SSAValue, None] = {}
        for check in self.checks:
            found[check.indices] = None
        for nest in self.nests:
            for load in loads(*nest.roots):
                found[load.buffer] = None
        found.pop(self.result, None)
        if self.replaced is not None:
            found.pop(self.replaced, None)
        return list(found)


def element(value: SSAValue, at: Sequence[Linear | Index]) -> Load:
    """The element of a value in memory at a position for each axis."""
    shape = sizes(tensor_type(value))
    fixed = [each if isinstance(each, Linear) else Linear() for each in at]
    lookups = tuple(
        (each, product(shape[axis + 1 :]))
        for axis, each in enumerate(at)
        if isinstance(each, Index)
    )
    return Load(value, flatten(fixed, shape), lookups)
