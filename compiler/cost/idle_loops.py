"""Choose which kernels return at once where they would store nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.ir import Operation

from ...dialects import Dim
from ...dialects.loop import ArgsortOp, ForOp, KernelOp, TileOp

_MIN_LONG_ITERATIONS = 1 << 34
"""Iterations that take more than seconds, though they do nothing."""


def leaves_if_idle(kernel: KernelOp) -> bool:
    """
    Whether a loop of a kernel may be long while another one is empty: several sizes
    vary, or one does beside known ones that are many iterations, or zero.
    """
    loops = [op for op in kernel.walk() if isinstance(op, ForOp | TileOp | ArgsortOp)]
    every = [size for each in loops for size in _sizes_of(each)]
    varying = {size for size in every if not isinstance(size, int)}
    if len(varying) != 1:
        return bool(varying)
    return 0 in every or _iterations(kernel.body.block.ops) >= _MIN_LONG_ITERATIONS


def _iterations(ops: Iterable[Operation]) -> int:
    """How often the bodies of loops in some ops run, where sizes that vary are one."""
    total = 0
    for op in ops:
        blocks = (block for region in op.regions for block in region.blocks)
        inside = sum(_iterations(block.ops) for block in blocks)
        if isinstance(op, ForOp | TileOp | ArgsortOp):
            known = (size for size in _sizes_of(op) if isinstance(size, int))
            inside = prod(known) * max(inside, 1)
        total += inside
    return total


def _sizes_of(op: ForOp | TileOp | ArgsortOp) -> Sequence[Dim]:
    """The sizes that an op counts to."""
    return [op.size] if isinstance(op, ForOp) else op.sizes
