"""
Choose for each loop nest the loop whose bodies run side by side in vectors.

Here the target has vectors of 256 bits.

Before:

    loop.for parallel %i to 64 {
      %x = loop.load %a[%i] : memref<?xf32>
      loop.store %x, %b[%i] : memref<?xf32>
      loop.yield
    }

After:

    loop.for parallel %i to 64 lanes 8 { … }

It is the loop along which most loads and stores are contiguous. Where loops follow each
other inside of a loop over rows, it is each of them, or the loop over rows. The bodies
that are left over at the end run one by one, by the same arithmetic. A loop that
reduces gets an accumulator for each lane, and these are combined at its end. Where the
order tells, as in sums of floats, the number of elements and the target alone decide
it: such a loop gets `partials` as many as lanes fit a vector, whether it is the loop
along the vectors or not. Where short rows become one element each, by loops along
vectors, what becomes of as many rows as lanes is computed side by side:

    loop.for parallel %i to 64 lanes 8 {
      %sum = loop.for reduce(add) %k to 51 lanes 8 vectors 4 partials 8 (…) { … }

Rows that are so short that registers hold them are lanes as well, whatever is done to
them (`hold-rows`). The bodies of an ordered loop never run side by side, nor those that
store to one address; but several walks do, where each body of a walk looks up what the
one before says. A nest that has lanes or partials already keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import Dim
from ....dialects.loop import (
    ArgsortOp,
    ForOp,
    KernelOp,
    LoadOp,
    PrefetchOp,
    SplitIndexOp,
    StoreOp,
    TargetAttr,
    TileOp,
    can_mask,
    is_strided,
    target_of,
)
from ....dialects.scalar import rounds
from ...cost import MAX_SHORT_BODY, constants_of
from ..short_rows import stages_of_short_rows

_WEIGHT_PER_DEPTH = 256
"""How much more an access counts for each loop that it is deeper; chosen by hand."""

_FUNCTION = 8
"""What a function gains in lanes, as an access of elements that lie apart loses one."""

_MANY_CONSTANTS = 8
"""Numbers that a function needs, at least, to be one of many instructions."""

_MAX_ROW = 32
"""
Vectors of a row, at most, that is a lane beside others: of rows of two vectors a sum
takes 0.68 of the time, of more than these 0.95 to 1.03.
"""

_WIDTHS = 3
"""Widths of vectors that are tried where bodies are left over, each half of another."""

_WALK = 1
"""What a loop gains whose bodies walk from place to place; chosen by hand."""


@dataclass(frozen=True)
class VectorizeLoops(ModulePass):
    """Sets the lanes of one loop of each nest."""

    name = "vectorize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            target = target_of(op)
            for root in nests(kernel.body.block):
                if _is_chosen(root):
                    continue
                for loop in _sums(root):
                    loop.partials = IntegerAttr(_partials(loop, target), i64)
                for loop in _choose(root, target, 1)[1]:
                    loop.lanes = IntegerAttr(_fitting(loop, target), i64)
                    if (vectors := _vectors_of(loop, target)) > 1:
                        loop.vectors = IntegerAttr(vectors, i64)
                for loop in [each for each in root.walk() if isinstance(each, ForOp)]:
                    if lanes := _rows_at_once(loop):
                        loop.lanes = IntegerAttr(lanes, i64)


def nests(block: Block) -> Iterator[ForOp]:
    """
    The outermost loops of a block without tiles, which are vectors already, and without
    rows that are sorted one by one.
    """
    for op in block.ops:
        if isinstance(op, ForOp):
            if not any(isinstance(each, TileOp | ArgsortOp) for each in op.walk()):
                yield op


def _is_chosen(root: ForOp) -> bool:
    """Whether a nest has lanes or partial results already."""
    loops = (each for each in root.walk() if isinstance(each, ForOp))
    return any(each.width > 1 or each.partials is not None for each in loops)


def _sums(root: ForOp) -> Iterator[ForOp]:
    """The loops of a nest in which the order of elements tells."""
    for op in root.walk():
        if isinstance(op, ForOp) and op.combine is not None:
            if any(rounds(op.combine.data, each.type) for each in op.initial):
                yield op


def _rows_at_once(rows: ForOp) -> int:
    """
    How many rows are lanes: as many as the vectors have that combine each of them,
    where rows are short, and are nothing but what they combine to; else 0.
    """
    ops = rows.body.block.ops
    inner = [each for each in ops if isinstance(each, ForOp)]
    if rows.kind != "parallel" or rows.width > 1 or not all(map(_is_row, inner)):
        return 0
    lanes, *others = {each.width for each in inner} or {1}
    is_few = isinstance(rows.size, int) and rows.size < lanes
    rest = [each for each in ops if each not in inner]
    if others or lanes == 1 or is_few or not all(map(_is_simple, rest)):
        return 0
    return 0 if any(_is_shared(each, rows.index) for each in rest) else lanes


def _is_simple(op: Operation) -> bool:
    """Whether an op may be in the lanes of rows."""
    return not op.regions and not isinstance(op, SplitIndexOp | PrefetchOp)


def _is_row(loop: ForOp) -> bool:
    """Whether a loop combines the elements of a short row."""
    if loop.combine is None or any(each.regions for each in loop.body.block.ops):
        return False
    return isinstance(loop.size, int) and 1 <= loop.size // loop.width <= _MAX_ROW


def _partials(loop: ForOp, target: TargetAttr) -> int:
    """The partial results of a sum: as many as fit a vector, whatever is summed up."""
    types = (each.type for each in loop.initial)
    widths = [each.bitwidth for each in types if isinstance(each, FixedBitwidthType)]
    return target.lanes(max(widths))


def _choose(loop: ForOp, target: TargetAttr, depth: int) -> tuple[int, list[ForOp]]:
    """
    What a nest gains from vectors, and the loops to run so: this one, or those inside.

    An access counts for more than any number of those less deep. A loop that combines
    fewer elements than a vector has would have none.
    """
    ops = loop.body.block.ops
    loops = [each for each in ops if isinstance(each, ForOp)]
    inner = [_choose(each, target, depth + 1) for each in loops]
    score = sum(each for each, _ in inner)
    best = [each for _, loops in inner for each in loops]
    if loop.kind == "ordered" or any(isinstance(each, SplitIndexOp) for each in ops):
        return score, best
    lanes = _fitting(loop, target)
    if loop.combine is not None and isinstance(loop.size, int) and loop.size < lanes:
        return score, best
    if lanes == target.lanes(_widest(loop)) and stages_of_short_rows(loop):
        return _FUNCTION * _WEIGHT_PER_DEPTH**depth, [loop]
    accesses = [each for each in loop.walk() if isinstance(each, LoadOp | StoreOp)]
    if any(_is_shared(each, loop.index) for each in accesses):
        return score, best
    if any(isinstance(each, ForOp) and _is_walk(each) for each in ops):
        return _WALK * _WEIGHT_PER_DEPTH**depth, [loop]

    def weigh(gains: Iterable[tuple[Operation, int]]) -> int:
        return sum(n * _WEIGHT_PER_DEPTH ** _loops_around(e, loop) for e, n in gains)

    computed = list(_computed(loop))
    own = weigh((each, _gain(each, loop.index, lanes)) for each in accesses)
    chains = (each for each in computed if constants_of([each]) >= _MANY_CONSTANTS)
    own += weigh((each, _FUNCTION) for each in chains)
    if own > 0:
        # What else is computed decides between loops, but makes no loop worth it.
        own += weigh((each, 1) for each in computed)
    own *= _WEIGHT_PER_DEPTH**depth
    return (own, [loop]) if own > max(score, 0) else (score, best)


def _computed(loop: ForOp) -> Iterator[Operation]:
    """The arithmetic that depends on an index, which bodies do side by side."""
    differing = {loop.index}
    for op in loop.walk():
        if isinstance(op, ForOp):
            # What is combined in the bodies of a loop inside depends on them.
            inner = (*op.body.block.args[1:], *op.results) if op is not loop else ()
            differing.update(inner)
            continue
        at = op.at.indices if isinstance(op, LoadOp | StoreOp) else ()
        if not differing.isdisjoint((*op.operands, *at)):
            differing.update(op.results)
            if op.results and not isinstance(op, LoadOp):
                yield op


def _is_walk(loop: ForOp) -> bool:
    """
    Whether each body of an ordered loop looks up where the one before says: it waits
    for memory, and walks in other lanes need not wait for it.
    """
    if loop.kind != "ordered":
        return False
    loads = (each for each in loop.body.block.ops if isinstance(each, LoadOp))
    before = loop.body.block.args[1:]
    return any(
        _depends(index, each)
        for load in loads
        for index, _ in load.at.terms
        for each in before
    )


def _loops_around(access: Operation, loop: ForOp) -> int:
    """How many loops inside of `loop` an access is in, and moves with if it loads."""
    count, parent = 0, access.parent_op()
    while parent is not loop:
        assert parent is not None, "the access is inside of the loop"
        stays = (
            isinstance(access, LoadOp)
            and isinstance(parent, ForOp)
            and not any(
                stride != 0 and _depends(each, parent.index)
                for each, stride in access.at.terms
            )
        )
        count, parent = count + (not stays), parent.parent_op()
    return count


def _is_shared(access: Operation, index: SSAValue) -> bool:
    """
    Whether all bodies of a loop store to one address, as where a tensor is empty and
    its strides are 0: no such body ever runs.
    """
    return isinstance(access, StoreOp) and not any(
        stride != 0 and _depends(each, index) for each, stride in access.at.terms
    )


def _gain(access: LoadOp | StoreOp, index: SSAValue, lanes: int) -> int:
    """How much an access gains when bodies of a loop run side by side, in lanes."""
    step: Dim = 0
    for each, stride in access.at.terms:
        if each is index:
            step = stride
        elif _depends(each, index):
            # An index that is looked up may differ in every lane.
            return -1
    if step == 1:
        return 3 if isinstance(access, StoreOp) else 2
    if isinstance(access, LoadOp) and is_strided(step, lanes):
        return 1
    if isinstance(access, StoreOp) and access.woven(index):
        return 1
    return 0 if step == 0 else -1


def _depends(value: SSAValue, index: SSAValue) -> bool:
    """Whether `value` is computed from `index`."""
    waiting, seen = [value], {value}
    while waiting:
        each = waiting.pop()
        if each is index:
            return True
        if not isinstance(owner := each.owner, Block):
            waiting += (other for other in owner.operands if other not in seen)
            seen.update(owner.operands)
    return False


def _widest(loop: ForOp) -> int:
    """The bits of the widest element that the loop computes with."""
    widths = [8]
    for op in loop.walk():
        for value in (*op.operands, *op.results):
            if isinstance(value.type, FixedBitwidthType):
                widths.append(value.type.bitwidth)
    return max(widths)


def _vectors_of(loop: ForOp, target: TargetAttr) -> int:
    """How many vectors run in one step, so that there is always one to go on with."""
    ops = list(loop.body.block.ops)
    if any(isinstance(each, ForOp) for each in ops):
        return 1
    if needed := constants_of(ops):
        # Beside the numbers that all of them need, each has one of its own.
        return 4 if needed <= target.registers.data else 1
    accesses = [each for each in ops if isinstance(each, LoadOp | StoreOp)]
    lanes = _fitting(loop, target)
    apart = any(_gain(each, loop.index, lanes) < 0 for each in accesses)
    if apart or len(ops) > MAX_SHORT_BODY:
        return 1
    is_small = isinstance(loop.size, int) and loop.size < 4 * loop.width
    return 1 if loop.combine is None and is_small else 4


def _fitting(loop: ForOp, target: TargetAttr) -> int:
    """
    The lanes for a loop: no more than it has bodies, unless their order matters, and
    fewer where what is left over would be many bodies, each by itself.
    """
    if loop.partials is not None:
        return loop.partials.value.data
    lanes, size = target.lanes(_widest(loop)), loop.size
    if loop.combine is not None or not isinstance(size, int):
        return lanes
    while lanes > max(size, 1):
        lanes //= 2
    # Where no bodies are left over, nothing needs a mask.
    if size % lanes == 0 or can_mask(loop.body.block.ops, loop.index, target):
        return lanes
    fewer = (lanes >> each for each in range(_WIDTHS) if lanes >> each)
    return min(fewer, key=lambda each: size // each + size % each)
