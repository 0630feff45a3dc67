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

from xdsl.dialects.builtin import FixedBitwidthType

from ...dialects import Dim, product
from ...dialects.loop import (
    FEW_ROWS,
    Isa,
    LoadOp,
    PreferenceAttr,
    ScheduleAttr,
    StrategyAttr,
    TargetAttr,
    TileOp,
    element_type,
)
from .around import loops_in_blocks, loops_over
from .borders import choose_rows, goes_by_lines
from .collisions import panels_that_pay
from .register_tile import (
    OPEN_COUNT,
    SPARE,
    choose_nr,
    most_rows,
    round_up,
    size_or_open,
    spare_registers,
    streamed_nr,
)
from .unrolling import equal_blocks
from .words import isa_of, packed_bytes

SCRATCH = 1 << 18
"""
Bytes on the stack that B may be packed into; A gets half as many. A thread's stack is
no place for more: what is larger, and of known sizes, `pack-operands` packs before.
"""

_MANY_ROWS = 24
"""Rows of a block, at least, for which panels may exceed half of the second cache."""

KIB = 1024

_FROM_L3 = 4096 * KIB
"""Bytes of a block of B, at least, for many rows: with half of it A is packed twice."""

_PAGE = 4096

_STREAMS = 8
"""Streams of memory that a processor prefetches side by side; chosen by hand."""


@dataclass(frozen=True)
class Blocking:
    """MR, NR and lanes of a register tile, and its schedule."""

    mr: int
    nr: int
    lanes: int
    schedule: ScheduleAttr


def choose_blocking(
    tile: TileOp, strategy: StrategyAttr, target: TargetAttr, preference: PreferenceAttr
) -> Blocking | None:
    """The blocking of a tile; None where operands are read where they lie."""
    factors, kind = tile.factors(), strategy.kind.data
    if factors is None or kind in ("plain", "depthwise"):
        return None
    a, b = factors
    if kind == "gemv":
        return stream(tile, target, b, preference)
    rows, columns, *reduced = tile.sizes
    chooser = _Chooser.of(tile, strategy, target, preference)
    return chooser.choose(rows, columns, reduced, a, kind in ("gemm", "widened"))


def pays_to_pack_a(
    tile: TileOp,
    choice: Blocking,
    strategy: StrategyAttr,
    target: TargetAttr,
    preference: PreferenceAttr,
) -> bool:
    """Whether packing A pays for these blocks, where B is in panels."""
    factors, schedule = tile.factors(), choice.schedule
    assert factors is not None, "a schedule is for products"
    inner = product(tile.sizes[2 + schedule.axis.data + 1 :])
    assert isinstance(inner, int), "what is inside of a block has a known size"
    chooser = _Chooser.of(tile, strategy, target, preference)
    kc = schedule.kc.data * inner
    return chooser.packs_a(factors[0], choice.mr, schedule.nc.data, kc)


def bits_of(tile: TileOp) -> int:
    """The bits of an accumulator."""
    type = tile.initial.type
    assert isinstance(type, FixedBitwidthType)
    return type.bitwidth


