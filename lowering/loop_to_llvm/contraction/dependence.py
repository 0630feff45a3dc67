"""Tell whether what an op of a tile computes differs by row, and by column."""

from __future__ import annotations

from xdsl.ir import Operation


class Dependences:
    """What is known of the ops of the regions of a tile."""

    def __init__(self) -> None:
        self.known: dict[Operation, tuple[bool, bool]] = {}

    def of(self, op: Operation) -> tuple[bool, bool]:
        """Whether an op of a region differs by row, and by column."""
        if op not in self.known:
            self.known[op] = self.find(op)
        return self.known[op]

    def find(self, op: Operation) -> tuple[bool, bool]:
        """The same, from its operands."""
        block = op.parent
        assert block is not None, "an op of the k-loop, or of the epilogue"
        row, column, *_, so_far = block.args
        by_row = by_column = False
        for operand in op.operands:
            if operand is so_far:
                return True, True
            by_row |= operand is row
            by_column |= operand is column
            if isinstance(operand.owner, Operation) and operand.owner.parent is block:
                inner = self.of(operand.owner)
                by_row, by_column = by_row or inner[0], by_column or inner[1]
        return by_row, by_column
