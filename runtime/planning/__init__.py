"""
Memory planning: where in one block of memory the values of a run lie.

A planner is one file with one function, from records to offsets. It need not be
trusted: `plan` verifies what it answers, and says how small a plan could be at best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import TypeAlias

from .conflict_driven import conflict_driven
from .greedy_by_breadth import greedy_by_breadth
from .greedy_by_size import greedy_by_size
from .naive import naive
from .plan import OverlapError, Plan, lower_bound, verify
from .record import Record, overlap
from .storage_groups import storage_groups

__all__ = [
    "ADDRESSES",
    "OverlapError",
    "PLANNERS",
    "Plan",
    "Planner",
    "Record",
    "lower_bound",
    "overlap",
    "plan",
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

ADDRESSES = 2**63
"""Bytes that a signed 64-bit offset can reach."""


def plan(
    records: Sequence[Record],
    planner: str = "conflict-driven",
    alignment: int = 64,
) -> Plan:
    """
    A verified plan, in which every offset and the total are multiples of `alignment`.

    Sizes are rounded up to the alignment (bytes) first, and the lower bound is of the
    rounded sizes. Raises `ValueError` when there is no such planner, the alignment is
    less than 1, or the rounded sizes add up to 2**63 bytes or more.
    """
    if planner not in PLANNERS:
        nearest = get_close_matches(planner, PLANNERS, n=1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        raise ValueError(
            f"expected a planner among {', '.join(PLANNERS)}, got {planner!r}{hint}"
        )
    if alignment < 1:
        raise ValueError(f"expected an alignment of at least 1 byte, got {alignment}")
    rounded = [
        replace(record, size=-(-record.size // alignment) * alignment)
        for record in records
    ]
    if (together := sum(record.size for record in rounded)) >= ADDRESSES:
        raise ValueError(
            f"expected records of less than 2**63 bytes together, got {together}"
        )
    offsets = tuple(PLANNERS[planner](rounded))
    ends = (at + record.size for at, record in zip(offsets, rounded, strict=True))
    made = Plan(offsets, max(ends, default=0), lower_bound(rounded))
    verify(rounded, made)
    return made
