"""
What a `loop.tile` with a schedule is made of: its factors, blocks and packed buffers.

A is the factor that moves with the rows, B the one that moves with the columns.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from math import gcd

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....dialects import Dim, product, terms_of
from ....dialects.loop import (
    IN_FLIGHT,
    LoadOp,
    ScheduleAttr,
    TileGeometry,
    TileOp,
    can_mask,
    element_type,
    may_pack_words,
)
from ..isa import instructions_of
from ..text.dimensions import is_multiple
from ..text.types import Value, memory_text
from .register_tile import KernelHost, Shape


@dataclass(frozen=True)
class KBlock:
    """A block of k: indices around it, its part of one index, and which block it is."""

    outer: tuple[str, ...]
    start: str
    count: str
    first: str
    """Whether no block comes before it: accumulators begin here."""
    last: str
    """Whether none comes after it: the epilogue comes here."""


@dataclass(frozen=True)
class ColumnBlock:
    """A block of columns."""

    start: str
    stop: str


@dataclass(frozen=True)
class RowBlock:
    """A block of rows: the first, and whether A is packed for them."""

    start: str
    packed: bool


@dataclass(frozen=True)
class Position:
    """Where a register tile is, in the result and in the blocks."""

    row: str
    row_in_block: str
    column: str
    column_in_block: str


class Blocks:
    """The facts of one tile, and its scratch memory."""

    def __init__(self, host: KernelHost, op: TileOp):
        schedule, factors = op.schedule, op.factors()
        assert schedule is not None
        if factors is None:
            raise VerifyException(
                "expected a k-loop that adds up products in a tile with a schedule, "
                "got another"
            )
        self.host, self.op, self.w, self.scope = host, op, host.w, host.scope
        self.schedule = schedule
        self.a, self.b = factors
        self.beside = op.beside
        elements = (op.element_of(each) for each in factors)
        fits = bool(schedule.pairs.data)
        self.instructions = instructions_of(host.target, *elements, fits=fits)
        self.isa = self.instructions.isa
        made = [op.made_of(each) for each in factors]
        self.made = dict(zip(factors, made, strict=True))
        """What the k-loop makes of each factor: asked for with each element."""
        self.made_of_b = made[1]
        self.factors = [
            made[-1].results[0] if made else load.result
            for load, made in zip(factors, made, strict=True)
        ]
        """What is multiplied: what is loaded, or what the k-loop converts it to."""
        done, body = (*factors, *chain.from_iterable(made)), op.k_loop.block.ops
        self.product_ops = [each for each in body if each.results and each not in done]
        """What the k-loop computes of its two factors."""
        self.row, self.column, *self.k_indices, self.so_far = op.k_loop.block.args
        self.next = op.next
        self.mr, self.tile_columns, self.lanes = op.register_tile
        self.nr = schedule.nr.data
        self.row_count, self.column_count, *self.reduced = op.sizes
        self.axis = schedule.axis.data
        inner = product(self.filled[self.axis + 1 :])
        assert isinstance(inner, int), "what is inside of a block has a known size"
        self.inner = inner
        self.kc = schedule.kc.data * inner
        if self.in_words:
            self.kc = -(-self.kc // self.isa.k_group) * self.isa.k_group
        self.shared = "" if op.split is None else op.split.data
        """What threads share, if they do."""
        self.allocate_buffers()

    def allocate_buffers(self) -> None:
        """Allocates what is packed, and what register tiles are spilled to."""
        schedule = self.schedule
        self.packed_a = self.packed_b = self.spilled = ""
        self.scratch: dict[int, str] = {}
        """Where accumulators of register tiles are, by how many these have."""
        self.tiles = self.find_tiles()
        """The tile registers that accumulators are in, if they are."""
        self.a_pitch = self.kc + schedule.pad.data
        """Elements from one row of packed A to the next."""
        if schedule.packs("b"):
            count = self.kc * schedule.nc.data
            self.packed_b = self.allocate(count, self.packed_type)
        if schedule.packs("a"):
            rows = max(schedule.mc.data, self.mr)
            self.packed_a = self.allocate(
                rows * self.a_pitch * self.parts, self.packed_type
            )
        whole = self.column_count
        self.has_edge = not is_multiple(whole, self.nr)
        if self.tiles is not None:
            self.spilled = self.allocate(self.tiles.capacity)
            self.registers = self.instructions.tiles(self.w)
            self.registers.configure()
        elif self.has_edge and not self.masks_edge:
            self.spilled = self.allocate(self.mr * self.nr)
        self.zero_row = ""
        """Where the sums of a row of zeros are, if they are not zero."""
        if self.corrects:
            self.zero_row = self.allocate(self.most_columns)

    def rows(self, shape: Shape) -> str:
        """Scratch memory for the accumulators of a register tile, row after row."""
        count = shape.rows * shape.vectors * shape.lanes
        if count not in self.scratch:
            self.scratch[count] = self.allocate(count)
        return self.scratch[count]

    @property
    def corrects(self) -> bool:
        """Whether what a row of zeros comes to is subtracted from accumulators."""
        zeros = self.instructions.zeros is not None and self.tiles is None
        return zeros and self.in_words and bool(self.packed_a)

    @property
    def most_columns(self) -> int:
        """The columns of the widest register tile, beside however few rows."""
        most = (self.mr + 1) * self.tile_columns
        return max(most, IN_FLIGHT * self.lanes, self.nr)

    @property
    def parts(self) -> int:
        """How many words a word of packed A takes."""
        return self.isa.parts if self.in_words else 1

    @property
    def masks_edge(self) -> bool:
        """Whether the columns of an edge tile are the lanes of a mask."""
        if self.tiles is not None or self.lanes == 1:
            return False
        block, target = self.op.epilogue.block, self.host.target
        store = self.op.store
        kept = store is None or element_type(store.buffer) == self.op.initial.type
        return kept and can_mask(block.ops, block.args[1], target)

    def shares(self, what: str) -> bool:
        """Whether threads share the rows, or the columns."""
        return self.shared == what

    @property
    def may_be_narrow(self) -> bool:
        """
        Whether the last panel may have so few columns that half of its vectors do: the
        width of a small image, where B is packed from it.
        """
        is_open = not isinstance(self.column_count, int)
        return is_open and self.masks_edge and bool(self.packed_b)

    @property
    def in_words(self) -> bool:
        """Whether both factors are words of the VNNI layout, as instructions take."""
        elements = (self.op.element_of(each) for each in (self.a, self.b))
        return (
            (self.b.at.vnni is not None or self.packs_words)
            and self.adds_products
            and all(each in self.isa.elements for each in elements)
        )

    @property
    def has_steps(self) -> bool:
        """Whether B is made of steps and scales that lie in panels."""
        return bool(self.beside) and self.b.at.blocked is not None

    @property
    def packs_words(self) -> bool:
        """Whether both factors are packed in words."""
        packs_both = self.schedule.packs("a") and self.schedule.packs("b")
        return packs_both and may_pack_words(self.op, self.isa)

    def has_words(self, load: LoadOp) -> bool:
        """Whether words of a factor are what is loaded, which is at most widened."""
        made = [type(each) for each in self.made[load]]
        return self.in_words and made in ([], [arith.ExtFOp])

    @property
    def adds_products(self) -> bool:
        """Whether the k-loop does nothing but add products of the factors."""
        kinds = [type(each) for each in self.product_ops]
        if kinds not in ([math.FmaOp], [arith.MuliOp, arith.AddiOp]):
            return False
        return {*self.factors} <= {*self.product_ops[0].operands}

    def find_tiles(self) -> TileGeometry | None:
        """The tile registers, where A is packed and MR x NR accumulators fit them."""
        tiles = self.isa.tiles
        if tiles is None or not self.in_words or not self.schedule.packs("a"):
            return None
        whole = self.mr in (tiles.rows, 2 * tiles.rows)
        whole = whole and self.nr % tiles.columns == 0
        return tiles if whole and self.mr * self.nr <= tiles.capacity else None

    @property
    def filled(self) -> list[Dim]:
        """The sizes of what is reduced, the innermost one in whole words."""
        *outer, last = self.reduced or [1]
        many = self.isa.k_group
        if self.in_words and isinstance(last, int):
            last = -(-last // many) * many
        return [*outer, last] if self.reduced else []

    def count_k(self, block: KBlock) -> str:
        """How many k a block has, in whole words where factors are words."""
        count, many = block.count, self.isa.k_group
        is_whole = is_multiple(self.reduced[-1], many) if self.reduced else True
        if self.in_words and self.axis == len(self.reduced) - 1 and not is_whole:
            count = self.w.whole(self.w.add(count, str(many - 1)), many)
        return self.w.mul(count, str(self.inner))

    @property
    def packed_type(self) -> Attribute:
        """The type of what is packed."""
        return self.isa.element if self.in_words else self.op.initial.type

    @contextmanager
    def whole(self) -> Generator[None]:
        """
        A part of the code in which nothing is packed, though another part packs, and
        so there are no blocks of k and of columns: panels are read from end to end.
        Rows are few there, so threads share the columns.
        """
        names = "packed_a", "packed_b", "schedule", "kc", "axis", "shared"
        kept = {name: getattr(self, name) for name in names}
        mc, over = self.schedule.mc.data, self.schedule.over.data
        self.packed_a = self.packed_b = ""
        self.schedule = ScheduleAttr.of(self.nr, mc, 0, 0, 0, "", over)
        self.kc = self.axis = 0
        self.shared = "columns" if self.shared else ""
        try:
            yield
        finally:
            vars(self).update(kept)

    def allocate(self, count: int, type: Attribute | None = None) -> str:
        """Scratch memory of the kernel: of this type, or of the accumulators'."""
        text = memory_text(type or self.op.initial.type)
        return self.w.entered(f"alloca [{count} x {text}], align 64")

    def element(
        self, load: LoadOp, loaded: Value | None = None, narrow: bool = False
    ) -> Value:
        """
        Writes the factor that the k-loop makes of a load, or of what is loaded already;
        with `narrow` up to the element that is packed, without what widens it.
        """
        made = self.made[load]
        if not made and loaded is not None:
            return loaded
        with self.scope.inner():
            value = self.host.evaluate(load) if loaded is None else loaded
            self.scope.define(load.result, value)
            for op in made[:-1] if narrow else made:
                to = op.results[0].type
                if narrow and isinstance(op, arith.TruncFOp) and to == self.isa.element:
                    value = self.instructions.narrow(self.w, value)
                else:
                    value = self.host.evaluate(op)
                self.scope.define(op.results[0], value)
            return value

    def at(self, base: str, offset: str, type: Attribute | None = None) -> str:
        """The address of an element: of this type, or of the accumulators'."""
        text = memory_text(type or self.op.initial.type)
        return self.w.once(f"getelementptr inbounds {text}, ptr {base}, i64 {offset}")

    def set_k(self, block: KBlock, inside: Sequence[str]) -> None:
        """Sets the reduced indices: those outside of the block, then those `inside`."""
        for index, value in zip(self.k_indices, (*block.outer, *inside), strict=True):
            self.scope.set_index(index, value)

    def unrolled(self, divided: Dim) -> Sequence[int]:
        """
        How many k of a loop are written at a time, then one for the rest, if there may
        be any; `divided` is their number, or has no divisor that this lacks.
        """
        most = self.op.unrolled
        return (most,) if is_multiple(divided, most) else (most, 1)

    def divisors_of(self, number: int) -> Dim:
        """A dimension without divisors that the loop over a reduced index lacks."""
        if number:
            return self.reduced[self.axis + number]
        factors = (
            factor
            for each in (self.values_in_block, self.reduced[self.axis])
            for _, factor in terms_of(each)
        )
        return gcd(*factors)

    @property
    def values_in_block(self) -> Dim:
        """How many values a block has of the reduced index that is in blocks."""
        return self.schedule.values_in_block(self.reduced[self.axis])

    def set_index(self, index: SSAValue, text: str) -> None:
        """Gives an index of the tile its value in the present scope."""
        self.scope.set_index(index, text)
