"""
Say how much of each loop is written out: what is unrolled, prefetched, masked, sorted.

Here the target has vectors of 256 bits.

Before:

    loop.for parallel %i to 19 lanes 8 { … }
    loop.tile %i to 64, … reduce %k to 32 … as #loop.schedule<nr = 16, …> k_loop …
    loop.argsort %out[%row * 7] first 7 of 7 : memref<?xi64> key (%i) { … }
    loop.check_index %indices[20] below 7 : memref<?xi64>

After:

    loop.for parallel %i to 19 lanes 8 masked { … }
    loop.tile … as #loop.schedule<nr = 16, …> unroll 4 prefetch 8 k_loop …
    loop.argsort %out[%row * 7] first 7 of 7 lanes 8 whole 24 : … key (%i) { … }
    loop.check_index %indices[20] below 7 lanes 4 unroll 4 : memref<?xi64>

It comes last, when kernels have the sizes that they keep: whether a loop is short, or a
number of whole units, decides. The emitter writes what stands here. `unroll` may be
preferred (`preference`), and bits depend on none of it. A tile whose result is larger
than the caches `fetches` the lines that it stores. A kernel with loops that may be long
and store nothing is marked `leaves_if_idle`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ....dialects.loop import (
    FEW_PASSES,
    LEAVES_IF_IDLE,
    ArgsortOp,
    CheckIndexOp,
    ForOp,
    KernelOp,
    PreferenceAttr,
    TargetAttr,
    TileOp,
    byte_count,
    preference_of,
    target_of,
)
from ...cost import (
    bodies_at_once,
    bytes_ahead,
    columns_at_once,
    fetches,
    k_ahead,
    k_at_once,
    leaves_if_idle,
    masks_rest,
    most_inserted,
    moves_alone,
    needs_few_passes,
    vectors_at_once,
    vectors_checked,
)


@dataclass(frozen=True)
class UnrollLoops(ModulePass):
    """Sets what the loops of each kernel are written by."""

    name = "unroll-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            target = target_of(op)
            for each in kernel.walk():
                _choose(each, target, preference_of(kernel))
            moves = moves_alone(kernel, target)
            if moves:
                for each in (e for e in kernel.walk() if isinstance(e, ForOp)):
                    each.vectors = _count(vectors_at_once(each))
            if moves or needs_few_passes(kernel):
                kernel.attributes[FEW_PASSES] = UnitAttr()
            if leaves_if_idle(kernel):
                kernel.attributes[LEAVES_IF_IDLE] = UnitAttr()


def _count(number: int) -> IntegerAttr | None:
    """A number of vectors, if they are several."""
    return IntegerAttr(number, i64) if number > 1 else None


def _choose(op: Operation, target: TargetAttr, preference: PreferenceAttr) -> None:
    """Sets what one loop is written by."""
    match op:
        case ForOp():
            if (vectors := columns_at_once(op, target)) > 1:
                op.vectors = IntegerAttr(vectors, i64)
            if (bodies := bodies_at_once(op)) > 1:
                op.unroll = IntegerAttr(bodies, i64)
            if masks_rest(op, target):
                op.masked = UnitAttr()
        case TileOp():
            if (count := k_at_once(op, preference)) != 1:
                op.unroll = IntegerAttr(count, i64)
            if (bytes := bytes_ahead(op)) > 0:
                op.prefetch = IntegerAttr(bytes, i64)
            if (ahead := k_ahead(op, target)) > 0:
                op.ahead = IntegerAttr(ahead, i64)
            if fetches(op, target):
                op.fetches = UnitAttr()
        case ArgsortOp():
            (key,) = op.end.values
            op.lanes = IntegerAttr(target.lanes(8 * byte_count(key.type)), i64)
            if (most := most_inserted(op)) is not None:
                op.whole = IntegerAttr(most, i64)
        case CheckIndexOp():
            if (vectors := vectors_checked(op, target)) > 0:
                op.lanes = IntegerAttr(target.lanes(64), i64)
                op.unroll = IntegerAttr(vectors, i64)
        case _:
            pass
