"""
How a greedy choice is computed: what is compared, described but not yet built.

Each row has candidates. Those that are admitted are taken by falling score, of equal
scores the first one first; each is chosen unless it is in conflict with one that was
chosen before, until there are enough. What a `Nest` is to most ops, a `Choice` is to
those whose next step depends on what the steps before it found.

The result is one vector: how many are chosen, then the number of each, which is
`row * candidates + candidate`, the rows in order and -1 after the last. It has room for
`most` in each row, and for all candidates of one row, which are sorted there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ..dims import Dim, product
from .nest import Read


@dataclass(frozen=True)
class Choice:
    """A greedy choice among the candidates of each row."""

    bounds: tuple[Dim, ...]
    """The axes of the rows."""

    candidates: Dim
    most: Dim
    """The bound of `limit` that is known before the run."""

    limit: Read
    """How many are chosen in a row, at most; at no point."""

    scores: tuple[Read, ...]
    """What `score` takes, at a point of a row and a candidate."""

    score: Callable[..., tuple[SSAValue, SSAValue]]
    """Builds the score, a float, and whether a candidate is admitted."""

    sources: tuple[Read, ...]
    """What `conflict` takes, at a point of a row, one chosen, and a candidate."""

    conflict: Callable[..., Sequence[SSAValue]]
    """
    Builds the conditions that all hold where a candidate is in conflict with one that
    was chosen; those that come first are looked at first.
    """

    @property
    def rows(self) -> Dim:
        """How many rows there are."""
        return product(self.bounds)

    @property
    def result_capacity(self) -> Dim:
        """The elements of the result."""
        return result_capacity(self.rows, self.candidates, self.most)


def result_capacity(rows: Dim, candidates: Dim, most: Dim) -> Dim:
    """The elements of the result of a choice."""
    return 1 + rows * most + candidates
