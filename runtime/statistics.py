"""`Statistics`: what calls of a module did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statistics:
    """What calls of a module did so far."""

    slow_calls: int
    """Calls that Python converted or planned: of lists, of sizes that had no plan."""

    plans: int
    """Sizes that have a plan in the table, which calls find by themselves."""
