"""
How the first elements of sorted rows are found: what is compared, not yet built.

Each element of a row has a key. The result has for each row the numbers of the elements
that come first by their keys, of equal keys the lesser number first. What a `Nest` is
to most ops, a `Ranking` is to those whose result is an order.

Zeros of both signs are equal, and NaN is equal to itself and above all numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..dims import Dim, product
from .nest import Read


@dataclass(frozen=True)
class Ranking:
    """The first elements of each row in the order of their keys."""

    bounds: tuple[Dim, ...]
    """The axes of the rows: all axes of the result but the last."""

    size: Dim
    """The elements of a row."""

    count: Dim
    """The number of first elements of each row: the last axis of the result."""

    key: Read
    """The key, at a point of a row and an element."""

    descending: bool
    """Whether greater keys come first."""

    @property
    def points(self) -> Dim:
        """How many keys there are."""
        return product((*self.bounds, self.size))
