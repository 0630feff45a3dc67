"""
Choose how a contraction is blocked: the register tile, the blocks, and what is packed.

The model is that of Goto and van de Geijn (2008) and of BLIS (Van Zee and van de Geijn,
2015). MR x NR accumulators, a row of B, an element of A and a spare fit the vector
registers; a panel of KC x NR fits the first cache; a block of KC x NC of B, or of
MC x KC of A, stays in the second while all that is multiplied with it goes by. Sums do
not depend on any of it, to the bit.

Where no measurement is named, a constant was chosen by hand when the first kernels were
blocked, and candidates around it (`candidates.py`) were not faster for most shapes
(`docs/performance.md`, "Tuning").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import FixedBitwidthType

from ...dialects import Dim, product
from ...dialects.loop import (
    IN_FLIGHT,
    OWN,
    LoadOp,
    PreferenceAttr,
    ScheduleAttr,
    TargetAttr,
    TileOp,
    element_type,
)
from .register_tile import (
    MANY,
    SPARE,
    choose_nr,
    known,
    most_rows,
    round_up,
    streamed_nr,
)

SCRATCH = 1 << 18
"""
Bytes on the stack that B may be packed into; A gets half as many. With 1 MiB products
of 1024 are 8 % faster, but a thread's stack is no place for that
(`docs/performance.md`, "Products").
"""

_FEW = 8
"""Rows below which packing B does not pay, and that are streamed; chosen by hand."""

_MANY_ROWS = 48
"""Rows of a block, at least, for which panels may exceed half of the second cache."""

_REUSED = 16
"""Panels that must read a block of A for packing it to pay: for eight it did not."""

_CONVERTED = 64
"""
Rows for which B is packed where the k-loop would widen it from bf16: then products are
as fast as in f32 (`docs/performance.md`, "Weights of bf16").
"""

_SMALL = 1 << 13
"""Multiply-adds below which nothing is packed; chosen by hand."""

KIB = 1024

_PAGE = 4096

_LINES = 8
"""Streams of memory that a processor prefetches side by side; chosen by hand."""

_CONFLICT = 2048
"""
Rows of A that are a multiple of so many bytes apart share two of 64 sets of a first
cache with lines of 64 bytes, and evict each other.
"""


@dataclass(frozen=True)
class Choice:
    """MR, NR and lanes of a register tile, and its schedule."""

    mr: int
    nr: int
    lanes: int
    schedule: ScheduleAttr


def most_kc(nr: int, bytes: int, target: TargetAttr) -> int:
    """
    KC at most: a panel may be half as large again as the first cache. What of it comes
    from the second is read in order, and prefetched.
    """
    return max(3 * target.l1.data * KIB // (2 * nr * bytes), 1)


def choose_blocking(
    tile: TileOp, target: TargetAttr, preference: PreferenceAttr = OWN
) -> Choice | None:
    """The blocking of a tile; None where operands are read as they lie."""
    factors = tile.factors()
    rows, columns, *reduced = tile.sizes
    if factors is None or not reduced or any(size == 0 for size in tile.sizes):
        return None
    a, b = factors
    type = tile.initial.type
    assert isinstance(type, FixedBitwidthType)
    if b.at.blocked is not None:
        nr = b.at.blocked.width
        lanes = min(nr, target.lanes(type.bitwidth))
        # Panels of bf16 are widened once for a block, or by the k-loop of each tile.
        widens = bool(tile.made_of(b)) and b.at.vnni is None
        packs_b = widens and _times_used(tile, b) >= _CONVERTED
    elif preference.packs("b", _pays_to_pack(tile, b)):
        wanted = preference.nr.data
        nr, lanes = choose_nr(columns, type.bitwidth, target, wanted)
        packs_b = True
    else:
        return _stream(tile, target, b, preference)
    over = loops_over(tile, b)
    return _Chooser(
        tile, target, preference, type.bitwidth // 8, nr, lanes, over
    ).choose(rows, columns, reduced, a, packs_b)


def loops_over(tile: TileOp, b: LoadOp) -> list[Dim]:
    """The sizes of the loops around a tile along which B stays the same."""
    sizes: list[Dim] = []
    for loop in tile.around:
        if loop.index in b.indices:
            break
        sizes.append(loop.size)
    return sizes


def _times_used(tile: TileOp, b: LoadOp) -> int:
    """How often an element of B is used at least, for all that is known."""
    sizes = (tile.sizes[0], *loops_over(tile, b))
    return prod(each for each in sizes if isinstance(each, int))


def _pays_to_pack(tile: TileOp, b: LoadOp) -> bool:
    """Whether B is worth packing: many rows use what is packed once."""
    rows, columns, *reduced = (known(each) for each in tile.sizes)
    rows = known(product([rows, *map(known, loops_over(tile, b))]))
    multiply_adds = known(product([rows, columns, *reduced]))
    return rows >= _FEW and columns > 1 and multiply_adds >= _SMALL


def _stream(
    tile: TileOp, target: TargetAttr, b: LoadOp, preference: PreferenceAttr
) -> Choice | None:
    """
    The blocking for few rows and long lines of B: KC is as many lines as a processor
    prefetches side by side.
    """
    rows, columns, *reduced = tile.sizes
    type = tile.initial.type
    assert isinstance(type, FixedBitwidthType)
    lanes = target.lanes(type.bitwidth)
    strides = dict(b.at.terms)
    _, column, *_, last, _ = tile.k_loop.block.args
    pitch = strides.get(last, 0)
    if not isinstance(rows, int) or not isinstance(columns, int) or rows > _FEW:
        return None
    if len(reduced) != 1 or known(reduced[0]) < 4 * _LINES or not can_split_k(tile):
        return None
    if strides.get(column) != 1 or not isinstance(pitch, int):
        return None
    if pitch * type.bitwidth // 8 < _PAGE // 2 or columns % lanes:
        return None
    nr = streamed_nr(rows, columns, lanes, target, preference.nr.data)
    kc = preference.kc.data or _LINES
    return Choice(rows, nr, lanes, ScheduleAttr.of(nr, rows, columns, kc, 0, ""))


def can_split_k(tile: TileOp) -> bool:
    """Whether accumulators can be stored where the result goes, between blocks of k."""
    store = tile.store
    if store is None or tile.is_in_place:
        return False
    if element_type(store.buffer) != tile.initial.type:
        return False
    column = tile.epilogue.block.args[1]
    return dict(store.at.terms).get(column, 0) == 1


@dataclass(frozen=True)
class _Chooser:
    """What is known of one tile."""

    tile: TileOp
    target: TargetAttr
    preference: PreferenceAttr
    bytes: int
    nr: int
    lanes: int
    over: list[Dim]

    @property
    def l2(self) -> int:
        """Bytes of the second cache."""
        return self.target.l2.data * KIB

    @property
    def k_group(self) -> int:
        """How many k share a word of a panel: those of one block, 1 without words."""
        factors = self.tile.factors()
        word = None if factors is None else factors[1].at.vnni
        return 1 if word is None else word.width

    def choose(
        self,
        rows: Dim,
        columns: Dim,
        reduced: Sequence[Dim],
        a: LoadOp,
        packs_b: bool,
    ) -> Choice | None:
        """The register tile and the blocks."""
        vectors = self.nr // self.lanes
        mr = max(most_rows(vectors, self.target, self.preference.mr.data), 1)
        # Rows are partitioned evenly, so that no register tile is left with few.
        mr = -(-known(rows) // -(-known(rows) // mr)) if known(rows) else mr
        few = known(product([known(rows), *map(known, self.over)])) <= mr
        narrows = bool(self.tile.made_of(a))
        block = self.block_k(reduced, few and not packs_b)
        if narrows and block is not None and not self.fits_whole(reduced, mr):
            # A is packed when it is rounded to bf16, a block of k at a time.
            block = self.block_k(reduced, False)
        if block is None:
            return None
        axis, count = block
        inner = product(reduced[axis + 1 :])
        assert isinstance(inner, int)
        kc = count * inner
        # The bytes of a column of a block of B, and of a row of one of A.
        line = kc * self.bytes
        if packs_b and SCRATCH < line * self.nr:
            return None
        mc = max(min(self.l2 // 4, SCRATCH // 2) // line // mr * mr, mr)
        mc = min(mc, round_up(known(rows), mr))
        if wanted := self.preference.mc.data:
            mc = min(mc, round_up(wanted, mr))
        nc = self.choose_nc(
            columns, line, packs_b, few, known(rows) >= mc >= _MANY_ROWS
        )
        packed = ["a"] if self.packs_a(a, mr, nc, kc) else []
        packed += ["b"] if packs_b else []
        schedule = ScheduleAttr.of(
            self.nr, mc, nc, count, axis, " and ".join(packed), len(self.over)
        )
        return Choice(mr, self.tile_columns(mr, few, columns), self.lanes, schedule)

    def choose_nc(
        self, columns: Dim, line: int, packs_b: bool, few: bool, many: bool
    ) -> int:
        """
        NC, where a column of a block takes `line` bytes.

        Many rows use a panel while it is in the first cache, so that panels may come
        from beyond the second; for fewer rows the block stays in the second.
        """
        bytes = self.l2 * 2 if many else self.l2 // 2
        if packs_b:
            bytes = min(self.l2 // 2, SCRATCH)
        elif few:
            bytes = MANY * line
        if wanted := self.preference.nc.data:
            bytes = min(wanted * line, SCRATCH if packs_b else MANY * line)
        nc = max(bytes // line // self.nr, 1) * self.nr
        if isinstance(columns, int):
            blocks = -(-columns // nc)
            nc = round_up(-(-columns // blocks), self.nr)
        return nc

    def fits_whole(self, reduced: Sequence[Dim], mr: int) -> bool:
        """Whether MR whole rows of A fit the scratch memory."""
        return known(product(reduced)) * self.bytes * mr <= SCRATCH // 2

    def tile_columns(self, mr: int, few: bool, columns: Dim) -> int:
        """The columns of the register tile: several panels beside few rows."""
        vectors = self.nr // self.lanes
        if not few:
            return self.nr
        most = (self.target.registers.data - SPARE) // (mr + 1)
        panels = max((IN_FLIGHT if mr == 1 else most) // vectors, 1)
        return min(panels, max(known(columns) // self.nr, 1)) * self.nr

    def block_k(self, reduced: Sequence[Dim], few: bool) -> tuple[int, int] | None:
        """The reduced index that is split into blocks, and how much of it is one."""
        first = reduced[0]
        whole = product(reduced)
        wanted = self.preference.kc.data
        if (few and not wanted) or not can_split_k(self.tile):
            if isinstance(whole, int) and isinstance(first, int):
                return 0, first
            return None
        most = wanted or most_kc(self.nr, self.bytes, self.target)
        for axis, size in enumerate(reduced):
            inner = product(reduced[axis + 1 :])
            if isinstance(inner, int) and inner <= most:
                count = max(most // inner, 1)
                if isinstance(size, int):
                    blocks = -(-size // count)
                    count = -(-size // blocks)
                # A word of the VNNI layout is in one block.
                return axis, round_up(count, self.k_group)
            if not isinstance(size, int):
                return None
        return None

    def packs_a(self, a: LoadOp, mr: int, nc: int, kc: int) -> bool:
        """Whether A is packed: where its rows would evict each other from the cache."""
        if self.tile.made_of(a):
            # What is rounded is rounded once.
            return kc * self.bytes * mr <= SCRATCH // 2
        if mr == 1 or kc * self.bytes * mr > SCRATCH // 2:
            return False
        own = self.rows_collide(a) and nc >= _REUSED * self.nr
        return self.preference.packs("a", own)

    def rows_collide(self, a: LoadOp) -> bool:
        """
        Whether rows are scattered, or so far apart that they share few cache sets.
        """
        row, _, *_, last, _ = self.tile.k_loop.block.args
        pitch = a.at.step(row)
        if not isinstance(pitch, int) or a.at.step(last) != 1:
            return True
        return pitch * self.bytes % _CONFLICT == 0
