"""
Write what becomes of totals beside the last column, where a panel is wider than that.

All totals are put into scratch memory, and those that are there taken from it again, in
vectors and one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .blocks import Blocks, Place
from .tile import BlockWriter
from .types import Value


class Edge:
    """Writes what becomes of totals beside the last column, some of which are none."""

    def __init__(self, blocks: Blocks, block: BlockWriter, place: Place, tall: int):
        self.blocks = blocks
        self.block = block
        self.place = place
        self.tall = tall

    def address(self, row: str, column: str) -> str:
        """Where a total is kept meanwhile."""
        w = self.blocks.w
        return self.blocks.at(
            self.blocks.edge, w.add(w.mul(row, str(self.blocks.width)), column)
        )

    def spill(self, totals: Sequence[Value]) -> None:
        """Writes all totals to scratch memory."""
        for (row, vector), total in zip(self.block.places, totals, strict=True):
            column = str(vector * self.blocks.lanes)
            self.blocks.host.put(total, self.address(str(row), column))

    def each(self, build: Callable[[str, int], None]) -> None:
        """Writes loops over the totals that are there, in vectors and one by one."""
        w, place, block = self.blocks.w, self.place, self.block
        valid = self.blocks.w.minus(w.size(self.blocks.column_count), place.column)

        def row(at: str, _: list[Value]) -> Sequence[Value]:
            done = "0"
            for lanes in dict.fromkeys((self.blocks.lanes, 1)):
                stop = self.blocks.w.whole(valid, lanes)

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
        host, type = self.blocks.host, self.blocks.op.initial.type

        def fetch(address: str, lanes: int) -> None:
            host.put(self.block.load_here(lanes), address)

        # What no total is stored in is computed with all the same.
        zero = self.blocks.w.splat(
            host.values[self.blocks.op.initial], self.blocks.lanes
        )
        self.spill([zero for _ in self.block.places])
        self.each(fetch)
        return [
            host.read(
                self.address(str(row), str(vector * self.blocks.lanes)),
                type,
                self.blocks.lanes,
            )
            for row, vector in self.block.places
        ]

    def keep(self, totals: Sequence[Value]) -> list[Value]:
        """Writes the stores of totals that go on in the next block."""
        host, type = self.blocks.host, self.blocks.op.initial.type
        self.spill(totals)
        self.each(
            lambda address, lanes: self.block.keep_here(host.read(address, type, lanes))
        )
        return []

    def finish(self, totals: Sequence[Value]) -> list[Value]:
        """Writes the finish of the totals."""
        host, type = self.blocks.host, self.blocks.op.initial.type
        self.spill(totals)
        self.each(
            lambda address, lanes: self.block.finish_here(
                host.read(address, type, lanes)
            )
        )
        return []
