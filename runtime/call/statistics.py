"""`Statistics`: what calls of a module did."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan import Skipped


@dataclass(frozen=True)
class Statistics:
    """What calls of a module did: all of them, and the last of this thread."""

    slow_calls: int
    """Calls that Python converted or planned: of lists, of sizes that had no plan."""

    plans: int
    """Sizes that have a plan in the table, which calls find by themselves."""

    folded: int = 0
    """Ops that move elements and cost nothing, whatever the sizes: they are views, or
    part of a kernel that computes."""

    skipped: tuple[Skipped, ...] = ()
    """The kernels that the last run of this thread did not run, as they would only have
    copied."""

    bytes_not_moved: int = 0
    """The bytes of the results of these kernels."""
