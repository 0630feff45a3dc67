"""
Write a loop and the vectors inside of it in squares, where lanes read elements apart.

The elements that as many lanes and as many indices of the loop around them have are
loaded as vectors along that loop, and transposed; then each of its bodies is written
for all lanes. Where sizes are known, what is left of them goes in smaller squares, or
in parts of squares; else lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....dialects.loop import ForOp, loads_across
from ..text.scope import Lanes
from ..text.transpose import sides
from ..text.types import Value
from .op_writer import OpWriter
from .whole_units import whole_units


@dataclass(frozen=True)
class SquareWriter(OpWriter):
    """Writes loops of one kernel in squares."""

    range: Callable[[ForOp], tuple[str, str]]
    """Writes the first index of a loop and the one after the last, for this thread."""

    def write(self, op: ForOp, start: str, stop: str) -> str:
        """Writes the bodies that are whole squares; where those begin that are left."""
        for rows in sides(op.size, op.side):
            whole = whole_units(self.w, start, stop, rows, op.size)

            def write_rows(at: str, _: list[Value], rows: int = rows) -> list[Value]:
                self.write_rows(op, at, rows)
                return []

            self.w.loop(start, whole, rows, (), write_rows)
            start = whole
        return start

    def write_rows(self, op: ForOp, row: str, rows: int) -> None:
        """Writes successive bodies of the loop, for all lanes of the one inside."""
        inner = op.vectors_inside
        column, stop = self.range(inner)
        for lanes in sides(inner.size, op.side):
            whole = whole_units(self.w, column, stop, lanes, inner.size)

            def write_square(at: str, _: list[Value], n: int = lanes) -> list[Value]:
                with self.scope.inner(Lanes(inner.index, n)):
                    self.scope.set_index(inner.index, at)
                    self.write_square(op, row, rows)
                return []

            self.w.loop(column, whole, lanes, (), write_square)
            column = whole

        def write_column(at: str, _: list[Value]) -> list[Value]:
            def write_element(row: str, _: list[Value]) -> list[Value]:
                with self.scope.inner():
                    self.scope.set_index(op.index, row)
                    self.scope.set_index(inner.index, at)
                    self.write_ops(inner.body.block.ops)
                return []

            return self.w.loop(row, self.w.add(row, str(rows)), 1, (), write_element)

        self.w.loop(column, stop, 1, (), write_column)

    def write_square(self, op: ForOp, row: str, rows: int) -> None:
        """Writes successive bodies of the loop, in the lanes of the scope."""
        inner = op.vectors_inside
        across = loads_across(inner.body.block, op.index, inner.index)
        others = [each for each in inner.body.block.ops if each not in across]
        with self.scope.inner():
            self.scope.set_index(op.index, row)
            loaded = [self.memory.load_across(each, rows) for each in across]
        for number in range(rows):
            with self.scope.inner():
                self.scope.set_index(op.index, self.w.add(row, str(number)))
                for load, values in zip(across, loaded, strict=True):
                    self.scope.define(load.result, values[number])
                self.write_ops(others)
