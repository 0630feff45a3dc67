"""
Write an edge tile: a register tile with rows or columns that the result does not have.

Where a vector may have a mask, columns that are not valid are left out by it. Else all
accumulators are spilled to scratch memory, and those that are valid are loaded from it
again, in vectors and one by one. Accumulators in tile registers always go this way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..text.types import Value
from .blocks import Blocks, Position
from .register_tile import RegisterTile


class EdgeTile:
    """Spills accumulators to scratch memory, and stores only valid rows and columns."""

    def __init__(
        self,
        blocks: Blocks,
        tile: RegisterTile,
        position: Position,
        valid: tuple[str, str],
        pitch: int,
    ):
        """The tile with these valid rows and columns; rows are `pitch` apart."""
        self.blocks = blocks
        self.tile = tile
        self.position = position
        self.rows, self.columns = valid
        self.pitch = pitch

    def masked(self, build: Callable[[], list[Value]]) -> list[Value]:
        """What is built for the vectors of the tile, with masks."""
        self.tile.mask(self.columns)
        try:
            return build()
        finally:
            self.tile.masks = [""] * self.tile.shape.vectors

    def address(self, row: str, column: str) -> str:
        """Where an accumulator is spilled to."""
        w = self.blocks.w
        return self.blocks.at(
            self.blocks.spilled, w.add(w.mul(row, str(self.pitch)), column)
        )

    def spill(self, accumulators: Sequence[Value]) -> None:
        """Writes all accumulators to scratch memory; none if they are there already."""
        given = zip(self.tile.positions, accumulators, strict=bool(accumulators))
        for (row, vector), value in given:
            column = str(vector * self.blocks.lanes)
            self.blocks.host.memory.put(value, self.address(str(row), column))

    def each(self, build: Callable[[str, int], None], start: str = "0") -> None:
        """
        Writes loops over the valid accumulators from a row on, in vectors and one by
        one; `build` takes the address of the first and how many there are.
        """
        w, position, tile = self.blocks.w, self.position, self.tile

        def row(at: str, _: list[Value]) -> Sequence[Value]:
            done = "0"
            for lanes in dict.fromkeys((self.blocks.lanes, 1)):
                stop = w.whole(self.columns, lanes)

                def column(
                    inside: str, _: list[Value], lanes: int = lanes
                ) -> Sequence[Value]:
                    here = w.add(position.row, at), w.add(position.column, inside)
                    with tile.at(*here, lanes):
                        build(self.address(at, inside), lanes)
                    return ()

                w.loop(done, stop, lanes, (), column)
                done = stop
            return ()

        w.loop(start, self.rows, 1, (), row)

    def load(self) -> list[Value]:
        """Writes the loads of accumulators that the block of k before stored."""
        blocks, type = self.blocks, self.blocks.op.initial.type
        if blocks.masks_edge:
            return self.masked(lambda: [*map(self.tile.load, self.tile.positions)])
        # Invalid accumulators are computed with too: they are set to be defined.
        zero = blocks.w.splat(blocks.scope[blocks.op.initial], blocks.lanes)
        self.spill([zero for _ in self.tile.positions])
        self.load_valid()
        return [
            blocks.host.memory.read(
                self.address(str(row), str(vector * blocks.lanes)), type, blocks.lanes
            )
            for row, vector in self.tile.positions
        ]

    def load_valid(self) -> None:
        """Writes copies of the valid stored accumulators to scratch memory."""
        memory = self.blocks.host.memory
        self.each(
            lambda address, lanes: memory.put(self.tile.load_here(lanes), address)
        )

    def keep(self, accumulators: Sequence[Value] = ()) -> list[Value]:
        """Writes stores of valid accumulators for the next block of k."""
        if self.blocks.masks_edge:
            return self.masked(lambda: self.tile.keep(accumulators))
        memory, type = self.blocks.host.memory, self.blocks.op.initial.type
        self.spill(accumulators)
        self.each(
            lambda address, lanes: self.tile.keep_here(
                memory.read(address, type, lanes)
            )
        )
        return []

    def write_epilogue(self, accumulators: Sequence[Value] = ()) -> list[Value]:
        """Writes the epilogue of valid accumulators, where there are no masks."""
        self.spill(accumulators)
        self.write_epilogue_from("0")
        return []

    def write_epilogue_from(self, row: str) -> None:
        """Writes the epilogue of accumulators in scratch memory, from a row on."""
        memory, type = self.blocks.host.memory, self.blocks.op.initial.type
        self.each(
            lambda address, lanes: self.tile.write_epilogue_here(
                memory.read(address, type, lanes)
            ),
            row,
        )
