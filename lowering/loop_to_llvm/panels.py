"""
Write a `loop.tile` with a schedule: in blocks, from panels, with copies where it says.

    for columns in blocks
        for what is reduced in blocks
            copy the columns of the block into panels
            for rows in blocks
                copy the rows of the block side by side
                for panels
                    for as many rows as registers hold: totals, step by step

After the last step of all a total is finished; before, it is stored where the result
will be, and goes on from there in the next block. So a total is a chain of steps in the
order of the reduced indices, whatever the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from ...dialects.dims import product
from ...dialects.loop.ops.for_loop import YieldOp
from ...dialects.loop.ops.memory import LoadOp
from ...dialects.loop.ops.tile import TileOp
from .function import is_number
from .tile import BlockWriter, Host, Shape
from .types import Value, memory_text

PADDING = 16
"""Elements between copied rows, so that rows do not fall into one set of a cache."""

WIDEST = 8
"""Vectors in a row of the widest tile: as many chains as multiply-adds in flight."""


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


def write_panels(host: Host, op: TileOp) -> None:
    """Writes a tile as its schedule says."""
    assert host.lanes == 1, "a tile is not inside a vector"
    side_by_side = host.side_by_side
    PanelWriter(host, op).write()
    host.side_by_side, host.lanes = side_by_side, 1


class PanelWriter:
    """Writes the blocks of one tile."""

    def __init__(self, host: Host, op: TileOp):
        schedule, factors = op.schedule, op.factors()
        assert schedule is not None
        assert factors is not None, "a schedule is for products"
        self.host, self.op, self.w = host, op, host.w
        self.schedule = schedule
        self.down, self.across = factors
        self.tall, self.wide, self.lanes = op.block
        self.width = schedule.panels.data
        self.row_count, self.column_count, *self.reduced = op.sizes
        self.axis = schedule.axis.data
        inner = product(self.reduced[self.axis + 1 :])
        assert isinstance(inner, int), "what is inside of a block has a known size"
        self.inner = inner
        self.deep = schedule.depth.data * inner
        self.panel_copy = self.row_copy = ""
        if schedule.copies_of("columns"):
            self.panel_copy = self.allocate(self.deep * schedule.columns.data)
        if schedule.copies_of("rows"):
            rows = max(schedule.rows.data, self.tall)
            self.row_copy = self.allocate(rows * (self.deep + PADDING))
        whole = self.column_count
        self.has_edge = not isinstance(whole, int) or whole % self.width != 0
        self.edge = self.allocate(self.tall * self.width) if self.has_edge else ""

    def allocate(self, count: int) -> str:
        """Scratch memory of the kernel."""
        type = memory_text(self.op.initial.type)
        return self.w.entered(f"alloca [{count} x {type}], align 64")

    def at(self, base: str, place: str) -> str:
        """The address of an element of scratch memory."""
        type = memory_text(self.op.initial.type)
        return self.w.emit(f"getelementptr inbounds {type}, ptr {base}, i64 {place}")

    def write(self) -> None:
        """Writes the loops over blocks of columns, and all that is within."""
        w, block = self.w, self.schedule.columns.data
        stop = w.size(self.column_count)

        def columns(start: str, _: list[Value]) -> Sequence[Value]:
            end = w.least(w.add(start, str(block)), stop)
            self.write_depths([], Columns(start, end))
            return ()

        w.loop("0", stop, block, (), columns)

    def write_depths(self, outer: Sequence[str], columns: Columns) -> None:
        """Writes the loops over blocks of what is reduced."""
        w, bound = self.w, self.reduced[len(outer)]
        stop = w.size(bound)
        if len(outer) < self.axis:

            def index(at: str, _: list[Value]) -> Sequence[Value]:
                self.write_depths([*outer, at], columns)
                return ()

            w.loop("0", stop, 1, (), index)
            return
        block = self.schedule.depth.data

        def steps(start: str, _: list[Value]) -> Sequence[Value]:
            count = w.least(str(block), self.minus(stop, start))
            if isinstance(bound, int) and bound % block == 0:
                count = str(block)
            ends = [*zip(outer, self.reduced, strict=False)]
            first = [self.same(each, "0") for each in (*outer, start)]
            last = [self.same(at, self.minus(w.size(size), "1")) for at, size in ends]
            last.append(self.same(w.add(start, count), stop))
            self.write_depth(
                columns,
                Depth((*outer,), start, count, self.both(first), self.both(last)),
            )
            return ()

        # Where nothing is reduced, totals are finished all the same.
        if not isinstance(bound, int):
            stop_at_least = w.emit(f"call i64 @llvm.smax.i64(i64 {stop}, i64 1)")
        else:
            stop_at_least = stop
        w.loop("0", stop_at_least, block, (), steps)

    def minus(self, a: str, b: str) -> str:
        """The difference of two i64."""
        return self.w.add(a, self.w.mul(b, "-1"))

    def same(self, a: str, b: str) -> str:
        """Whether two i64 are equal."""
        if is_number(a) and is_number(b):
            return "true" if a == b else "false"
        return self.w.emit(f"icmp eq i64 {a}, {b}")

    def both(self, conditions: Sequence[str]) -> str:
        """Whether all conditions hold."""
        result = "true"
        for each in conditions:
            if "false" in (result, each):
                result = "false"
            elif "true" in (result, each):
                result = each if result == "true" else result
            else:
                result = self.w.emit(f"and i1 {result}, {each}")
        return result

    def write_depth(self, columns: Columns, depth: Depth) -> None:
        """Writes a block of columns and steps, for all rows."""
        if self.panel_copy:
            self.copy_columns(columns, depth)
        w, done = self.w, "0"
        count = w.size(self.row_count)
        for tall in self.heights():
            stop = w.add(done, self.whole(self.minus(count, done), tall))
            most = self.schedule.rows.data // tall * tall if tall == self.tall else tall

            def rows(
                start: str,
                _: list[Value],
                tall: int = tall,
                most: int = most,
                stop: str = stop,
            ) -> Sequence[Value]:
                end = w.least(w.add(start, str(most)), stop)
                self.write_rows(columns, depth, start, end, tall)
                return ()

            w.loop(done, stop, most, (), rows)
            done = stop

    def heights(self) -> list[int]:
        """How many rows are computed at a time: first the most, then what is left."""
        if isinstance(self.row_count, int):
            rest = self.row_count % self.tall
            return [self.tall, rest] if rest else [self.tall]
        heights = [self.tall]
        while heights[-1] > 1:
            heights.append(heights[-1] // 2)
        return heights

    def whole(self, size: str, step: int) -> str:
        """The greatest multiple of `step` that is not above `size`."""
        return self.w.mul(self.w.div(size, step), str(step))

    def write_rows(
        self, columns: Columns, depth: Depth, start: str, end: str, tall: int
    ) -> None:
        """Writes a block of rows, columns and steps: panel by panel."""
        w, copied = self.w, bool(self.row_copy) and tall > 1
        if copied:
            self.copy_rows(depth, start, end)
        rows, wide = self.minus(end, start), self.width
        count = self.minus(columns.stop, columns.start)
        done = "0"
        for group in dict.fromkeys((self.group(tall), 1)):
            step = group * wide
            stop = self.whole(count, step) if group > 1 else count

            def panel(
                column: str, _: list[Value], group: int = group
            ) -> Sequence[Value]:
                def row(at: str, _: list[Value]) -> Sequence[Value]:
                    place = Place(
                        w.add(start, at), at, w.add(columns.start, column), column
                    )
                    self.write_totals(place, depth, tall, group, copied)
                    return ()

                w.loop("0", rows, tall, (), row)
                return ()

            w.loop(done, stop, step, (), panel)
            done = stop

    def group(self, tall: int) -> int:
        """How many panels are computed at once beside so few rows."""
        if tall == self.tall:
            return self.wide // self.width
        vectors = self.width // self.lanes
        if tall == 1:
            return max(WIDEST // vectors, 1)
        registers = (self.tall + 1) * (self.wide // self.lanes)
        return max(registers // (tall + 1) // vectors, 1)

    def write_totals(
        self, place: Place, depth: Depth, tall: int, group: int, copied: bool
    ) -> None:
        """Writes one tile of totals: where they start, the steps, where they go."""
        vectors = group * self.width // self.lanes
        shape = Shape(tall, vectors, self.lanes)
        block = BlockWriter(self.host, self.op, shape)
        block.place(place.row, place.column)
        partial = "false"
        if self.has_edge and group == 1:
            end = self.w.add(place.column, str(self.width))
            partial = self.w.emit(
                f"icmp sgt i64 {end}, {self.w.size(self.column_count)}"
            )
        edge = Edge(self, block, place, tall)
        initial = self.w.splat(self.host.values[self.op.initial], self.lanes)
        totals = self.w.branch(
            depth.first,
            lambda: [initial for _ in block.places],
            lambda: self.w.branch(
                partial, edge.load, lambda: [block.load(at) for at in block.places]
            ),
        )
        totals = self.steps(place, depth, block, totals, copied)
        self.w.branch(
            depth.last,
            lambda: self.w.branch(
                partial, lambda: edge.finish(totals), lambda: block.finish(totals)
            ),
            lambda: self.w.branch(
                partial, lambda: edge.keep(totals), lambda: block.keep(totals)
            ),
        )

    def steps(
        self,
        place: Place,
        depth: Depth,
        block: BlockWriter,
        totals: list[Value],
        copied: bool,
    ) -> list[Value]:
        """Writes the steps of a block for one tile of totals; the totals after them."""
        w, host = self.w, self.host
        panel, apart = self.panel(place, depth)
        row = w.mul(place.row_in_block, str(self.deep + PADDING))
        rows = self.at(self.row_copy, row) if copied else ""

        def step(flat: str, carried: list[Value]) -> list[Value]:
            down: list[Value] = []
            for number, row in enumerate(block.row_at):
                if copied:
                    offset = w.add(flat, str(number * (self.deep + PADDING)))
                    one = host.read(self.at(rows, offset), self.op.initial.type, 1)
                else:
                    host.side_by_side, host.lanes = None, 1
                    self.let(self.op.step.block.args[0], row)
                    one = host.evaluate(self.down)
                down.append(w.splat(one, self.lanes))
            line = w.mul(flat, str(self.width))
            across: list[Value] = []
            for vector in range(block.shape.vectors):
                number, inside = divmod(vector * self.lanes, self.width)
                offset = w.add(line, w.add(w.mul(apart, str(number)), str(inside)))
                across.append(
                    host.read(self.at(panel, offset), self.op.initial.type, self.lanes)
                )
            return self.multiply(block, down, across, carried)

        if copied:
            return w.loop("0", w.mul(depth.count, str(self.inner)), 1, totals, step)
        return self.over(depth, totals, lambda flat, _, inner: step(flat, inner))

    def multiply(
        self,
        block: BlockWriter,
        down: Sequence[Value],
        across: Sequence[Value],
        totals: Sequence[Value],
    ) -> list[Value]:
        """Writes one step of every total."""
        host, results = self.host, list[Value]()
        *_, so_far = self.op.step.block.args
        for (row, vector), total in zip(block.places, totals, strict=True):
            host.values[so_far] = total
            host.values[self.down.result] = down[row]
            host.values[self.across.result] = across[vector]
            for each in self.op.step.block.ops:
                if not isinstance(each, LoadOp | YieldOp):
                    host.values[each.results[0]] = host.evaluate(each)
            results.append(self.w.splat(host.values[self.op.next], self.lanes))
        return results

    def panel(self, place: Place, depth: Depth) -> tuple[str, str]:
        """Where a panel begins in a block of steps, and how far the next panel is."""
        w, at = self.w, self.across.at
        if self.panel_copy:
            here = self.at(
                self.panel_copy, w.mul(place.column_in_block, str(self.deep))
            )
            return here, str(self.deep * self.width)
        assert at.panel is not None, "columns are in panels, or are copied"
        apart = w.size(at.panel.stride)
        self.enter(depth, [depth.start, *("0" for _ in self.reduced[self.axis + 1 :])])
        self.let(self.op.step.block.args[1], "0")
        self.host.side_by_side, self.host.lanes = None, 1
        start, _, _ = self.host.place(at)
        number = w.div(place.column, self.width)
        start = w.add(start, w.mul(number, apart))
        return self.host.address(self.across.buffer, start), apart

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
        by: Sequence[int] = (1,),
    ) -> list[Value]:
        """
        Writes loops over the steps of a block, the innermost by so many at a time.

        `build` takes the number of the step in the block, how many there are, and what
        is carried.
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
            done = "0"
            for step in by if number == len(sizes) - 1 else (1,):
                stop = self.whole(bound, step) if step > 1 else bound

                def body(
                    at: str, inner: list[Value], step: int = step
                ) -> Sequence[Value]:
                    here = at if number else w.add(depth.start, at)
                    place = w.add(flat, w.mul(at, w.size(stride)))
                    return level([*indices, here], place, step, inner)

                carried = w.loop(done, stop, step, carried, body)
                done = stop
            return list(carried)

        return level([], "0", 1, carried)

    def copy_rows(self, depth: Depth, start: str, end: str) -> None:
        """Writes the copy of a block of rows, one after the other."""
        w, host = self.w, self.host
        *_, last, _ = self.op.step.block.args
        strides = dict(self.down.at.terms)
        by = (self.lanes, 1) if strides.get(last) == 1 and self.lanes > 1 else (1,)

        def row(at: str, _: list[Value]) -> Sequence[Value]:
            base = self.at(self.row_copy, w.mul(at, str(self.deep + PADDING)))
            self.let(self.op.step.block.args[0], w.add(start, at))

            def copy(flat: str, lanes: int, _: list[Value]) -> Sequence[Value]:
                host.side_by_side, host.lanes = last if lanes > 1 else None, lanes
                host.put(host.evaluate(self.down), self.at(base, flat))
                return ()

            self.over(depth, (), copy, by)
            return ()

        w.loop("0", self.minus(end, start), 1, (), row)

    def copy_columns(self, columns: Columns, depth: Depth) -> None:
        """Writes the copy of a block of columns into panels."""
        w, total = self.w, self.w.size(self.column_count)
        column = self.op.step.block.args[1]

        def vectors(start: str, base: str) -> list[Value]:
            def copy(flat: str, _: int, __: list[Value]) -> Sequence[Value]:
                for inside in range(0, self.width, self.lanes):
                    self.let(column, w.add(start, str(inside)))
                    wide = self.lanes > 1
                    self.host.side_by_side = column if wide else None
                    self.host.lanes = self.lanes
                    line = w.add(w.mul(flat, str(self.width)), str(inside))
                    value = w.splat(self.host.evaluate(self.across), self.lanes)
                    self.host.put(value, self.at(base, line))
                return ()

            return self.over(depth, (), copy)

        def one_by_one(start: str, base: str) -> list[Value]:
            self.host.side_by_side, self.host.lanes = None, 1

            def copy(flat: str, _: int, __: list[Value]) -> Sequence[Value]:
                def element(inside: str, _: list[Value]) -> Sequence[Value]:
                    # Past the last column the last is taken again: it is not stored.
                    here = w.least(w.add(start, inside), self.minus(total, "1"))
                    self.let(column, here)
                    line = w.add(w.mul(flat, str(self.width)), inside)
                    self.host.put(self.host.evaluate(self.across), self.at(base, line))
                    return ()

                return w.loop("0", str(self.width), 1, (), element)

            return self.over(depth, (), copy)

        def panel(at: str, _: list[Value]) -> Sequence[Value]:
            start = w.add(columns.start, at)
            base = self.at(self.panel_copy, w.mul(at, str(self.deep)))
            partial = "false"
            if self.has_edge:
                end = w.add(start, str(self.width))
                partial = w.emit(f"icmp sgt i64 {end}, {total}")
            return w.branch(
                partial,
                lambda: one_by_one(start, base),
                lambda: vectors(start, base),
            )

        w.loop("0", self.minus(columns.stop, columns.start), self.width, (), panel)


