"""
Choose how much of a loop is written out, once its sizes are settled.

Bits do not depend on it. Where no measurement is named, a constant was chosen by hand.
"""

from __future__ import annotations

from xdsl.dialects import arith

from ...dialects import ELEMENT_TYPES, product
from ...dialects.loop import (
    ArgsortOp,
    CheckIndexOp,
    ForOp,
    KernelOp,
    LoadOp,
    PreferenceAttr,
    ScheduleAttr,
    StoreOp,
    TargetAttr,
    TileOp,
    YieldOp,
    byte_count,
    can_mask,
    element_type,
)
from .functions import constants_of
from .register_tile import count_dots, size_or_open
from .words import isa_of

MAX_UNROLLED_K = 4
"""
k in one pass of a microkernel's loop: it takes 5 instructions more, for one k or for
four. Where two hardware threads share a core these took 10 to 25 % of the time
(`docs/performance.md`); with 8, LLVM spills accumulators.
"""

_MAX_UNROLLED_TAPS = 9
"""k that are all written out, at most: a window of three by three."""

_MAX_UNROLLED_BY_LLVM = 16
"""Iterations of an innermost loop, at most, that LLVM may unroll wholly."""

_BEYOND = 2
"""
Second caches that a result fills, at least, for the lines it takes to come from beyond:
of 2.4 or more the first layers of mobilenet_v2 and resnet50 took 0.88 and 0.92 of the
time with them prefetched, of 1.7 a layer of mobilenet_v2 took 1.04 (Zen 4).
"""

_MAX_TILES = 40
"""
The most register tiles of a block of rows that prefetch the next panel: of many tiles
only the first waits for its panel.
"""

MAX_SHORT_BODY = 12
"""
Ops of a body, at most, that is written for several vectors or accumulators: a shorter
one ends before its accumulator, or a load, is ready.
"""

_ACCUMULATORS_PER_BODY = 4
"""How many times as many accumulators there are as of one body, to be summed up."""

_MAX_UNROLLED_BODIES = 32
"""Bodies, at most, that are written one after the other."""

_MAX_SINGLE = 2
"""Bodies left, at most, that are written one by one where their number is known."""

_BYTES_AHEAD = 8192
"""
How far ahead words of steps are prefetched: a row by 92 MB of them took 0.91 of the
time, 0.97 with half or twice as much (Zen 4).
"""

_PANEL_BYTES_AHEAD = 3072
"""
How far ahead rows of panels are fetched into the first cache. On a Skylake, AVX-512 and
AVX2, products of 256 to 1,024 rows take 0.83 to 0.95 of the time, of 4 to 12 rows 0.65
to 0.83; with a third of it those of many rows take as long.
"""

_FEW_TILES = 2
"""
Register tiles of a block, at most, for which a panel is fetched ahead even where the
first cache would hold it: they are too few to find it there.
"""

_VECTORS_PER_BRANCH = 4
"""Vectors of indices that a check compares for each branch."""

_MAX_INSERTED = 24
"""Elements, at most, that insertion sorts in less time than digits do; measured."""


