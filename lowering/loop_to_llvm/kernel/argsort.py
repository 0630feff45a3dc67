"""
Write a `loop.argsort`: rows that are sorted whole by their digits, others by a heap.

What only the run knows, the size of a row or how many elements of it come first, decides
there between the two; elsewhere one is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation

from ....dialects.loop import ArgsortOp, TargetAttr
from ..text.memory_access import MemoryAccess
from ..text.types import Value
from .heap_sort import HeapWriter
from .radix_sort import RadixWriter
from .sort_row import SortRow

SHORT = 64
"""Elements, at most, that a heap sorts in less time than digits do; measured."""

LONG = 1 << 32
"""Elements from which on a number has more than the 32 bits that digits sort."""


def write_argsort(
    memory: MemoryAccess,
    write_ops: Callable[[Iterable[Operation]], None],
    op: ArgsortOp,
    target: TargetAttr,
) -> None:
    """Writes the order of one row, whose keys `write_ops` writes."""
    w = memory.w
    count, size = (w.size(each) for each in op.sizes)
    first = memory.offsets(op.at).first

    def some() -> list[Value]:
        row = SortRow(memory, write_ops, op, memory.address(op.buffer, first))

        def by_digits() -> list[Value]:
            RadixWriter(row).write(size)
            return []

        def by_heap() -> list[Value]:
            HeapWriter(row, target.lanes(row.type.width.data)).write(count, size)
            return []

        is_fit = [w.same(count, size), w.below(str(SHORT), size)]
        return w.branch(w.both([*is_fit, w.below(size, str(LONG))]), by_digits, by_heap)

    w.branch(w.below("0", count), some, list)
