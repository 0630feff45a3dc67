"""
Write a `loop.argsort`: whole rows are sorted by digits, and short ones by insertion.

The first elements of a row are found by a heap. What only the run knows, the size of a
row or how many elements of it come first, decides there; elsewhere one way is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation

from ....dialects.loop import ArgsortOp, TargetAttr
from ..text.index_arithmetic import is_number
from ..text.memory_access import MemoryAccess
from ..text.types import Value
from .heap_sort import HALF, HeapWriter
from .insertion_sort import write_insertion_sort
from .radix_sort import RadixWriter
from .sort_row import SortRow

_SHORT = 24
"""Elements, at most, that insertion sorts in less time than digits do; measured."""

_LONG = 1 << HALF
"""Elements from which on a number has more bits than digits sort, or words have."""


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
        lanes = target.lanes(row.type.width.data)
        # A row of any size of which a known number comes first is seldom whole, and the
        # heap takes it also then.
        is_alike = is_number(count) == is_number(size)
        is_whole = w.same(count, size) if is_alike else "false"

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
            fits = w.below(size, str(_LONG))
            if row.type.width.data > HALF:
                return w.branch(w.both([is_whole, fits]), digits, numbers)
            return w.branch(fits, lambda: w.branch(is_whole, digits, words), numbers)

        is_short = w.both([is_whole, w.below(size, str(_SHORT + 1))])
        return w.branch(is_short, short, longer)

    w.branch(w.below("0", count), some, list)
