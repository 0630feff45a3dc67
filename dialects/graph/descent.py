"""
How places in a table are found, each by the one before: described but not yet built.

A walk begins at a place. In each step the element of a row is looked up whose number
stands at the place, and is compared with the limit there; the next place is one of
several that stand there: the first where the element is not above the limit, the second
elsewhere, and the third, if there are three, where the element is NaN. If but one
stands there, the second is the place after it. Decision trees are walked so, with
leaves that are followed by themselves. What a `Nest` is to most ops, a `Descent` is to
one where each look-up is at what the one before found.

A number that names no element of a row, or no place, counts as the last one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..dims import Dim


@dataclass(frozen=True)
class Descent:
    """
    The walks of each row. The operands are the rows, and of each place the number of
    the element, the limit, and the next places; then where the walks begin.
    """

    rows: Dim
    width: Dim
    """The elements of a row."""

    places: Dim

    ways: int
    """How many places may be next."""

    groups: tuple[tuple[int, int], ...]
    """How many walks follow each other that take as many steps, and the steps."""

    block: int
    """The walks that all rows take before the next, while their places are near."""

    @property
    def points(self) -> Dim:
        """The steps of all walks."""
        return self.rows * sum(count * max(steps, 1) for count, steps in self.groups)
