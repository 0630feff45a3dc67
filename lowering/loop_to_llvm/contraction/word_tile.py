"""
Write a register tile whose k multiply words of bytes, which tile registers add up.

    for each k
        of the k after it, a tile of words of A is loaded from where they lie, is
            multiplied with one of B, and the sums are spilled
        the sums of this k go through the rest of the k-loop, row by row

The words of B that the k-loop makes are stored before, for all rows: a tile that is
loaded from what was stored just before waits longer than it takes to multiply it. Sums
of integers wrap, so bits are those of any other register tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from ....dialects import Dim, product, si8, ui8
from ....dialects.loop import VNNI_WORD_BITS, KernelOp, LoadOp, TileGeometry, TileOp
from ....dialects.scalar import DotBytesOp
from ..isa import TileRegisters, instructions_of
from ..text.types import Value
from .dot_tile import dots_of
from .register_tile import KernelHost, Known, RegisterTile, Shape

_SUMS, _A, _B = 0, 4, 6
"""The registers of the sums, of A and of B."""

_ROWS_AT_ONCE = 4
"""Rows between two fences: LLVM would load the sums of all, and spill accumulators."""

_BYTES = VNNI_WORD_BITS // 8


@dataclass(frozen=True)
class Words:
    """The words that the k of a tile multiply, and what holds them."""

    a: tuple[LoadOp, ...]
    """The loads of the words of A, which lie one behind the other."""
    dots: tuple[DotBytesOp, ...]
    """What multiplies each with one of B, and adds that to the one before."""
    for_b: tuple[Operation, ...]
    """What the k-loop computes for the words of B alone."""
    tiles: TileGeometry
    registers: TileRegisters
    b: str
    """Scratch memory for the words of B, of all k."""
    sums: str
    """Scratch memory for the sums of two k."""
    count: int
    """How many k there are."""

    @property
    def b_loads(self) -> list[LoadOp]:
        """The loads of words of B."""
        return [each for each in self.for_b if isinstance(each, LoadOp)]

    @property
    def panel_bytes(self) -> int:
        """The bytes in memory that words of B for these columns are made of."""
        return self.count * len(self.b_loads) * self.tiles.row_bytes

    @property
    def b_bytes(self) -> int:
        """The bytes of the words of B of one k."""
        return len(self.dots) * self.tiles.row_bytes

    def fit(self, shape: Shape) -> bool:
        """Whether a register tile has the rows and the columns of a tile register."""
        mine = shape.rows, shape.vectors, shape.lanes
        return mine == (self.tiles.rows, 1, self.tiles.columns)


def find_words(host: KernelHost, op: TileOp) -> Words | None:
    """
    The words of a tile that tile registers multiply; None where it has none, or the
    target no such registers, or another tile of the kernel others.
    """
    isa, dots = host.target.isa(si8), dots_of(op)
    geometry = None if isa is None else isa.tiles
    count = product(op.sizes[2:])
    if geometry is None or not isinstance(count, int) or not count:
        return None
    many, columns = len(dots), geometry.row_bytes
    if not geometry.keeps(many, count):
        return None
    loads = _loads_of(op, dots)
    is_alone = all(len(dots_of(each)) == many for each in _tiles_beside(op))
    if not loads or not is_alone or op.register_tile[0] != geometry.rows:
        return None
    registers = instructions_of(host.target, si8, ui8).tiles(host.w)
    registers.configure(many)
    b, sums = (
        host.w.entered(f"alloca [{rows * columns} x i8], align 64")
        for rows in (count * many, 2 * geometry.rows)
    )
    for_b = _only_for(op, dots)
    return Words(loads, dots, for_b, geometry, registers, b, sums, count)


def _tiles_beside(op: TileOp) -> Iterator[TileOp]:
    """All tiles of the kernel of one."""
    kernel: Operation | None = op
    while kernel is not None and not isinstance(kernel, KernelOp):
        kernel = kernel.parent_op()
    for each in () if kernel is None else kernel.walk():
        if isinstance(each, TileOp):
            yield each


def _loads_of(op: TileOp, dots: Sequence[DotBytesOp]) -> tuple[LoadOp, ...]:
    """
    The loads of words of A, if nothing else uses them, and each moves with the rows
    alone and lies behind the one before.
    """
    row, column, *_ = op.k_loop.block.args
    loads = tuple(e.b.owner for e in dots if isinstance(e.b.owner, LoadOp))
    if len(loads) < len(dots):
        return ()
    first = loads[0]
    for number, load in enumerate(loads):
        at, indices = load.at, {*load.indices}
        is_behind = load.buffer is first.buffer and at.terms == first.at.terms
        is_behind = is_behind and at.offset == first.at.offset + number
        is_plain = at.blocked is None and at.vnni is None
        moves = row in indices and column not in indices
        if not (is_behind and is_plain and moves and len([*load.result.uses]) == 1):
            return ()
    return loads


def _only_for(op: TileOp, dots: Sequence[DotBytesOp]) -> tuple[Operation, ...]:
    """What the k-loop computes for the words of B alone."""
    found, products = list[Operation](), {*dots}
    for each in reversed([*op.k_loop.block.ops]):
        uses = [use for result in each.results for use in result.uses]
        if uses and all(
            use.operation in found or (use.operation in products and use.index == 1)
            for use in uses
        ):
            found.insert(0, each)
    return tuple(found)


class WordTile(RegisterTile):
    """A register tile of as many rows and columns as a tile register has."""

    def __init__(self, host: KernelHost, op: TileOp, words: Words, at: tuple[str, str]):
        tiles = words.tiles
        super().__init__(host, op, Shape(tiles.rows, 1, tiles.columns), *at)
        self.words, self.ahead = words, 0
        self.sums = ""
        """The address of the sums of the k that is written."""

    def store_words(self) -> None:
        """Writes the words of B of all k, for the columns of this tile."""
        w, words, block = self.host.w, self.words, self.op.k_loop.block

        def one(at: str, _: list[Value]) -> list[Value]:
            known: Known = {}
            scope, lines = self.host.scope, self.b_at(at)
            with self.at_position((0, 0), block):
                self.set_k(at)
                for each in block.ops:
                    if each in words.for_b or not each.operands:
                        scope.define(each.results[0], self.shared(each, (0, 0), known))
                for number, dot in enumerate(words.dots):
                    line = w.splat(scope[dot.a], words.tiles.columns)
                    to = w.at(line, lines, str(number))
                    w.do(f"store {line.typed}, ptr {to}, align 64")
            return []

        w.loop("0", str(words.count), 1, (), one)

    def write_k_loop(
        self, point: list[str], bounds: Sequence[Dim], accumulators: list[Value]
    ) -> list[Value]:
        """
        Writes one loop over all k. The products of the next k come before what becomes
        of the sums of this one, which by then are in memory.
        """
        w, last = self.host.w, self.words.count - 1
        self.multiply("0", 0)

        def two(at: str, inner: list[Value]) -> list[Value]:
            for turn in range(2):
                self.multiply(w.add(at, str(turn + 1)), 1 - turn)
                inner = self.add_up(w.add(at, str(turn)), turn, inner)
            return inner

        even = last - last % 2
        accumulators = w.loop("0", str(even), 2, accumulators, two)
        if even < last:
            self.multiply(str(last), 1)
            accumulators = self.add_up(str(even), 0, accumulators)
        return self.add_up(str(last), last % 2, accumulators)

    def multiply(self, at: str, turn: int) -> None:
        """Writes the products of all words of a k."""
        words, w, memory = self.words, self.host.w, self.host.memory
        block, registers, load = self.op.k_loop.block, words.registers, words.a[0]
        pitch = str(words.tiles.row_bytes)
        with self.at_position((0, 0), block):
            self.set_k(at)
            a = memory.address(load.buffer, memory.offsets(memory.at(load)).first)
            for each in words.b_loads:
                memory.ask_ahead(each, words.panel_bytes)
        a_pitch = w.mul(w.size(memory.at(load).step(block.args[0])), str(_BYTES))
        registers.clear(_SUMS)
        registers.load(_A, a, a_pitch)
        registers.load(_B, self.b_at(at), pitch)
        registers.multiply(_SUMS, _A, _B)
        registers.store(_SUMS, self.sums_at(turn), pitch)

    def add_up(self, at: str, turn: int, accumulators: list[Value]) -> list[Value]:
        """Writes what becomes of all accumulators by the sums of a k."""
        self.sums = self.sums_at(turn)
        return self.one_k(self.point(at), accumulators)

    def point(self, at: str) -> list[str]:
        """The reduced indices of a k, by its number; none where there is one k."""
        w, found, (_, _, *sizes) = self.host.w, list[str](), self.op.sizes
        if not sizes:
            return found
        for size in reversed(sizes[1:]):
            assert isinstance(size, int), "the k of such a tile are counted"
            found.insert(0, w.minus(at, w.whole(at, size)))
            at = w.div(at, size)
        return [at, *found]

    def set_k(self, at: str) -> None:
        """Sets the reduced indices to a k."""
        indices = self.op.k_loop.block.args[2:-1]
        for index, each in zip(indices, self.point(at), strict=True):
            self.host.scope.set_index(index, each)

    def b_at(self, at: str) -> str:
        """The address of the words of B of a k."""
        bytes = self.host.w.mul(at, str(self.words.b_bytes))
        return self.host.w.emit(f"getelementptr i8, ptr {self.words.b}, i64 {bytes}")

    def sums_at(self, turn: int) -> str:
        """The address of the sums of a k: two take turns."""
        bytes = turn * self.words.tiles.rows * self.words.tiles.row_bytes
        return self.host.w.emit(f"getelementptr i8, ptr {self.words.sums}, i64 {bytes}")

    def of_k(
        self, op: Operation, position: tuple[int, int], point: list[str], known: Known
    ) -> Value:
        """Writes an op of the k-loop, but for the products of words."""
        words, w = self.words, self.host.w
        if op in words.a or op in words.for_b:
            return Value("0", i32)
        if not isinstance(op, DotBytesOp):
            return super().of_k(op, position, point, known)
        before = self.host.scope[op.sum]
        if op is not words.dots[-1]:
            return before
        if position[0] % _ROWS_AT_ONCE == 0:
            w.fence()
        lanes = words.tiles.columns
        here = w.at(Value("", i32, lanes), self.sums, str(position[0]))
        found = w.value(f"load <{lanes} x i32>, ptr {here}, align 64", i32, lanes)
        return w.value(f"add {found.typed}, {w.splat(before, lanes).text}", i32, lanes)