def equal_blocks(size: int, most: int) -> int:
    """
    How many values of an index of this size a block has, of at most `most`: as few
    blocks as there can be, or up to half more where all are then equal and of whole
    unrolled k. So nothing is left, and `share-kernels` finds products of many depths
    alike.
    """
    fewest = -(-size // most)
    equal = (
        count
        for count in range(fewest, fewest * 3 // 2 + 1)
        if size % (count * MAX_UNROLLED_K) == 0
    )
    return -(-size // next(equal, fewest))


def k_at_once(tile: TileOp, preference: PreferenceAttr) -> int:
    """The k of a contraction that are written one after the other."""
    if tile.schedule is None:
        # All, else the innermost where a window slides along the rows.
        reduced = tile.sizes[2:]
        for inner in (reduced, reduced[-1:] if tile.slides else ()):
            count = product(inner)
            if isinstance(count, int) and count <= _MAX_UNROLLED_TAPS:
                return count
        return 1
    most = preference.unroll.data or MAX_UNROLLED_K
    count = _k_of_loop(tile, tile.schedule)
    return next((each for each in range(most, 1, -1) if count % each == 0), most)


def _k_of_loop(tile: TileOp, schedule: ScheduleAttr) -> int:
    """The k, or words of k, of the loop of a block that is unrolled; 1 if unknown."""
    first, *inner = tile.sizes[2 + schedule.axis.data :]
    kc = schedule.values_in_block(first)
    count = 1
    if isinstance(first, int) and isinstance(kc, int):
        count = first if not 0 < kc < first else kc if first % kc == 0 else 1
    if schedule.packs("a"):
        factors = tile.factors()
        word = None if factors is None else factors[1].at.vnni
        count = (
            count * size_or_open(product(inner)) // (1 if word is None else word.width)
        )
    elif inner:
        count = size_or_open(inner[-1])
    return count


def bytes_ahead(tile: TileOp) -> int:
    """
    The bytes of the next panel that a register tile prefetches for each k, or how far
    ahead of each word of steps.
    """
    if count_dots(tile):
        return _BYTES_AHEAD
    factors, schedule = tile.factors(), tile.schedule
    if factors is None or schedule is None:
        return 0
    _, b = factors
    if b.at.blocked is None:
        return 0
    if schedule.packs("b") and not ELEMENT_TYPES[b.element].is_half:
        return 0
    tiles = _tiles_of(tile, schedule)
    each = -(-schedule.nr.data * byte_count(b.element) // max(tiles, 1))
    return each if 2 <= tiles <= _MAX_TILES else 0


def k_ahead(tile: TileOp, target: TargetAttr) -> int:
    """
    How many k ahead a register tile fetches rows of its own panel into the first cache;
    0 where they are still there from the tiles before, and for words and steps, whose
    k-loops are others.
    """
    factors, schedule = tile.factors(), tile.schedule
    if factors is None or schedule is None:
        return 0
    _, b = factors
    is_packed = schedule.packs("b")
    if not is_packed and (b.at.blocked is None or tile.beside):
        return 0
    packs_both = is_packed and schedule.packs("a")
    if b.at.vnni is not None or isa_of(tile, target, packs_both) is not None:
        return 0
    size = byte_count(tile.initial.type if is_packed else b.element)
    mr, nr, _ = tile.register_tile
    if mr < schedule.ROWS_AHEAD:
        return 0
    reduced = tile.sizes[2 + schedule.axis.data :]
    depth = product([schedule.values_in_block(reduced[0]), *reduced[1:]])
    bytes = (mr + nr) * size_or_open(depth) * size
    if bytes <= target.l1.data << 10 and _tiles_of(tile, schedule) > _FEW_TILES:
        return 0
    return max(_PANEL_BYTES_AHEAD // (schedule.nr.data * size), 1)


def _tiles_of(tile: TileOp, schedule: ScheduleAttr) -> int:
    """How many register tiles, one below the other, read a panel of a block."""
    mr, _, _ = tile.register_tile
    return -(-min(size_or_open(tile.sizes[0]), schedule.mc.data) // mr)


def fetches(tile: TileOp, target: TargetAttr) -> bool:
    """Whether the lines that a product stores come from beyond the second cache."""
    store = tile.store
    if store is None or tile.factors() is None:
        return False
    sizes = (*tile.sizes[:2], *(each.size for each in tile.around))
    bytes = product([*sizes, byte_count(element_type(store.buffer))])
    return isinstance(bytes, int) and bytes > _BEYOND * (target.l2.data << 10)


def bodies_at_once(loop: ForOp) -> int:
    """The bodies of a sum across vectors that are written one after the other."""
    body = loop.body.block
    if loop.partials is None or loop.width > 1 or len(body.ops) > MAX_SHORT_BODY:
        return 1
    if constants_of(body.ops):
        return 1
    few, unit = min(loop.units), max(loop.units)
    inside = [each.size for each in body.walk() if isinstance(each, ForOp)]
    is_known = all(isinstance(each, int) and each for each in inside)
    is_once = isinstance(loop.size, int) and loop.size // unit == 1
    vectors = _vectors_around(loop)
    if is_once and is_known and unit * vectors <= _MAX_UNROLLED_BODIES:
        return unit
    bodies = few // (_ACCUMULATORS_PER_BODY * vectors)
    return max(bodies, 1) * _ACCUMULATORS_PER_BODY


def _vectors_around(loop: ForOp) -> int:
    """The vectors of columns that a loop over rows is computed for."""
    around = loop.parent_op()
    count = 1
    while isinstance(around, ForOp):
        count *= around.several
        around = around.parent_op()
    return count


def masks_rest(loop: ForOp, target: TargetAttr) -> bool:
    """
    Whether bodies left over are lanes of one vector: no sum goes through them, none is
    a row, and they are more than few.
    """
    inside = (each for each in loop.body.block.ops if isinstance(each, ForOp))
    if loop.width == 1 or loop.initial or any(each.width > 1 for each in inside):
        return False
    if isinstance(loop.size, int) and loop.size % loop.width <= _MAX_SINGLE:
        return False
    return can_mask(loop.body.block.ops, loop.index, target)


def vectors_checked(op: CheckIndexOp, target: TargetAttr) -> int:
    """The vectors of indices that are compared for each branch; 0 for scalars."""
    _, step = op.range
    # SSE and NEON compare two indices at a time, which gains nothing.
    return _VECTORS_PER_BRANCH if step == 1 and target.vector.data > 128 else 0


def most_inserted(op: ArgsortOp) -> int | None:
    """
    The elements of a row, at most, that is sorted by insertion, where rows are sorted
    whole. A selection of a known count from a row of open size seldom sorts it whole.
    """
    count, size = op.sizes
    if isinstance(count, int) != isinstance(size, int):
        return None
    is_part = isinstance(count, int) and count != size
    return None if is_part else _MAX_INSERTED


def vectors_at_once(loop: ForOp) -> int:
    """
    The vectors of a short loop that are written one after the other where few passes
    run: all of them. Else LLVM unrolls it.
    """
    if loop.width == 1 or loop.several > 1 or not isinstance(loop.size, int):
        return loop.several
    return max(loop.size // loop.width, 1)


def needs_few_passes(kernel: KernelOp) -> bool:
    """Whether contractions leave LLVM nothing to unroll."""
    return any(
        _is_written_out(each) for each in kernel.walk() if isinstance(each, TileOp)
    )


def moves_alone(kernel: KernelOp, target: TargetAttr) -> bool:
    """
    Whether all that a kernel does is to move elements that lie side by side, or to
    store the same ones, in vectors: each has its own address, and nothing is computed.
    """
    loops: list[ForOp] = []
    for each in kernel.body.walk():
        if not isinstance(each, _MOVING):
            return False
        if isinstance(each, ForOp):
            loops.append(each)
    return bool(loops) and all(_is_moved(each, target) for each in loops)


_MOVING = (ForOp, LoadOp, StoreOp, YieldOp, arith.ConstantOp)
"""What a kernel that only moves is made of."""


def _is_moved(loop: ForOp, target: TargetAttr) -> bool:
    """Whether a loop is around others, or moves vectors."""
    ops = loop.body.block.ops
    if any(isinstance(each, ForOp) for each in ops):
        return loop.width == 1
    if loop.initial or loop.width == 1 or not can_mask(ops, loop.index, target):
        return False
    # A loop over two elements that are left is LLVM's to unroll.
    is_whole = isinstance(loop.size, int) and loop.size % loop.width < _MAX_SINGLE
    return loop.masked is not None or is_whole


def _is_written_out(tile: TileOp) -> bool:
    """Whether a contraction leaves LLVM nothing to unroll."""
    is_blocked, sizes = tile.schedule is not None, tile.sizes
    count = sizes[-1] if is_blocked else product(sizes[2:])
    most = _MAX_UNROLLED_BY_LLVM if is_blocked else _MAX_UNROLLED_TAPS
    return is_blocked != (isinstance(count, int) and count <= most)
