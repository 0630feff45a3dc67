"""
Write a register tile whose columns are apart in memory, in squares of columns and k.

    for some k, as many as lanes
        a vector along k for each lane, transposed
        a multiply-add for each of these k

Accumulators take elements in the order of k, as in any other tile. What is left of k
whose number is known goes in smaller squares, else one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import Dim
from ....dialects.loop import loads_across
from ..text.transpose import sides
from ..text.types import Value
from .register_tile import Known, RegisterTile


class SquareTile(RegisterTile):
    """A register tile of one row of the other factor."""

    def write_k_loop(
        self, point: list[str], bounds: Sequence[Dim], accumulators: list[Value]
    ) -> list[Value]:
        """Writes the loops over what is reduced; the accumulators after them."""
        if len(bounds) != 1 or self.shape.lanes == 1:
            return super().write_k_loop(point, bounds, accumulators)
        (size,) = bounds

        def some_k(at: str, count: int, inner: list[Value]) -> list[Value]:
            if count == 1:
                return self.one_k([*point, at], inner)
            return self.write_square(point, at, count, inner)

        steps = [*sides(size, self.op.side), 1]
        return self.host.w.loop_by(steps, self.host.w.size(size), accumulators, some_k)

    def write_square(
        self, point: list[str], first: str, count: int, accumulators: list[Value]
    ) -> list[Value]:
        """Writes some k of all accumulators."""
        w, scope, block = self.host.w, self.host.scope, self.op.k_loop.block
        _, column, *indices, _ = block.args
        across, results = loads_across(block, indices[-1], column), list[Value]()
        places = [w.add(first, str(number)) for number in range(count)]
        for position, value in zip(self.positions, accumulators, strict=True):
            with scope.inner():
                for index, at in zip(indices, (*point, first), strict=True):
                    scope.set_index(index, at)
                with self.at_position(position, block):
                    squares = [self.host.memory.load_across(e, count) for e in across]
                for number, at in enumerate(places):
                    scope.set_index(indices[-1], at)
                    known: Known = {
                        (load.result, -1, position[1]): values[number]
                        for load, values in zip(across, squares, strict=True)
                    }
                    value = self.next_at(position, value, [*point, at], known)
            results.append(value)
        return results
