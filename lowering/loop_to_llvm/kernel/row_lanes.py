"""
Write a loop of vectors that combines a row, in the lanes of the loop over rows.

    for each row that is a lane
        the vectors of the row, with accumulators of their own
    the lanes of each row's accumulators combined, side by side

So what becomes of the rows is computed in vectors, and each row is read along itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ....dialects.loop import ForOp
from ..text.reduction import combine_rows
from ..text.scope import SCALAR
from ..text.types import Value
from .op_writer import OpWriter


@dataclass(frozen=True)
class RowWriter(OpWriter):
    """Writes loops of one kernel for several rows."""

    def write(self, op: ForOp, accumulate: Callable[[], list[Value]]) -> list[Value]:
        """
        Writes what each lane of the scope accumulates in a loop, one lane after the
        other; the accumulators of all lanes.
        """
        w, lanes = self.w, self.scope.lanes
        index, combine = lanes.index, op.combine
        assert index is not None, "rows are lanes of an index"
        assert combine is not None, "a row is combined"
        assert lanes.count == op.width, "as many rows as each has lanes"
        first = self.scope[index].text
        used = self.used(op)
        like = [Value("", each.type, op.width) for each in op.initial]
        memory = [w.allocate(each, lanes.count) for each in like]

        def row(at: str, _: list[Value]) -> list[Value]:
            with self.scope.inner(SCALAR):
                self.scope.set_index(index, w.add(first, at))
                for value in used:
                    self.scope.define(value, self.lane(self.scope[value], at))
                for address, each in zip(memory, accumulate(), strict=True):
                    w.put(each, address, at)
            return []

        w.loop("0", str(lanes.count), 1, (), row)
        return [
            combine_rows(
                w,
                [w.get(each, address, str(at)) for at in range(lanes.count)],
                combine.data,
            )
            for each, address in zip(like, memory, strict=True)
        ]

    def used(self, op: ForOp) -> list[SSAValue]:
        """The values of the rows, one in each lane, that a loop takes from outside."""
        found = dict.fromkeys(
            operand
            for each in op.body.walk()
            for operand in each.operands
            if operand in self.scope
        )
        return [each for each in found if self.scope[each].lanes > 1]

    def lane(self, value: Value, at: str) -> Value:
        """One lane of a vector."""
        return self.w.value(f"extractelement {value.typed}, i64 {at}", value.type)
