"""
Place records of sizes that vary in an order that was found for sizes like these.

A good plan is mostly a good order: what lies below what. So an order is searched once,
when a model is compiled, and for the sizes of a call each record is stacked on those
before it in the order that live at one time with it. That takes microseconds, and is
never larger than the plan from which the order comes, for sizes in the same ratio.
"""

from __future__ import annotations

from collections.abc import Sequence

from .plan import lower_bound
from .record import Record


def order_of(offsets: Sequence[int]) -> tuple[int, ...]:
    """The indices of the records of a plan, from the bottom up."""
    return tuple(sorted(range(len(offsets)), key=lambda i: offsets[i]))


def stacked(
    records: Sequence[Record], orders: Sequence[Sequence[int]]
) -> tuple[list[int], int]:
    """
    The offset in bytes of each record in that of `orders` in which they take least, and
    the bytes that they take. Each order names every record once.
    """
    bound = lower_bound(records)
    best: tuple[list[int], int] | None = None
    for order in orders:
        found = _stack(records, order)
        if best is None or found[1] < best[1]:
            best = found
        if best[1] == bound:
            break
    assert best is not None, "there is an order"
    return best


def _stack(records: Sequence[Record], order: Sequence[int]) -> tuple[list[int], int]:
    """The offsets in one order, and the bytes that they take."""
    offsets = [0] * len(records)
    tops = [0] * (max((record.last for record in records), default=0) + 1)
    for index in order:
        record = records[index]
        if record.size:
            live = slice(record.first, record.last + 1)
            offset = offsets[index] = max(tops[live])
            tops[live] = [offset + record.size] * (record.last + 1 - record.first)
    return offsets, max(tops)
