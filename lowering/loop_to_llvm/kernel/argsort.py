"""
Write a `loop.argsort` by the algorithms that it names; the run takes one of them:
insertion and digits for rows that are sorted whole, a heap for the first elements of a
row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation

from ....dialects.loop import ArgsortOp
from ..text.memory_access import MemoryAccess
from ..text.types import Value
from .heap_sort import HALF, HeapWriter
from .insertion_sort import write_insertion_sort
from .radix_sort import RadixWriter
from .sort_row import SortRow

_MIN_LONG_ROW = 1 << HALF
"""Elements from which on a number has more bits than digits sort, or words have."""


def write_argsort(
    memory: MemoryAccess,
    write_ops: Callable[[Iterable[Operation]], None],
    op: ArgsortOp,
) -> None:
    """Writes the order of one row, whose keys `write_ops` writes."""
    w = memory.w
    count, size = (w.size(each) for each in op.sizes)
    first = memory.offsets(op.at).first

    def some() -> list[Value]:
        row = SortRow(memory, write_ops, op, memory.address(op.buffer, first))
        lanes = 1 if op.lanes is None else op.lanes.value.data
        is_whole = "false" if op.whole is None else w.same(count, size)

        def short() -> list[Value]:
            write_insertion_sort(row, size)
            return []

        def digits() -> list[Value]:
            RadixWriter(row).write(size)
            return []

        def words() -> list[Value]:
            HeapWriter(row, lanes, packs=True).write(count, size)
            return []

        def numbers() -> list[Value]:
            HeapWriter(row, lanes, packs=False).write(count, size)
            return []

        def longer() -> list[Value]:
            fits = w.below(size, str(_MIN_LONG_ROW))
            if row.type.width.data > HALF:
                return w.branch(w.both([is_whole, fits]), digits, numbers)
            return w.branch(fits, lambda: w.branch(is_whole, digits, words), numbers)

        if op.whole is None:
            return longer()
        is_short = w.below(size, str(op.whole.value.data + 1))
        return w.branch(w.both([is_whole, is_short]), short, longer)

    w.branch(w.below("0", count), some, list)
