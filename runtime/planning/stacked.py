"""
Place records of sizes that vary in an order that was found for sizes like these.

A good plan is mostly a good order: what lies below what. So orders are searched once,
when a model is compiled. For the sizes of a call each record in turn gets the lowest
gap that those before it leave, which takes microseconds. In the order of a plan, from
the bottom up, no record comes to lie higher than in that plan, for sizes in the same
ratio. Where no order reaches the lower bound, as when records were united that a plan
had apart, the largest first and the longest lives first are tried too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .best_fit import place
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
    for order in _tried(records, orders):
        found = _stack(records, order)
        if best is None or found[1] < best[1]:
            best = found
        if best[1] == bound:
            break
    assert best is not None, "there is an order"
    return best


def _tried(
    records: Sequence[Record], orders: Sequence[Sequence[int]]
) -> Iterator[Sequence[int]]:
    """The orders that are given, and two that the records have."""
    yield from orders
    by_size = sorted(range(len(records)), key=lambda i: -records[i].size)
    yield by_size
    yield sorted(by_size, key=lambda i: records[i].first - records[i].last)


def _stack(records: Sequence[Record], order: Sequence[int]) -> tuple[list[int], int]:
    """The offsets in one order, and the bytes that they take."""
    offsets = place(records, order, _lowest_gap)
    ends = (at + record.size for at, record in zip(offsets, records, strict=True))
    return offsets, max(ends, default=0)


def _lowest_gap(busy: Iterable[tuple[int, int]], size: int) -> int:
    """The lowest offset at which `size` bytes meet none of the busy ranges."""
    at = 0
    for start, end in sorted(busy):
        if start - at >= size:
            break
        at = max(at, end)
    return at
