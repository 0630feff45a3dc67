"""
Memory planning: where in one block of memory the values of a run lie.

A planner is one file with one function, from records to offsets. It need not be
trusted: `plan` verifies what it answers, and says how small a plan could be at best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import TypeAlias

from .conflict_driven import conflict_driven
from .greedy_by_breadth import greedy_by_breadth
from .greedy_by_size import greedy_by_size
from .naive import naive
from .plan import OverlapError, Plan, lower_bound, verify
from .record import Record, overlap
from .stacked import order_of, stacked
from .storage_groups import storage_groups

__all__ = [
    "ADDRESSES",
    "OverlapError",
    "PLANNERS",
    "Plan",
    "Planner",
    "Record",
    "SEARCHES",
    "lower_bound",
    "order_of",
    "overlap",
    "plan",
    "plan_in_order",
    "rounded_up",
    "verify",
]


Planner: TypeAlias = Callable[[Sequence[Record]], Sequence[int]]
"""From records to the offset of each, in bytes."""

PLANNERS: Mapping[str, Planner] = MappingProxyType(
    {
        "naive": naive,
        "greedy-by-size": greedy_by_size,
        "greedy-by-breadth": greedy_by_breadth,
        "storage-groups": storage_groups,
        "conflict-driven": conflict_driven,
    }
)
"""Every planner there is, by name."""

SEARCHES = frozenset({"conflict-driven"})
"""
Planners that may take long. Where sizes are known only at run time, they search orders
beforehand (`plan_in_order`).
"""

ADDRESSES = 2**63
"""Bytes that a signed 64-bit offset can reach."""


def plan(
    records: Sequence[Record | tuple[int, int, int]],
    planner: str = "conflict-driven",
    alignment: int = 64,
) -> Plan:
    """
    A verified plan, in which every offset and the size are multiples of `alignment`.

    A record may be a tuple (size in bytes, first op, last op). Sizes are rounded up to
    the alignment (bytes) first, and the lower bound is of the rounded sizes. Raises
    `ValueError` when there is no such planner, the alignment is less than 1, or the
    rounded sizes add up to 2**63 bytes or more.
    """
    if planner not in PLANNERS:
        nearest = get_close_matches(planner, PLANNERS, n=1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        raise ValueError(
            f"expected a planner among {', '.join(PLANNERS)}, got {planner!r}{hint}"
        )
    rounded = rounded_up(records, alignment)
    return _verified(rounded, PLANNERS[planner](rounded))


def plan_in_order(
    records: Sequence[Record], orders: Sequence[Sequence[int]], alignment: int = 64
) -> Plan:
    """
    A verified plan that is made at once, with no search: of `orders`, which name every
    record once, from the bottom up, that is taken in which the records need least.

    Raises `ValueError` as `plan` does.
    """
    rounded = rounded_up(records, alignment)
    return _verified(rounded, stacked(rounded, orders)[0])


def rounded_up(
    records: Sequence[Record | tuple[int, int, int]], alignment: int
) -> list[Record]:
    """
    The records with sizes that are multiples of `alignment` bytes.

    Raises `ValueError` when the alignment is less than 1, or the sizes add up to 2**63
    bytes or more.
    """
    if alignment < 1:
        raise ValueError(f"expected an alignment of at least 1 byte, got {alignment}")
    known = (each if isinstance(each, Record) else Record(*each) for each in records)
    rounded = [
        Record(-(-each.size // alignment) * alignment, each.first, each.last)
        if each.size % alignment
        else each
        for each in known
    ]
    if (together := sum(record.size for record in rounded)) >= ADDRESSES:
        raise ValueError(
            f"expected records of less than 2**63 bytes together, got {together}"
        )
    return rounded


def _verified(records: Sequence[Record], offsets: Sequence[int]) -> Plan:
    """The plan of these offsets, in which no two records overlap."""
    ends = (at + record.size for at, record in zip(offsets, records, strict=True))
    made = Plan(tuple(offsets), max(ends, default=0), lower_bound(records))
    verify(records, made)
    return made
