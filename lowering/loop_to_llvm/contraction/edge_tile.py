"""
Write what becomes of totals beside the last column, where a panel is wider than that.

All totals are put into scratch memory, and those that are there taken from it again, in
vectors and one by one. So go totals that were in registers of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..text.types import Value
from .blocks import Blocks, Place
from .tile import BlockWriter


class Edge:
    """Writes what becomes of totals in scratch memory, some of which are none."""

    def __init__(
        self,
        blocks: Blocks,
        block: BlockWriter,
        place: Place,
        there: tuple[str, str],
        apart: int,
    ):
        """So many rows and columns are there, each row so many totals from the next."""
        self.blocks = blocks
        self.block = block
        self.place = place
        self.rows, self.columns = there
        self.apart = apart

    def address(self, row: str, column: str) -> str:
        """Where a total is kept meanwhile."""
        w = self.blocks.w
        return self.blocks.at(
            self.blocks.edge, w.add(w.mul(row, str(self.apart)), column)
        )

    def spill(self, totals: Sequence[Value]) -> None:
        """Writes totals to scratch memory, all or none."""
        for (row, vector), total in zip(self.block.places, totals, strict=bool(totals)):
            column = str(vector * self.blocks.lanes)
            self.blocks.host.put(total, self.address(str(row), column))

    def each(self, build: Callable[[str, int], None]) -> None:
        """Writes loops over the totals that are there, in vectors and one by one."""
        w, place, block = self.blocks.w, self.place, self.block

        def row(at: str, _: list[Value]) -> Sequence[Value]:
            done = "0"
            for lanes in dict.fromkeys((self.blocks.lanes, 1)):
                stop = w.whole(self.columns, lanes)

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

        w.loop("0", self.rows, 1, (), row)

    def load(self) -> list[Value]:
        """Writes the loads of totals that were stored after a block of steps."""
        host, type = self.blocks.host, self.blocks.op.initial.type
        # What no total is stored in is computed with all the same.
        zero = self.blocks.w.splat(
            host.values[self.blocks.op.initial], self.blocks.lanes
        )
        self.spill([zero for _ in self.block.places])
        self.fetch()
        return [
            host.read(
                self.address(str(row), str(vector * self.blocks.lanes)),
                type,
                self.blocks.lanes,
            )
            for row, vector in self.block.places
        ]

    def fetch(self) -> None:
        """Writes copies to scratch memory of totals that were stored after a block."""
        host = self.blocks.host
        self.each(lambda address, lanes: host.put(self.block.load_here(lanes), address))

    def keep(self, totals: Sequence[Value] = ()) -> list[Value]:
        """Writes stores of totals that go on in the next block, as `finish` does."""
        host, type = self.blocks.host, self.blocks.op.initial.type
        self.spill(totals)
        self.each(
            lambda address, lanes: self.block.keep_here(host.read(address, type, lanes))
        )
        return []

    def finish(self, totals: Sequence[Value] = ()) -> list[Value]:
        """Writes the finish of these totals, else of those in scratch memory."""
        host, type = self.blocks.host, self.blocks.op.initial.type
        self.spill(totals)
        self.each(
            lambda address, lanes: self.block.finish_here(
                host.read(address, type, lanes)
            )
        )
        return []