def stream(
    tile: TileOp, target: TargetAttr, b: LoadOp, preference: PreferenceAttr
) -> Blocking | None:
    """
    The blocking for few rows and long lines of B: KC is as many lines as a processor
    prefetches side by side.
    """
    rows, columns, *reduced = tile.sizes
    bits = bits_of(tile)
    lanes = target.lanes(bits)
    strides = dict(b.at.terms)
    _, column, *_, last, _ = tile.k_loop.block.args
    pitch = strides.get(last, 0)
    if not isinstance(rows, int) or not isinstance(columns, int) or rows > FEW_ROWS:
        return None
    if (
        len(reduced) != 1
        or size_or_open(reduced[0]) < 4 * _STREAMS
        or not can_split_k(tile)
    ):
        return None
    if strides.get(column) != 1 or not isinstance(pitch, int):
        return None
    if pitch * bits // 8 < _PAGE // 2 or columns % lanes:
        return None
    nr = streamed_nr(rows, columns, lanes, target, preference.nr.data)
    kc = preference.kc.data or _STREAMS
    return Blocking(rows, nr, lanes, ScheduleAttr.of(nr, rows, columns, kc, 0, ""))


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
    strategy: StrategyAttr
    target: TargetAttr
    preference: PreferenceAttr
    bytes: int
    lanes: int
    over: list[Dim]
    """The sizes of the loops around it that run inside of its blocks."""
    isa: Isa | None
    """The set that multiplies words, if both factors are."""

    @staticmethod
    def of(
        tile: TileOp,
        strategy: StrategyAttr,
        target: TargetAttr,
        preference: PreferenceAttr,
    ) -> _Chooser:
        """What is known of a tile with a strategy."""
        factors, bits = tile.factors(), bits_of(tile)
        assert factors is not None, "blocks are for products"
        _, lanes = choose_nr(tile.sizes[1], bits, target)
        isa = isa_of(tile, target, strategy.kind.data == "gemm")
        if strategy.packs_weight or (isa is not None and not isa.is_exact):
            lanes = min(strategy.nr.data, target.lanes(bits))
        over = loops_over(tile, factors[1])
        if strategy.kind.data in ("direct", "im2row"):
            over = loops_in_blocks(tile, factors[1])
        bytes = packed_bytes(isa, bits)
        return _Chooser(tile, strategy, target, preference, bytes, lanes, over, isa)

    @property
    def nr(self) -> int:
        """The columns of a panel."""
        return self.strategy.nr.data

    @property
    def l2(self) -> int:
        """Bytes of the second cache."""
        return self.target.l2.data * KIB

    def choose(
        self,
        rows: Dim,
        columns: Dim,
        reduced: Sequence[Dim],
        a: LoadOp,
        packs_b: bool,
    ) -> Blocking | None:
        """The register tile and the blocks."""
        vectors = self.nr // self.lanes
        spare = SPARE if packs_b else spare_registers(self.tile, vectors)
        wanted = self.preference.mr.data
        mr = max(most_rows(vectors, self.target, wanted, spare), 1)
        most = most_rows(vectors, self.target, OPEN_COUNT, spare)
        mr = choose_rows(self.tile, mr, 0 if wanted or self.isa else most, vectors)
        few = size_or_open(product([*map(size_or_open, (rows, *self.over))])) <= mr
        narrows = self.narrows(a)
        block = self.block_k(reduced, few and not packs_b)
        if narrows and block is not None and not self.fits_whole(reduced, mr):
            # A is packed when it is rounded to bf16, or as words, a block of k at a
            # time.
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
        kind = self.strategy.kind.data
        may_pack, is_once = kind != "direct", kc == product(reduced) and not self.over
        for packs_a in (may_pack, False):
            mc = self.choose_mc(rows, line, mr, packs_a)
            # One block of all rows and k reads a panel once: it need not be near.
            many = size_or_open(rows) >= mc >= _MANY_ROWS
            many = many or (is_once and size_or_open(rows) <= mc)
            nc = self.choose_nc(columns, line, packs_b, few, many)
            if kind == "im2row" or (packs_a and self.packs_a(a, mr, nc, kc)):
                break
        packed = ["a"] if packs_a else []
        packed += ["b"] if packs_b else []
        schedule = ScheduleAttr.of(
            self.nr, mc, nc, count, axis, " and ".join(packed), len(self.over)
        )
        return Blocking(mr, self.tile_columns(mr, rows, columns), self.lanes, schedule)

    def choose_mc(self, rows: Dim, line: int, mr: int, packs_a: bool) -> int:
        """
        MC, where a row of a block takes `line` bytes: what is packed lies on the stack;
        what is not is one block where most of the second cache has room for it, else a
        power of two of tiles, so that products of other depths have the same code.
        """
        count = size_or_open(rows)
        if packs_a:
            mc = min(self.l2 // 4, SCRATCH // 2) // line
            mc = min(mc, SCRATCH // (line + ScheduleAttr.PADDING * self.bytes))
            mc = mc // mr * mr
        elif count * line <= self.l2 * 5 // 8:
            mc = round_up(count, mr)
        else:
            mc = (1 << (self.l2 // 4 // line // mr).bit_length()) // 2 * mr
        mc = max(mc, mr)
        wanted = self.preference.mc.data or OPEN_COUNT
        return min(mc, *(round_up(each, mr) for each in (count, wanted)))

    def choose_nc(
        self, columns: Dim, line: int, packs_b: bool, few: bool, many: bool
    ) -> int:
        """
        NC, where a column of a block takes `line` bytes.

        Many rows use a panel while it is in the first cache, so that panels may come
        from beyond the second; for fewer rows the block stays in the second.
        """
        bytes = max(self.l2 * 2, _FROM_L3) if many else self.l2 // 2
        if packs_b:
            bytes = min(self.l2 // 2, SCRATCH)
        elif few:
            bytes = OPEN_COUNT * line
        if wanted := self.preference.nc.data:
            bytes = min(wanted * line, SCRATCH if packs_b else OPEN_COUNT * line)
        nc = max(bytes // line // self.nr, 1) * self.nr
        if isinstance(columns, int):
            blocks = -(-columns // nc)
            nc = round_up(-(-columns // blocks), self.nr)
        return nc

    def fits_whole(self, reduced: Sequence[Dim], mr: int) -> bool:
        """Whether MR whole rows of A fit the scratch memory."""
        return size_or_open(product(reduced)) * self.bytes * mr <= SCRATCH // 2

    def tile_columns(self, mr: int, rows: Dim, columns: Dim) -> int:
        """The columns of the register tile: several panels beside few rows."""
        vectors, factors = self.nr // self.lanes, self.tile.factors()
        assert factors is not None, "a product has two factors"
        over = map(size_or_open, loops_over(self.tile, factors[1]))
        if size_or_open(product([size_or_open(rows), *over])) > mr:
            return self.nr
        most = (self.target.registers.data - SPARE) // (mr + 1)
        panels = max((self.tile.in_flight if mr == 1 else most) // vectors, 1)
        return min(panels, max(size_or_open(columns) // self.nr, 1)) * self.nr

    def block_k(self, reduced: Sequence[Dim], few: bool) -> tuple[int, int] | None:
        """The reduced index that is split into blocks, and their size."""
        first = reduced[0]
        wanted = self.preference.kc.data
        if (few and not wanted) or not can_split_k(self.tile):
            if isinstance(product(reduced), int) and isinstance(first, int):
                return 0, first
            return None
        most = self.strategy.kc.data
        for axis, size in enumerate(reduced):
            inner = product(reduced[axis + 1 :])
            if isinstance(inner, int) and inner <= most:
                count = max(most // inner, 1)
                if isinstance(size, int):
                    count = equal_blocks(size, count)
                # A word of the VNNI layout is in one block.
                return axis, round_up(count, self.strategy.vnni.data)
            if not isinstance(size, int):
                return None
        return None

    def packs_a(self, a: LoadOp, mr: int, nc: int, kc: int) -> bool:
        """Whether A is packed: where it is scattered, or its rows evict each other."""
        fits = kc * self.bytes * mr <= SCRATCH // 2
        if self.narrows(a):
            # What is rounded is rounded once, and words are what is multiplied.
            return fits
        if mr == 1 or not fits or goes_by_lines(self.tile, mr):
            return False
        row, _, *_, last, _ = self.tile.k_loop.block.args
        is_apart = a.at.step(last) != 1
        pitch = None if is_apart else a.at.step(row) * self.bytes
        panels = panels_that_pay(pitch, mr, self.target)
        own = panels is not None and nc >= panels * self.nr
        return self.preference.packs("a", own)

    def narrows(self, a: LoadOp) -> bool:
        """Whether A is packed as what instructions take: rounded, or in words."""
        return bool(self.tile.made_of(a)) or self.isa is not None
