"""
Find the sizes that, when they are zero, leave loops with nothing to do.

An array of shape 2**40 by 0 has no elements, and takes no memory; a loop over its rows
would take minutes all the same. So a kernel that `leaves_if_idle` returns at once where
every store is inside of a loop whose size is zero. Where only some of its loops store
nothing, as for the parts of a concatenation, these have no iterations; and a reduction
is skipped where a loop inside of it, which alone changes its accumulator, has none.

    for %i to n { for %j to m { store } }                   nothing when m is zero
    for %i to n { for %j to m { store } for %k to l { store } }   when both m and l are
    %t = for reduce %i to n { %u = for reduce %j to m }     %t as it began then
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation

from ....dialects import Dim
from ....dialects.loop import (
    LEAVES_IF_IDLE,
    ArgsortOp,
    CheckIndexOp,
    ForOp,
    KernelOp,
    StoreOp,
    TileOp,
    YieldOp,
)
from ..text.function import FunctionWriter


def leave_if_idle(w: FunctionWriter, kernel: KernelOp, done: str) -> None:
    """Writes a return, `done`, that is taken where the kernel stores nothing."""
    sizes = _idle_sizes(kernel)
    if not sizes:
        return
    idle = w.any_of([w.same(w.size(each), "0") for each in sizes])
    nothing, something = w.fresh("nothing"), w.fresh("something")
    w.do(f"br i1 {idle}, label %{nothing}, label %{something}")
    w.start(nothing)
    w.do(done)
    w.start(something)


def _idle_sizes(kernel: KernelOp) -> list[Dim]:
    """
    The sizes that must not be zero for a kernel to store anything, if it returns where
    one is.
    """
    if LEAVES_IF_IDLE not in kernel.attributes:
        return []
    found = _common(kernel.body.block.ops)
    return [each for each in found if not isinstance(each, int) or each == 0]


def idle_condition(w: FunctionWriter, op: ForOp) -> str | None:
    """
    Writes whether a loop that stands in the kernel itself stores nothing, whatever its
    own size is; None where it always does, or the kernel has returned then.
    """
    kernel = op.parent_op()
    if not isinstance(kernel, KernelOp) or LEAVES_IF_IDLE not in kernel.attributes:
        return None
    known, inside = _idle_sizes(kernel), _common(op.body.block.ops)
    if len(op.accumulators) or any(each in known for each in inside):
        return None
    return _all_idle(w, op.body.block.ops)


def _all_idle(w: FunctionWriter, ops: Iterable[Operation]) -> str | None:
    """Writes whether none of some ops stores anything; None where one always does."""
    found: list[str] = []
    for op in ops:
        if isinstance(op, CheckIndexOp) or not _stores([op]):
            continue
        sizes: Sequence[Dim] = ()
        inside = None
        match op:
            case TileOp():
                sizes = op.sizes[:2]
            case ArgsortOp():
                sizes = op.sizes
            case ForOp():
                sizes, inside = [op.size], _all_idle(w, op.body.block.ops)
            case _:
                pass
        zeros = [w.same(w.size(each), "0") for each in sizes if not _is_some(each)]
        if inside is not None:
            zeros.append(inside)
        if not zeros:
            return None
        found.append(w.any_of(zeros))
    return w.both(found) if found else None


def _is_some(size: Dim) -> bool:
    """Whether a size is a number other than zero."""
    return isinstance(size, int) and size != 0


def skipping_sizes(op: ForOp) -> list[Dim]:
    """The sizes of loops inside a reduction that, when zero, leave its accumulator."""
    found: list[Dim] = []
    while len(op.accumulators) and (inner := _only_loop(op)) is not None:
        found.append(inner.size)
        op = inner
    return [each for each in found if not isinstance(each, int) or each == 0]


def _only_loop(op: ForOp) -> ForOp | None:
    """The only loop in a reduction, if it passes the accumulators through."""
    ops = [each for each in op.body.block.ops if isinstance(each, ForOp)]
    if len(ops) != 1 or _stores(
        each for each in op.body.block.ops if each is not ops[0]
    ):
        return None
    (inner,) = ops
    _, *carried = op.body.block.args
    end = op.body.block.last_op
    assert isinstance(end, YieldOp)
    passes = [*inner.initial] == carried and [*end.values] == [*inner.accumulators]
    return inner if passes and not _stores([inner]) else None


def _stores(ops: Iterable[Operation]) -> bool:
    """Whether something is stored by ops or inside them."""
    kinds = StoreOp | TileOp | ArgsortOp
    return any(isinstance(each, kinds) for op in ops for each in op.walk())


def _common(ops: Iterable[Operation]) -> Sequence[Dim]:
    """The sizes that, when one is zero, keep all of some ops from storing."""
    found: dict[Dim, None] | None = None
    for op in ops:
        if isinstance(op, CheckIndexOp) or not _stores([op]):
            continue
        here = _idle(op)
        found = (
            here if found is None else {each: None for each in found if each in here}
        )
    return [*(found or {})]


def _idle(op: Operation) -> dict[Dim, None]:
    """The sizes that, when one is zero, keep an op from storing."""
    match op:
        case TileOp():
            return dict.fromkeys(op.sizes[:2])
        case ArgsortOp():
            return dict.fromkeys(op.sizes)
        case ForOp():
            return {op.size: None} | dict.fromkeys(_common(op.body.block.ops))
        case _:
            return {}
