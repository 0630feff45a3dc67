"""
Write MR x NR accumulators in vector registers: their k-loop, and what they end in.

What the k-loop computes is written once for each vector of accumulators, but what does
not depend on the row, or on the column, once for all: so an element of an operand is
loaded once and used for a whole row or column of the register tile. Where a window
slides along the rows (`dialects/loop/slide.py`), an element is loaded once for all rows
and innermost k that read it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from ....dialects import Dim, product
from ....dialects.loop import (
    LoadOp,
    Slide,
    StoreOp,
    TargetAttr,
    TileOp,
    YieldOp,
    find_slide,
)
from ..text.function import FunctionWriter
from ..text.masks import mask_of
from ..text.memory_access import MemoryAccess
from ..text.scope import SCALAR, Lanes, Scope
from ..text.types import Value, memory_text
from .dependence import Dependences

Known: TypeAlias = dict[tuple[SSAValue, int, int], Value]
"""What is written of a region: results for a row and a vector, or for all (-1)."""


class KernelHost(Protocol):
    """What the writer of a kernel does for a contraction."""

    w: FunctionWriter
    target: TargetAttr
    scope: Scope
    memory: MemoryAccess

    def evaluate(self, op: Operation) -> Value:
        """Writes an op that has a value; the value."""
        ...


@dataclass(frozen=True)
class Shape:
    """The rows of a register tile, the vectors of a row, and the lanes of a vector."""

    rows: int
    vectors: int
    lanes: int


class RegisterTile:
    """The accumulators whose first is at a row and a column of the result."""

    def __init__(
        self, host: KernelHost, op: TileOp, shape: Shape, row: str, column: str
    ):
        self.host, self.op, self.shape = host, op, shape
        self.positions = [
            (row, vector)
            for row in range(shape.rows)
            for vector in range(shape.vectors)
        ]
        """The row and the vector of each accumulator, row by row."""
        w = host.w
        self.rows = [w.add(row, str(each)) for each in range(shape.rows)]
        self.columns = [
            w.add(column, str(each * shape.lanes)) for each in range(shape.vectors)
        ]
        self.masks = [""] * shape.vectors
        """Of each vector of a row, the lanes that load and store, where not all do."""
        self.ahead = 0 if op.prefetch is None or op.schedule else op.prefetch.value.data
        """How many bytes ahead of what is loaded words of steps are prefetched."""
        self.dependences = Dependences()
        self.bases: dict[Operation, list[str]] = {}
        """The addresses of rows of operands that have one for each row of the tile."""
        self.slide: Slide | None = None
        """The window that slides along the rows, where it is held in registers."""
        self.window: Known = {}
        """What is written of the ops of the window, by place instead of row."""

    def write(self) -> None:
        """Writes the k-loop over all that is reduced, and the epilogue."""
        if self.op.slides is not None and self.op.unrolled > 1:
            self.slide = find_slide(self.op)
        self.find_bases()
        initial = self.host.scope[self.op.initial]
        initial = self.host.w.splat(initial, self.shape.lanes)
        _, _, *reduced = self.op.sizes
        results = self.write_k_loop([], reduced, [initial for _ in self.positions])
        self.write_epilogue(results, {} if self.fits_beside() else None)

    def fits_beside(self) -> bool:
        """Whether registers hold what rows share in the epilogue, and accumulators."""
        loads = [
            each
            for each in self.op.epilogue.block.ops
            if isinstance(each, LoadOp) and self.dependences.of(each) == (False, True)
        ]
        count = len(self.positions) + len(loads) * self.shape.vectors
        return count < self.host.target.registers.data

    def mask(self, columns: str) -> None:
        """Writes the masks of a tile whose first columns alone are valid."""
        lanes = self.shape.lanes
        self.masks = [
            mask_of(self.host.w, columns, lanes, vector * lanes)
            for vector in range(self.shape.vectors)
        ]

    def by_row(self, accumulators: Sequence[Value]) -> list[Sequence[Value]]:
        """The accumulators of each row."""
        wide = self.shape.vectors
        starts = range(0, len(accumulators), wide)
        return [accumulators[start:][:wide] for start in starts]

    @contextmanager
    def at(
        self,
        row: str,
        column: str,
        lanes: int,
        block: Block | None = None,
        mask: str = "",
    ) -> Generator[None]:
        """
        A scope in which a region, else the epilogue, is written for some accumulators:
        `lanes` of them in a row, from a column on, where the mask, if any, is set.
        """
        scope = self.host.scope
        row_index, column_index, *_ = (block or self.op.epilogue.block).args
        vector = Lanes(column_index, lanes, mask=mask)
        with scope.inner(vector if lanes > 1 else SCALAR):
            scope.set_index(row_index, row)
            scope.set_index(column_index, column)
            yield

    @contextmanager
    def at_position(
        self, position: tuple[int, int], block: Block | None = None
    ) -> Generator[None]:
        """A scope in which a region, else the epilogue, is written for one vector."""
        row, vector = position
        column, lanes = self.columns[vector], self.shape.lanes
        with self.at(self.rows[row], column, lanes, block, self.masks[vector]):
            yield

    def write_epilogue(
        self, accumulators: Sequence[Value], known: Known | None = None
    ) -> list[Value]:
        """
        Writes the epilogue of all accumulators; where `known` is given, what does not
        depend on the row, or on the column, is written once.
        """
        for position, value in zip(self.positions, accumulators, strict=True):
            with self.at_position(position):
                self.write_epilogue_here(value, position, known)
        return []

    def write_epilogue_here(
        self,
        accumulators: Value,
        position: tuple[int, int] = (0, 0),
        known: Known | None = None,
    ) -> None:
        """Writes the epilogue of what the scope is at."""
        host, block = self.host, self.op.epilogue.block
        with host.scope.inner():
            host.scope.define(block.args[2], accumulators)
            for each in block.ops:
                if isinstance(each, StoreOp):
                    host.memory.store(each)
                elif not isinstance(each, YieldOp):
                    value = self.shared(each, position, {} if known is None else known)
                    host.scope.define(each.results[0], value)

    def keep(self, accumulators: Sequence[Value]) -> list[Value]:
        """Writes stores of accumulators that go on in the next block of k."""
        for position, value in zip(self.positions, accumulators, strict=True):
            with self.at_position(position):
                self.keep_here(value)
        return []

    def keep_here(self, accumulators: Value) -> None:
        """Writes the store of what the scope is at."""
        mask = self.host.scope.lanes.mask
        self.host.memory.put(accumulators, self.kept_at(), mask)

    def load(self, position: tuple[int, int]) -> Value:
        """Writes the load of a vector of accumulators that was stored."""
        with self.at_position(position):
            return self.load_here(self.shape.lanes)

    def load_here(self, lanes: int) -> Value:
        """Writes the load of stored accumulators that the scope is at."""
        type, mask = self.op.initial.type, self.host.scope.lanes.mask
        return self.host.memory.read(self.kept_at(), type, lanes, mask)

    def kept_at(self) -> str:
        """
        The address where accumulators are stored between blocks of k: the place of
        their results.
        """
        memory, store = self.host.memory, self.op.store
        assert store is not None, "accumulators are kept where one store puts them"
        return memory.address(store.buffer, memory.offsets(memory.at(store)).first)

    def write_k_loop(
        self, point: list[str], bounds: Sequence[Dim], accumulators: list[Value]
    ) -> list[Value]:
        """Writes the loops over what is reduced; the accumulators after them."""
        if not bounds:
            return self.one_k(point, accumulators)
        first, *rest = bounds
        # Of more masked loads in a row LLVM would spill what they load.
        most = 1 if rest and any(self.masks) else self.op.unrolled
        count = product(bounds)
        if isinstance(first, int) and isinstance(count, int) and count <= most:
            self.window = {}
            for at in range(first):
                accumulators = self.write_k_loop([*point, str(at)], rest, accumulators)
            return accumulators

        def one(at: str, inner: list[Value]) -> list[Value]:
            return self.write_k_loop([*point, at], rest, inner)

        return self.host.w.loop("0", self.host.w.size(first), 1, accumulators, one)

    def one_k(self, point: list[str], accumulators: list[Value]) -> list[Value]:
        """Writes the body of the k-loop for all accumulators."""
        host, scope = self.host, self.host.scope
        indices = self.op.k_loop.block.args[2:-1]
        if self.bases:
            # What all rows use is loaded again for each tile, or it would be spilled.
            host.w.fence()
        with scope.inner():
            for index, at in zip(indices, point, strict=True):
                scope.set_index(index, at)
            return self.next_of(accumulators, point)

    def next_of(self, accumulators: list[Value], point: list[str]) -> list[Value]:
        """Writes what all accumulators become at the k of the scope."""
        known: Known = {}
        return [
            self.next_at(position, value, point, known)
            for position, value in zip(self.positions, accumulators, strict=True)
        ]

    def next_at(
        self, position: tuple[int, int], value: Value, point: list[str], known: Known
    ) -> Value:
        """Writes what a vector of accumulators becomes at the k of the scope."""
        host, block, scope = self.host, self.op.k_loop.block, self.host.scope
        with self.at_position(position, block):
            scope.define(block.args[-1], value)
            for each in block.ops:
                if each.results:
                    found = self.of_k(each, position, point, known)
                    scope.define(each.results[0], found)
            return host.w.splat(scope[self.op.next], self.shape.lanes)

    def of_k(
        self, op: Operation, position: tuple[int, int], point: list[str], known: Known
    ) -> Value:
        """Writes an op of the k-loop, unless another row or k has it already."""
        if self.slide is None or op not in self.slide.ops:
            return self.shared(op, position, known)
        place = self.slide.place(position[0], int(point[-1]))
        return self.shared(op, position, self.window, place)

    def shared(
        self,
        op: Operation,
        position: tuple[int, int],
        known: Known,
        place: int | None = None,
    ) -> Value:
        """Writes an op, unless its row, or place of the window, or column has it."""
        by_row, by_column = self.dependences.of(op)
        row, vector = position
        at = row if place is None else place
        key = op.results[0], at if by_row else -1, vector if by_column else -1
        if key not in known:
            if (base := self.bases.get(op)) is None:
                known[key] = self.host.evaluate(op)
                if self.ahead and by_column:
                    self.host.memory.ask_ahead(op, self.ahead)
            else:
                assert isinstance(op, LoadOp)
                known[key] = self.load_from(base, op, row, vector)
        return known[key]

    def find_bases(self) -> None:
        """Writes where each row begins of operands with an element for each result."""
        host, block = self.host, self.op.k_loop.block
        row, column, *reduced, _ = block.args
        if self.shape.rows == 1 or not reduced:
            return
        with host.scope.inner():
            for index in reduced:
                host.scope.set_index(index, "0")
            for each in block.ops:
                if not isinstance(each, LoadOp) or each.at.blocked is not None:
                    continue
                strides = dict(each.at.terms)
                if row not in strides or strides.get(column) != 1:
                    continue
                outer = [index for index in strides if index in host.scope]
                if any(host.scope[index].lanes > 1 for index in outer):
                    continue
                slides = self.slide is not None and each in self.slide.ops
                count = 1 if slides else self.shape.rows
                self.bases[each] = [self.base(each, row) for row in range(count)]

    def base(self, op: LoadOp, row: int) -> str:
        """Writes the address of the first element that a load has in a row."""
        memory = self.host.memory
        with self.at_position((row, 0), self.op.k_loop.block):
            address = memory.address(op.buffer, memory.offsets(memory.at(op)).first)
        return self.host.w.hidden(address)

    def load_from(
        self, bases: Sequence[str], op: LoadOp, row: int, vector: int
    ) -> Value:
        """Writes the load of a vector of a row; a window has the first row's base."""
        host, offset = self.host, str(vector * self.shape.lanes)
        at, row_index = host.memory.at(op), self.op.k_loop.block.args[0]
        if len(bases) < self.shape.rows:
            apart = host.w.mul(str(row), host.w.size(at.step(row_index)))
            offset, row = host.w.add(offset, apart), 0
        for index in self.op.k_loop.block.args[2:-1]:
            stride = host.w.size(at.step(index))
            offset = host.w.add(offset, host.w.mul(host.scope[index].text, stride))
        type, base = op.element, bases[row]
        here = f"getelementptr inbounds {memory_text(type)}, ptr {base}, i64 {offset}"
        mask = self.masks[vector]
        return host.memory.read(host.w.emit(here), type, self.shape.lanes, mask)
