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

from .branches import BranchRow, branches_of, in_branches
from .conflict_driven import conflict_driven
from .equality import equality
from .greedy_by_breadth import greedy_by_breadth
from .greedy_by_size import greedy_by_size
from .in_order import in_order
from .lasting import LastingPlanner
from .min_cost_flow import min_cost_flow
from .naive import naive
from .plan import OverlapError, Plan, lower_bound, verify
from .precomputed_offsets import PrecomputedOffsets
from .record import Record, overlap
from .shared_greedy_by_breadth import shared_greedy_by_breadth
from .shared_greedy_by_size import shared_greedy_by_size
from .shared_objects import shared_lower_bound
from .size_improved import size_improved
from .stacked import order_of, stacked
from .standard_resizing import StandardResizing, standard_resizing
from .storage_groups import storage_groups

__all__ = [
    "ADDRESSES",
    "BranchRow",
    "LASTING",
    "LastingPlanner",
    "OverlapError",
    "PLANNERS",
    "Plan",
    "Planner",
    "Record",
    "SEARCHES",
    "branches_of",
    "in_branches",
    "lower_bound",
    "order_of",
    "overlap",
    "plan",
    "plan_in_order",
    "plan_lasting",
    "rounded_up",
    "shared_lower_bound",
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
        "in-order": in_order,
        "equality": equality,
        "shared-greedy-by-size": shared_greedy_by_size,
        "shared-greedy-by-breadth": shared_greedy_by_breadth,
        "size-improved": size_improved,
        "min-cost-flow": min_cost_flow,
        "conflict-driven": conflict_driven,
        "standard_resizing": standard_resizing,
        "precomputed_offsets": greedy_by_size,
    }
)
"""Every planner there is, by name."""

LASTING: Mapping[str, Callable[[], LastingPlanner]] = MappingProxyType(
    {
        "standard_resizing": StandardResizing,
        "precomputed_offsets": PrecomputedOffsets,
    }
)
"""
Planners that remember what they planned, one for a module, where sizes are known only
at run time. The names are PyTorch's.
"""

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


def plan_lasting(
    records: Sequence[Record | tuple[int, int, int]],
    planner: LastingPlanner,
    alignment: int = 64,
) -> Plan:
    """
    A verified plan by what was planned before, for which the planner grows if it must.

    Raises `ValueError` as `plan` does.
    """
    rounded = rounded_up(records, alignment)
    return _verified(rounded, planner(rounded), planner.size)


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
        replace(each, size=-(-each.size // alignment) * alignment)
        if each.size % alignment
        else each
        for each in known
    ]
    if (together := sum(record.size for record in rounded)) >= ADDRESSES:
        raise ValueError(
            f"expected records of less than 2**63 bytes together, got {together}"
        )
    return rounded


def _verified(
    records: Sequence[Record], offsets: Sequence[int], size: int | None = None
) -> Plan:
    """
    The plan of these offsets, in which no two records overlap: of `size` bytes, or as
    many as the records reach.
    """
    if size is None:
        ends = (at + record.size for at, record in zip(offsets, records, strict=True))
        size = max(ends, default=0)
    made = Plan(tuple(offsets), size, lower_bound(records))
    verify(records, made)
    return made