class Edge:
    """Writes what becomes of totals beside the last column, some of which are none."""

    def __init__(
        self, panels: PanelWriter, block: BlockWriter, place: Place, tall: int
    ):
        self.panels = panels
        self.block = block
        self.place = place
        self.tall = tall

    def address(self, row: str, column: str) -> str:
        """Where a total is kept meanwhile."""
        w = self.panels.w
        return self.panels.at(
            self.panels.edge, w.add(w.mul(row, str(self.panels.width)), column)
        )

    def spill(self, totals: Sequence[Value]) -> None:
        """Writes all totals to scratch memory."""
        for (row, vector), total in zip(self.block.places, totals, strict=True):
            column = str(vector * self.panels.lanes)
            self.panels.host.put(total, self.address(str(row), column))

    def each(self, build: Callable[[str, int], None]) -> None:
        """Writes loops over the totals that are there, in vectors and one by one."""
        w, place, block = self.panels.w, self.place, self.block
        valid = self.panels.minus(w.size(self.panels.column_count), place.column)

        def row(at: str, _: list[Value]) -> Sequence[Value]:
            done = "0"
            for lanes in dict.fromkeys((self.panels.lanes, 1)):
                stop = self.panels.whole(valid, lanes)

                def column(
                    inside: str, _: list[Value], lanes: int = lanes
                ) -> Sequence[Value]:
                    block.stand(
                        w.add(place.row, at), w.add(place.column, inside), lanes
                    )
                    build(self.address(at, inside), lanes)
                    return ()

                w.loop(done, stop, lanes, (), column)
                done = stop
            return ()

        w.loop("0", str(self.tall), 1, (), row)

    def load(self) -> list[Value]:
        """Writes the loads of totals that were stored after a block of steps."""
        host, type = self.panels.host, self.panels.op.initial.type

        def fetch(address: str, lanes: int) -> None:
            host.put(self.block.load_here(lanes), address)

        # What no total is stored in is computed with all the same.
        zero = self.panels.w.splat(
            host.values[self.panels.op.initial], self.panels.lanes
        )
        self.spill([zero for _ in self.block.places])
        self.each(fetch)
        return [
            host.read(
                self.address(str(row), str(vector * self.panels.lanes)),
                type,
                self.panels.lanes,
            )
            for row, vector in self.block.places
        ]

    def keep(self, totals: Sequence[Value]) -> list[Value]:
        """Writes the stores of totals that go on in the next block."""
        host, type = self.panels.host, self.panels.op.initial.type
        self.spill(totals)
        self.each(
            lambda address, lanes: self.block.keep_here(host.read(address, type, lanes))
        )
        return []

    def finish(self, totals: Sequence[Value]) -> list[Value]:
        """Writes the finish of the totals."""
        host, type = self.panels.host, self.panels.op.initial.type
        self.spill(totals)
        self.each(
            lambda address, lanes: self.block.finish_here(
                host.read(address, type, lanes)
            )
        )
        return []
