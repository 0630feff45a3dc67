"""
How far along a reduced axis what is summed may be other than zero: as far as windows
reach into an image that is surrounded by zeros.

Where axes of a nest are joined, what is known of the outer one stays known, in units of
the inner one; of the inner one nothing does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..dims import Dim
from ..graph import Linear, Nest


@dataclass(frozen=True)
class Reach:
    """
    What is summed is zero unless `low <= at + index // unit * step < high`, for an
    index along the axis.
    """

    axis: int
    at: Linear
    """A position along axes that are not reduced."""
    step: int
    low: Dim
    high: Dim
    unit: Dim = 1

    def joined(self, outer: int, inner: int, bound: Dim) -> Reach | None:
        """
        The same where two axes are one, that of the inner, which had this bound; None
        where it is not known of that.
        """
        if self.axis == inner:
            return None
        factors = dict(self.at.factors)
        if factors.get(outer, 0) != factors.get(inner, 0) * bound:
            return None
        if self.axis == outer:
            return replace(self, axis=inner, unit=self.unit * bound)
        factors.pop(outer, None)
        return replace(self, at=Linear(tuple(factors.items()), self.at.offset))

    def renumbered(self, numbers: Mapping[int, int]) -> Reach | None:
        """The same with axes as they are numbered; None where its axis is gone."""
        if self.axis not in numbers:
            return None
        factors = sorted((numbers[a], f) for a, f in self.at.factors if a in numbers)
        at = Linear(tuple(factors), self.at.offset)
        return replace(self, axis=numbers[self.axis], at=at)


def reaches_of(nest: Nest) -> tuple[Reach, ...]:
    """What a nest says of its reduced axes."""
    parallel, found = len(nest.bounds) - nest.reductions, list[Reach]()
    for position, low, high in nest.inside:
        reduced = [(a, by) for a, by in position.factors if a >= parallel]
        if len(reduced) == 1 and isinstance(step := reduced[0][1], int) and step > 0:
            rest = tuple(each for each in position.factors if each[0] < parallel)
            at = Linear(rest, position.offset)
            found.append(Reach(reduced[0][0], at, step, low, high))
    return tuple(found)


def join(
    reaches: Sequence[Reach], outer: int, inner: int, bound: Dim
) -> tuple[Reach, ...]:
    """What stays known where two axes are one, that of the inner with this bound."""
    found = (each.joined(outer, inner, bound) for each in reaches)
    return tuple(each for each in found if each is not None)


def renumber(reaches: Sequence[Reach], numbers: Mapping[int, int]) -> tuple[Reach, ...]:
    """What stays known of the axes that are left, as they are numbered."""
    found = (each.renumbered(numbers) for each in reaches)
    return tuple(each for each in found if each is not None)
