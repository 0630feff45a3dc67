"""
Write the microkernel: MR x NR accumulators in vector registers, over a block of k.

    accumulators are set, or loaded as the block of k before stored them
    for k: one vector load of B for each vector of a row, one broadcast of A for each
        row, one multiply-add for each vector of accumulators
    the epilogue of the accumulators, or their stores for the next block of k
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ....dialects import product
from ..text.scope import SCALAR, Lanes
from ..text.types import Value
from .blocks import Blocks, KBlock, Position
from .edge_tile import EdgeTile
from .k_loop import Build, k_loop
from .k_range import k_ranges, packed_range
from .prefetch import Panel, PanelPrefetch, prefetch_epilogue, prefetch_row
from .register_tile import RegisterTile, Shape
from .rolled_epilogue import rows_at_once, write_rows
from .row_bases import k_offset, row_bases, row_element
from .steps import StepsWriter
from .unroll import unrolled
from .vnni import VnniWriter

OneK: TypeAlias = Callable[[str, Sequence[Value], range], list[Value]]
"""Writes one k of accumulators: takes it, them, and the rows that need it."""


@dataclass(frozen=True)
class Microkernel:
    """The microkernel at one position; A is packed or is read where it lies."""

    blocks: Blocks
    position: Position
    block: KBlock
    packed: bool

    def write(self, mr: int, panels: int, vectors: int) -> None:
        """Writes the accumulators of the first rows and the first vectors."""
        blocks, position, block = self.blocks, self.position, self.block
        w, nr, lanes = blocks.w, blocks.nr, blocks.lanes
        shape = Shape(mr, vectors, lanes)
        tile = RegisterTile(
            blocks.host, blocks.op, shape, position.row, position.column
        )
        partial, valid = "false", str(nr)
        if blocks.has_edge and panels == 1:
            valid = w.minus(w.size(blocks.column_count), position.column)
            partial = w.emit(f"icmp slt i64 {valid}, {nr}")
        edge = EdgeTile(blocks, tile, position, (str(mr), valid), nr)
        initial = w.splat(blocks.scope[blocks.op.initial], lanes)
        accumulators = w.branch(
            block.first,
            lambda: [initial for _ in tile.positions],
            lambda: w.branch(
                partial, edge.load, lambda: [tile.load(at) for at in tile.positions]
            ),
        )
        accumulators = self.without_zero_row(tile, accumulators)
        prefetch_epilogue(blocks, tile)
        results = self.write_k_loop(tile, accumulators)

        def epilogue() -> list[Value]:
            at_once = rows_at_once(blocks.op, shape)
            if at_once < mr:
                return write_rows(blocks, tile, position.row, results, at_once)
            return tile.write_epilogue(results)

        def edge_epilogue() -> list[Value]:
            if blocks.masks_edge:
                return edge.masked(epilogue)
            return edge.write_epilogue(results)

        w.branch(
            block.last,
            lambda: w.branch(partial, edge_epilogue, epilogue),
            lambda: w.branch(
                partial, lambda: edge.keep(results), lambda: tile.keep(results)
            ),
        )

    def without_zero_row(
        self, tile: RegisterTile, accumulators: list[Value]
    ) -> list[Value]:
        """Writes the subtraction of what a row of zeros comes to in the block."""
        blocks, w = self.blocks, self.blocks.w
        if not (blocks.zero_row and self.packed):
            return accumulators
        memory, type = blocks.host.memory, blocks.op.initial.type
        sums = [
            memory.read(
                blocks.at(blocks.zero_row, str(vector * blocks.lanes)),
                type,
                blocks.lanes,
            )
            for vector in range(tile.shape.vectors)
        ]
        return [
            w.value(f"sub {value.typed}, {sums[vector].text}", type, blocks.lanes)
            for (_, vector), value in zip(tile.positions, accumulators, strict=True)
        ]

    def write_k_loop(
        self, tile: RegisterTile, accumulators: list[Value]
    ) -> list[Value]:
        """Writes the k-loop of the block; the accumulators after it."""
        blocks, w, block = self.blocks, self.blocks.w, self.block
        panel = find_panel(blocks, self.position, block)
        row = w.mul(self.position.row_in_block, str(blocks.a_pitch * blocks.parts))
        rows = blocks.at(blocks.packed_a, row) if self.packed else ""
        bases = [] if self.packed else row_bases(blocks, block, tile.rows)
        ahead = panel
        if blocks.packed_b and blocks.op.prefetch is not None:
            ahead = _next_block(blocks, self.position, block)
        prefetch = PanelPrefetch.of(blocks, self.position, ahead)
        if (blocks.b.at.vnni is not None or blocks.in_words) and panel.start:
            vnni = VnniWriter(blocks, tile, panel, prefetch)
            if self.packed and blocks.in_words:
                row_at = blocks.at(blocks.packed_a, row, blocks.isa.element)
                return vnni.write_words(block, row_at, accumulators)
            return vnni.write_elements(block, accumulators, self.multiply)

        def element(number: int, k: str, offset: str) -> Value:
            if self.packed:
                here = blocks.at(rows, w.add(k, str(number * blocks.a_pitch)))
                one = blocks.host.memory.read(here, blocks.op.initial.type, 1)
            elif bases:
                one = row_element(blocks, bases[number], offset)
            else:
                with blocks.scope.inner(SCALAR):
                    blocks.set_index(blocks.row, tile.rows[number])
                    one = blocks.element(blocks.a)
            return w.splat(one, blocks.lanes)

        every = range(tile.shape.rows)
        outer: list[str] | None = [] if bases else None

        def multiplied(
            k: str, b: list[Value], carried: list[Value], needs: range = every
        ) -> list[Value]:
            results = list[Value]()
            offset = "" if outer is None else k_offset(blocks, *outer)
            for number, own in enumerate(tile.by_row(carried)):
                if number in needs:
                    own = self.multiply(element(number, k, offset), b, own)
                results += own
            return results

        if blocks.has_steps and not blocks.packed_b:
            steps = StepsWriter(blocks, self.position.column, tile.shape.vectors)
            return steps.write(block, accumulators, multiplied, prefetch.write)

        def one_k(k: str, accumulators: Sequence[Value], needs: range) -> list[Value]:
            if panel.start:
                b = self.load_b(panel, k, tile.shape)
            else:
                b = self.load_b_as_it_lies(tile)
            return multiplied(k, b, [*accumulators], needs)

        return self.write_loops(tile, accumulators, one_k, prefetch, outer)

    def write_loops(
        self,
        tile: RegisterTile,
        accumulators: list[Value],
        one_k: OneK,
        prefetch: PanelPrefetch,
        outer: list[str] | None,
    ) -> list[Value]:
        """
        Writes the loops over k, which leave out what windows see of a border; `outer`
        takes how far the innermost begins from the bases of rows, where there are any.
        """
        blocks, block, index = self.blocks, self.block, self.blocks.k_indices[-1]

        def enter() -> None:
            if outer is not None:
                outer[:] = [blocks.w.hidden_number(k_offset(blocks))]

        def of_rows(needs: range) -> Build:
            def one(k: str, carried: Sequence[Value]) -> list[Value]:
                return one_k(k, carried, needs)

            def several(k: str, count: int, carried: list[Value]) -> list[Value]:
                prefetch.write(k, count)
                own = None if self.packed else index
                return unrolled(blocks, k, count, carried, one, own)

            return several

        every = of_rows(range(tile.shape.rows))
        if not self.packed:
            ranges = k_ranges(blocks, block, tile)
            inner = len(blocks.reduced) - blocks.axis - 1, enter
            found = blocks, block, accumulators, every
            return k_loop(*found, enter=inner, ranges=ranges, of_rows=of_rows)
        own = packed_range(blocks, block, tile)
        counts = own.unrolled(blocks)
        return blocks.w.loop_by(counts, own.stop, accumulators, every, own.start)

    def load_b(self, panel: Panel, k: str, shape: Shape) -> list[Value]:
        """Writes the loads of a row of panels."""
        w, blocks = self.blocks.w, self.blocks
        start, values = w.mul(k, str(blocks.nr)), list[Value]()
        type = blocks.op.initial.type if blocks.packed_b else blocks.b.element
        prefetch_row(blocks, panel, k, shape, type)
        for vector in range(shape.vectors):
            number, inside = divmod(vector * blocks.lanes, blocks.nr)
            offset = w.add(w.mul(panel.pitch, str(number)), str(inside))
            values.append(self.load_vector(panel.start, w.add(start, offset)))
        return values

    def load_vector(self, panel: str, offset: str) -> Value:
        """Writes the load of a vector of a panel, and its conversion to the factor."""
        blocks, memory = self.blocks, self.blocks.host.memory
        if blocks.packed_b:
            # It was converted when it was packed.
            here = blocks.at(panel, offset)
            return memory.read(here, blocks.op.initial.type, blocks.lanes)
        type = blocks.b.element
        here = blocks.at(panel, offset, type)
        return blocks.element(blocks.b, memory.read(here, type, blocks.lanes))

    def load_b_as_it_lies(self, tile: RegisterTile) -> list[Value]:
        """Writes the loads of a row of B that is not in panels."""
        blocks, values = self.blocks, list[Value]()
        for at in tile.columns:
            with blocks.scope.inner(Lanes(blocks.column, blocks.lanes)):
                blocks.set_index(blocks.column, at)
                values.append(blocks.element(blocks.b))
        return values

    def multiply(
        self, a: Value, b: Sequence[Value], accumulators: Sequence[Value]
    ) -> list[Value]:
        """Writes one k of the accumulators of a row."""
        blocks, results = self.blocks, list[Value]()
        scope, (of_a, of_b) = blocks.scope, blocks.factors
        with scope.inner():
            scope.define(of_a, a)
            for one, accumulator in zip(b, accumulators, strict=True):
                scope.define(blocks.so_far, accumulator)
                scope.define(of_b, one)
                for each in blocks.product_ops:
                    scope.define(each.results[0], blocks.host.evaluate(each))
                results.append(blocks.w.splat(scope[blocks.next], blocks.lanes))
        return results


def find_panel(blocks: Blocks, position: Position, block: KBlock) -> Panel:
    """Where the first panel of a register tile begins in a block of k, if B has any."""
    w, at = blocks.w, blocks.b.at
    if blocks.packed_b:
        offset = w.mul(position.column_in_block, str(blocks.kc))
        start = blocks.at(blocks.packed_b, offset, blocks.packed_type)
        return Panel(w.hidden(start), str(blocks.kc * blocks.nr))
    if at.blocked is None:
        return Panel("", "0")
    return _constant_panel(blocks, position, block)


def _next_block(blocks: Blocks, position: Position, block: KBlock) -> Panel:
    """
    Where the panel begins that this one is packed from, and how far what is packed in
    the next block: the k that follow, or where a block has all, the columns.
    """
    here = _constant_panel(blocks, position, block)
    schedule, w = blocks.schedule, blocks.w
    first = blocks.reduced[blocks.axis]
    if first == schedule.kc.data and not blocks.axis:
        panels = max(schedule.nc.data // blocks.nr, 1)
        return Panel(here.start, w.mul(here.pitch, str(panels)))
    inner = product(blocks.reduced[blocks.axis + 1 :])
    depth = blocks.kc or blocks.values_in_block * inner
    return Panel(here.start, w.mul(w.size(depth), str(blocks.nr)))


def _constant_panel(blocks: Blocks, position: Position, block: KBlock) -> Panel:
    """Where the first panel of a constant begins beside a register tile."""
    w, at = blocks.w, blocks.b.at
    assert at.blocked is not None, "a constant in panels"
    pitch, memory = w.size(at.blocked.stride), blocks.host.memory
    with blocks.scope.inner(SCALAR):
        zeros = ("0" for _ in blocks.reduced[blocks.axis + 1 :])
        blocks.set_k(block, [block.start, *zeros])
        blocks.set_index(blocks.column, "0")
        start = memory.offsets(at).first
        start = w.add(start, w.mul(w.div(position.column, blocks.nr), pitch))
        return Panel(w.hidden(memory.address(blocks.b.buffer, start)), pitch)


def write_zero_row(
    blocks: Blocks, position: Position, block: KBlock, vectors: int
) -> None:
    """Writes what a row of zeros comes to in the panels at a position."""
    shape = Shape(1, vectors, blocks.lanes)
    tile = RegisterTile(blocks.host, blocks.op, shape, position.row, position.column)
    panel = find_panel(blocks, position, block)
    nothing = PanelPrefetch(blocks.w, "", 0)
    VnniWriter(blocks, tile, panel, nothing).write_zero_row(block)
