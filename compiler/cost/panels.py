"""
Choose how a contraction is computed: as its operands lie, or in panels and blocks.

Accumulators, a vector of each panel, one element of the other operand and a spare must
fit the registers. A block of steps and columns stays in the second cache while all rows
go by, one panel of it in the first. Sums do not depend on any of it, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import FixedBitwidthType

from ...dialects.dims import Dim, product
from ...dialects.loop.ops.memory import LoadOp
from ...dialects.loop.ops.tile import TileOp
from ...dialects.loop.preference import OWN, PreferenceAttr
from ...dialects.loop.schedule import ScheduleAttr
from ...dialects.loop.target import TargetAttr

MANY = 1 << 30
"""Rows or columns whose number only a run knows."""

SPARE = 2
"""Registers for an element of the rows, and for what is between."""

TALLEST = 12
"""Rows of the tallest tile: a row needs an address, and there are 15 registers."""

ADDRESSES = 10
"""Rows of the tallest tile of one vector: more addresses than registers cost a load."""

STREAMED = 0.25
"""How many multiply-adds a vector of a panel costs beyond its load."""

SCRATCH = 1 << 18
"""Bytes on the stack that columns may be copied into; rows get half as many."""

FEW = 8
"""Rows for which it does not pay to copy columns."""

MANY_ROWS = 48
"""Rows of a block by which a panel may come from beyond the second cache."""

REUSED = 16
"""Panels that must read the rows of a block for them to be worth copying."""

CONVERTED = 64
"""Rows for which it pays to copy columns that a step would convert."""

SMALL = 1 << 13
"""Steps of all accumulators together for which nothing is copied."""

KIB = 1024

PAGE = 4096

LINES = 8
"""Lines of memory that a processor fetches ahead side by side."""

CONFLICT = 2048
"""Bytes of which rows are a multiple apart that fall into few sets of a cache."""


@dataclass(frozen=True)
class Choice:
    """The rows, columns and lanes of a tile, and its schedule."""

    rows: int
    columns: int
    lanes: int
    schedule: ScheduleAttr


def known(size: Dim) -> int:
    """A size, or many."""
    return size if isinstance(size, int) else MANY


def up(size: int, step: int) -> int:
    """The least multiple of `step` that is not below `size`."""
    return -(-size // step) * step


def tallest(vectors: int, target: TargetAttr, preferred: int = 0) -> int:
    """The rows of a tile that is so many vectors wide, of what registers can hold."""
    most = preferred or (TALLEST if vectors > 1 else ADDRESSES)
    return min((target.registers.data - vectors - SPARE) // vectors, most)


def panel_width(
    columns: Dim, bits: int, target: TargetAttr, preferred: int = 0
) -> tuple[int, int]:
    """
    The width of the panels for so many columns, and the lanes of their vectors; it is
    the preferred one where registers have room for that.
    """
    lanes, count = target.lanes(bits), known(columns)
    while lanes // 2 >= count:
        lanes //= 2
    if fits(preferred, lanes, target):
        return preferred, lanes

    def cost(vectors: int) -> float:
        tall = tallest(vectors, target)
        padded = up(count, vectors * lanes) / max(count, 1)
        # Loads and multiply-adds run beside each other, as many of each at a time.
        loads = (tall + vectors) / (tall * vectors)
        return (max(loads, 1) + STREAMED / tall) * padded

    return min((2, 1, 3, 4), key=cost) * lanes, lanes


def fits(columns: int, lanes: int, target: TargetAttr) -> bool:
    """Whether columns are whole vectors, and leave registers for a row of a tile."""
    vectors, rest = divmod(columns, lanes)
    return vectors > 0 and rest == 0 and tallest(vectors, target) >= 1


def steps_at_once(width: int, bytes: int, target: TargetAttr) -> int:
    """
    The most steps of a block: those of a panel that is half as large again as the first
    cache. What of it comes from the second is read in line, and fetched ahead.
    """
    return max(3 * target.l1.data * KIB // (2 * width * bytes), 1)


def choose_panels(
    tile: TileOp, target: TargetAttr, preference: PreferenceAttr = OWN
) -> Choice | None:
    """The schedule in panels of a tile; None where operands are read as they lie."""
    factors = tile.factors()
    rows, columns, *reduced = tile.sizes
    if factors is None or not reduced or any(size == 0 for size in tile.sizes):
        return None
    down, across = factors
    type = tile.initial.type
    assert isinstance(type, FixedBitwidthType)
    if across.at.panel is not None:
        width = across.at.panel.width
        lanes = min(width, target.lanes(type.bitwidth))
        # Of a panel of bf16 a block of f32 is made once, or each step widens its own.
        converts = bool(tile.made_of(across))
        copies = (
            converts
            and across.at.pair is None
            and times_used(tile, across) >= CONVERTED
        )
    elif preference.copies_of("columns", pays_to_copy(tile, across)):
        wanted = preference.panels.data
        width, lanes = panel_width(columns, type.bitwidth, target, wanted)
        copies = True
    else:
        return stream(tile, target, across, preference)
    over = swept(tile, across)
    return _Chooser(
        tile, target, preference, type.bitwidth // 8, width, lanes, over
    ).choose(rows, columns, reduced, down, copies)


def swept(tile: TileOp, across: LoadOp) -> list[Dim]:
    """The sizes of the loops around a tile along which its columns stay the same."""
    sizes: list[Dim] = []
    for loop in tile.around:
        if loop.index in across.indices:
            break
        sizes.append(loop.size)
    return sizes


def times_used(tile: TileOp, across: LoadOp) -> int:
    """How often an element of the columns is used at least, for all that is known."""
    sizes = (tile.sizes[0], *swept(tile, across))
    return prod(each for each in sizes if isinstance(each, int))


def pays_to_copy(tile: TileOp, across: LoadOp) -> bool:
    """Whether columns are worth copying: many rows use what is copied once."""
    rows, columns, *reduced = (known(each) for each in tile.sizes)
    rows = known(product([rows, *map(known, swept(tile, across))]))
    steps = known(product([rows, columns, *reduced]))
    return rows >= FEW and columns > 1 and steps >= SMALL


def stream(
    tile: TileOp, target: TargetAttr, across: LoadOp, preference: PreferenceAttr
) -> Choice | None:
    """
    The schedule for few rows and long lines, so few at a time as can be fetched ahead.
    """
    rows, columns, *reduced = tile.sizes
    type = tile.initial.type
    assert isinstance(type, FixedBitwidthType)
    lanes = target.lanes(type.bitwidth)
    steps = dict(across.at.terms)
    _, column, *_, last, _ = tile.step.block.args
    apart = steps.get(last, 0)
    if not isinstance(rows, int) or not isinstance(columns, int) or rows > FEW:
        return None
    if len(reduced) != 1 or known(reduced[0]) < 4 * LINES or not may_stop(tile):
        return None
    if steps.get(column) != 1 or not isinstance(apart, int):
        return None
    if apart * type.bitwidth // 8 < PAGE // 2 or columns % lanes:
        return None
    most = (target.registers.data - SPARE) // (rows + 1)
    most = min(most, preference.panels.data // lanes or most)
    wide = max(each for each in (1, 2, 4, 8) if columns % (each * lanes) == 0)
    while wide > max(most, 1):
        wide //= 2
    width = wide * lanes
    depth = preference.depth.data or LINES
    schedule = ScheduleAttr.of(width, rows, columns, depth, 0, "")
    return Choice(rows, width, lanes, schedule)


def may_stop(tile: TileOp) -> bool:
    """
    Whether accumulators can be kept where the result goes, between blocks of steps.
    """
    store = tile.store
    if store is None or store.value.type != tile.initial.type or tile.is_in_place:
        return False
    column = tile.finish.block.args[1]
    return dict(store.at.terms).get(column, 0) == 1


@dataclass(frozen=True)
class _Chooser:
    """What is known of one tile."""

    tile: TileOp
    target: TargetAttr
    preference: PreferenceAttr
    bytes: int
    width: int
    lanes: int
    over: list[Dim]

    @property
    def l2(self) -> int:
        """Bytes of the second cache."""
        return self.target.l2.data * KIB

    @property
    def has_pairs(self) -> bool:
        """Whether panels hold two steps side by side."""
        factors = self.tile.factors()
        return factors is not None and factors[1].at.pair is not None

    def choose(
        self,
        rows: Dim,
        columns: Dim,
        reduced: Sequence[Dim],
        down: LoadOp,
        copies: bool,
    ) -> Choice | None:
        """The sizes of tile and blocks."""
        vectors = self.width // self.lanes
        tall = max(tallest(vectors, self.target, self.preference.tall.data), 1)
        # Rows are shared out, so that no tile is left with few.
        tall = -(-known(rows) // -(-known(rows) // tall)) if known(rows) else tall
        few = known(product([known(rows), *map(known, self.over)])) <= tall
        rounds = bool(self.tile.made_of(down))
        block = self.steps(reduced, few and not copies)
        if rounds and block is not None and not self.fits(reduced, tall):
            # Rows are copied when they are rounded, a part of them at a time.
            block = self.steps(reduced, False)
        if block is None:
            return None
        axis, depth = block
        inner = product(reduced[axis + 1 :])
        assert isinstance(inner, int)
        deep = depth * inner
        column, row = deep * self.bytes, deep * self.bytes
        if copies and SCRATCH < column * self.width:
            return None
        high = max(min(self.l2 // 4, SCRATCH // 2) // row // tall * tall, tall)
        high = min(high, up(known(rows), tall))
        if wanted := self.preference.rows.data:
            high = min(high, up(wanted, tall))
        # Many rows use a panel while it is in the first cache; for few it must come
        # from the second.
        side = self.l2 * 2 if known(rows) >= high >= MANY_ROWS else self.l2 // 2
        if copies:
            side = min(self.l2 // 2, SCRATCH)
        elif few:
            side = MANY * column
        if wanted := self.preference.columns.data:
            most = SCRATCH if copies else MANY * column
            side = min(wanted * column, most)
        across = max(side // column // self.width, 1) * self.width
        if isinstance(columns, int):
            blocks = -(-columns // across)
            across = up(-(-columns // blocks), self.width)
        copied = ["rows"] if self.copies_rows(down, tall, across, deep) else []
        copied += ["columns"] if copies else []
        schedule = ScheduleAttr.of(
            self.width,
            high,
            across,
            depth,
            axis,
            " and ".join(copied),
            len(self.over),
        )
        return Choice(tall, self.group(tall, few, columns), self.lanes, schedule)

    def fits(self, reduced: Sequence[Dim], tall: int) -> bool:
        """Whether rows as a whole fit the scratch memory."""
        return known(product(reduced)) * self.bytes * tall <= SCRATCH // 2

    def group(self, tall: int, few: bool, columns: Dim) -> int:
        """The columns of the tile: several panels beside few rows."""
        vectors = self.width // self.lanes
        if not few:
            return self.width
        wide = (self.target.registers.data - SPARE) // (tall + 1)
        panels = max((8 if tall == 1 else wide) // vectors, 1)
        return min(panels, max(known(columns) // self.width, 1)) * self.width

    def steps(self, reduced: Sequence[Dim], few: bool) -> tuple[int, int] | None:
        """The reduced index that is split into blocks, and the steps of a block."""
        first = reduced[0]
        whole = product(reduced)
        wanted = self.preference.depth.data
        if (few and not wanted) or not may_stop(self.tile):
            if isinstance(whole, int) and isinstance(first, int):
                return 0, first
            return None
        most = wanted or steps_at_once(self.width, self.bytes, self.target)
        for axis, size in enumerate(reduced):
            inner = product(reduced[axis + 1 :])
            if isinstance(inner, int) and inner <= most:
                depth = max(most // inner, 1)
                if isinstance(size, int):
                    blocks = -(-size // depth)
                    depth = -(-size // blocks)
                # Two steps of a pair are in one block.
                depth = up(depth, 2) if self.has_pairs else depth
                return axis, depth
            if not isinstance(size, int):
                return None
        return None

    def copies_rows(self, down: LoadOp, tall: int, across: int, deep: int) -> bool:
        """Whether rows are copied: where they would get in each other's way."""
        if self.tile.made_of(down):
            # What is rounded is rounded once.
            return deep * self.bytes * tall <= SCRATCH // 2
        if tall == 1 or deep * self.bytes * tall > SCRATCH // 2:
            return False
        own = self.rows_collide(down) and across >= REUSED * self.width
        return self.preference.copies_of("rows", own)

    def rows_collide(self, down: LoadOp) -> bool:
        """Whether rows are apart, or so far apart that they fall into few sets."""
        row, _, *_, last, _ = self.tile.step.block.args
        apart = down.at.step(row)
        if not isinstance(apart, int) or down.at.step(last) != 1:
            return True
        return apart * self.bytes % CONFLICT == 0
