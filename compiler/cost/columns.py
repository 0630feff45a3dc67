"""
Choose how many vectors of columns go down their rows together.

A loop whose lanes are columns, with a loop over rows inside, reads one vector of each
row. Rows are far apart: each is another line of memory, and of another page where rows
are long. Several vectors read lines that follow each other, which the processor asks
for ahead, and each has a sum that does not wait for the others. Bits do not depend on
it, since no column has a part in another one.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ...dialects import product
from ...dialects.loop import (
    ForOp,
    LoadOp,
    PositionOp,
    SplitIndexOp,
    StoreOp,
    TargetAttr,
)
from .functions import constants_of

_WIDTHS = (8, 4, 2)
"""
Numbers of vectors that go together, powers of two, since LLVM takes others apart: sums
of 1,024 rows of 1,024 f32 took a fourth of the time with eight, and of 21 rows of an
image (cumulative ones) too, with four a third and two fifths; no less with sixteen.
"""

_ACCUMULATORS = 4
"""Accumulators that each vector has in a loop with partial sums."""

_BARE = 3
"""Ops of a loop that adds what it loads, which needs no registers but accumulators."""

_FEW_ROWS = 16
"""
Rows, at most, that are written out or in the first cache: windows of 5 of a pooling
took 1.15 of the time.
"""

_LEAST_UNITS = 4
"""Parts, at least, of a loop that threads share."""

_MAX_BODY = 12
"""Ops of a loop over rows, at most, in the mean."""


def columns_at_once(loop: ForOp, target: TargetAttr) -> int:
    """The vectors of a loop over columns that go down the rows together; 1 for none."""
    inside = [each for each in loop.walk() if each is not loop]
    rows = [each for each in inside if isinstance(each, ForOp)]
    if loop.kind != "parallel" or loop.width == 1 or not rows:
        return 1
    count = product([each.size for each in rows])
    if isinstance(count, int) and count <= _FEW_ROWS:
        return 1
    is_short = len(inside) <= _MAX_BODY * len(rows)
    if not is_short or not all(_is_simple(each, loop.index) for each in inside):
        return 1
    most = min(_registers_allow(each, target) for each in rows)
    widths = [each for each in _WIDTHS if each <= most]
    if not isinstance(loop.size, int):
        return max(widths, default=1)
    vectors = loop.size // loop.width
    if loop.split is not None:
        widths = [each for each in widths if vectors >= each * _LEAST_UNITS]

    def cost(width: int) -> float:
        """Vectors, each with its part of what a step takes beside them."""
        left = vectors % width
        return (vectors - left) * (1 + 1 / width) + 2 * left

    return min((*widths, 1), key=cost)


def _registers_allow(rows: ForOp, target: TargetAttr) -> int:
    """The vectors for which the accumulators of a loop over rows stay in registers."""
    ops = rows.body.block.ops
    room = target.registers.data - constants_of(ops)
    sums = 1 if rows.partials is None else _ACCUMULATORS
    is_bare = rows.partials is not None and len(ops) <= _BARE
    return room // (sums if is_bare else 2 * sums)


def _is_simple(op: Operation, columns: SSAValue) -> bool:
    """Whether several vectors of an op take about as long as one, or no longer each."""
    match op:
        case LoadOp() | StoreOp():
            return op.at.is_contiguous(columns)
        case ForOp():
            return op.kind != "parallel" and op.width == 1
        case SplitIndexOp():
            return columns not in op.operands
        case PositionOp():
            return False
        case _:
            return not op.regions
