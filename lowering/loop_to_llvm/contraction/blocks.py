"""
What a `loop.tile` with a schedule is made of: blocks, scratch memory, loops over steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, SSAValue

from ....dialects.dims import product
from ....dialects.loop.isa import TileGeometry
from ....dialects.loop.ops.memory import LoadOp
from ....dialects.loop.ops.tile import TileOp
from ..isa import instructions_of
from ..text.types import Value, memory_text
from .tile import Host

PADDING = 16
"""Elements between copied rows, so that rows do not fall into one set of a cache."""


@dataclass(frozen=True)
class Depth:
    """A block of steps: outer reduced indices, a range of one, and which it is."""

    outer: tuple[str, ...]
    start: str
    count: str
    first: str
    last: str


@dataclass(frozen=True)
class Columns:
    """A block of columns."""

    start: str
    stop: str


@dataclass(frozen=True)
class Place:
    """Where a tile of totals begins: row, row in its block, column, column in it."""

    row: str
    row_in_block: str
    column: str
    column_in_block: str


class Blocks:
    """The facts of one tile, and its scratch memory."""

    def __init__(self, host: Host, op: TileOp):
        schedule, factors = op.schedule, op.factors()
        assert schedule is not None
        assert factors is not None, "a schedule is for products"
        self.host, self.op, self.w = host, op, host.w
        self.schedule = schedule
        self.down, self.across = factors
        self.instructions = instructions_of(host.target, self.across.result.type)
        self.isa = self.instructions.isa
        made = [op.made_of(each) for each in factors]
        self.factors = [
            made[-1].results[0] if made else load.result
            for load, made in zip(factors, made, strict=True)
        ]
        """What is multiplied: what is loaded, or what a step makes of it."""
        done = (*factors, *chain.from_iterable(made), op.step.block.last_op)
        self.rest = [each for each in op.step.block.ops if each not in done]
        """What a step computes of its two factors."""
        self.tall, self.wide, self.lanes = op.block
        self.width = schedule.panels.data
        self.row_count, self.column_count, *self.reduced = op.sizes
        self.axis = schedule.axis.data
        inner = product(self.reduced[self.axis + 1 :])
        assert isinstance(inner, int), "what is inside of a block has a known size"
        self.inner = inner
        self.deep = schedule.depth.data * inner
        self.panel_copy = self.row_copy = ""
        self.tiles = self.find_tiles()
        """The tile registers that accumulators are in, if they are."""
        self.pitch = self.deep + PADDING
        """Elements between copied rows."""
        if self.tiles is not None:
            self.pitch = (-(-self.deep // self.isa.k) + 1) * self.isa.k
        if schedule.copies_of("columns"):
            self.panel_copy = self.allocate(self.deep * schedule.columns.data)
        if schedule.copies_of("rows"):
            rows = max(schedule.rows.data, self.tall)
            self.row_copy = self.allocate(rows * self.pitch, self.row_type)
        whole = self.column_count
        self.has_edge = not isinstance(whole, int) or whole % self.width != 0
        self.edge = ""
        """Memory for totals that are not stored as they are."""
        if self.tiles is not None:
            self.edge = self.allocate(self.tiles.capacity)
            self.registers = self.instructions.tiles(self.w)
        elif self.has_edge:
            self.edge = self.allocate(self.tall * self.width)

    def shares(self, what: str) -> bool:
        """Whether threads share the rows, or the columns."""
        return self.op.split is not None and self.op.split.data == what

    @property
    def in_words(self) -> bool:
        """Whether both factors are words of the VNNI layout, as instructions take."""
        owners = [each.owner for each in self.factors]
        widened = [
            isinstance(each, arith.ExtFOp) and each.input.type == self.isa.element
            for each in owners
        ]
        return self.across.at.pair is not None and all(widened)

    def find_tiles(self) -> TileGeometry | None:
        """The tile registers that a tile of this size, with rows copied, fits."""
        tiles = self.isa.tiles
        if tiles is None or not self.in_words or not self.schedule.copies_of("rows"):
            return None
        whole = self.tall in (tiles.rows, 2 * tiles.rows)
        whole = whole and self.width % tiles.columns == 0
        return tiles if whole and self.tall * self.width <= tiles.capacity else None

    def steps_of(self, depth: Depth) -> str:
        """How many steps a block has."""
        return self.w.mul(depth.count, str(self.inner))

    @property
    def row_type(self) -> Attribute:
        """The type of copied rows."""
        return self.isa.element if self.in_words else self.op.initial.type

    def allocate(self, count: int, type: Attribute | None = None) -> str:
        """Scratch memory of the kernel, for elements of this type or of the totals'."""
        text = memory_text(type or self.op.initial.type)
        return self.w.entered(f"alloca [{count} x {text}], align 64")

    def element(
        self, load: LoadOp, loaded: Value | None = None, narrow: bool = False
    ) -> Value:
        """
        Writes what a step makes of what it loads, or of this if it is loaded; without
        the conversion at the end if that is to be left out.
        """
        value = self.host.evaluate(load) if loaded is None else loaded
        self.host.values[load.result] = value
        made = self.op.made_of(load)
        for op in made[:-1] if narrow else made:
            to = op.results[0].type
            if narrow and isinstance(op, arith.TruncFOp) and to == self.isa.element:
                value = self.instructions.narrow(self.w, value)
            else:
                value = self.host.evaluate(op)
            self.host.values[op.results[0]] = value
        return value

    def at(self, base: str, place: str, type: Attribute | None = None) -> str:
        """The address of an element of scratch memory, or of others of this type."""
        text = memory_text(type or self.op.initial.type)
        return self.w.emit(f"getelementptr inbounds {text}, ptr {base}, i64 {place}")

    def let(self, index: SSAValue, value: str) -> None:
        """Lets an index have a value."""
        self.host.values[index] = Value(value, IndexType())

    def enter(self, depth: Depth, indices: Sequence[str]) -> None:
        """Lets the reduced indices have their values."""
        _, _, *reduced, _ = self.op.step.block.args
        for index, value in zip(reduced, (*depth.outer, *indices), strict=True):
            self.let(index, value)

    def over(
        self,
        depth: Depth,
        carried: Sequence[Value],
        build: Callable[[str, int, list[Value]], Sequence[Value]],
        by: Callable[[str], Sequence[int]],
    ) -> list[Value]:
        """
        Writes loops over the steps of a block, the innermost by so many at a time.

        `build` takes the number of the step in the block, how many there are, and what
        is carried; `by` the bound of the innermost loop.
        """
        w, sizes = self.w, self.reduced[self.axis :]

        def level(
            indices: list[str], flat: str, lanes: int, carried: Sequence[Value]
        ) -> list[Value]:
            number = len(indices)
            if number == len(sizes):
                self.enter(depth, indices)
                return list(build(flat, lanes, list(carried)))
            bound = w.size(sizes[number]) if number else depth.count
            stride = product(sizes[number + 1 :])

            def body(at: str, step: int, inner: list[Value]) -> Sequence[Value]:
                here = at if number else w.add(depth.start, at)
                place = w.add(flat, w.mul(at, w.size(stride)))
                return level([*indices, here], place, step, inner)

            steps = by(bound) if number == len(sizes) - 1 else (1,)
            return w.loop_by(steps, bound, carried, body)

        return level([], "0", 1, carried)
