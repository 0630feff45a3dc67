"""What a number that a run computes is between: whole numbers, sizes, parts of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor, isfinite
from typing import TypeAlias

from ....dialects import Dim, Polynomial, ceildiv, greater

_FINEST = 1024
"""The denominator of the fractions that factors are rounded to."""

_GREATEST = 1 << 40
"""The greatest number that memory is planned for."""

Parts: TypeAlias = frozenset[tuple[Fraction, Dim]]


@dataclass(frozen=True)
class Most:
    """An upper bound: a size times a number, and a number."""

    size: Dim
    factor: Fraction = Fraction(1)
    more: Fraction = Fraction(0)

    @property
    def dim(self) -> Dim:
        """The bound as a size."""
        factor = ceil(self.factor * _FINEST)
        return ceildiv(self.size * factor, _FINEST) + ceil(self.more)

    def times(self, by: Fraction) -> Most:
        """The bound of a number that is `by` times as great."""
        return Most(self.size, self.factor * by, self.more * by)


@dataclass(frozen=True)
class Between:
    """What a number is between; None for a side without a bound."""

    low: int | None = None
    high: Most | None = None
    exact: Fraction | None = None
    """The number, where it is the same in all runs."""

    above: Parts = frozenset()
    """Sizes, none below zero, by a factor each, that it is no less than."""

    below: Parts = frozenset()
    """Sizes, none below zero, and a number each that it is at most, divided by them."""


def read(value: Dim | float) -> Between | None:
    """A known number; None for what is not finite."""
    if isinstance(value, Polynomial):
        most = greater(value, 0)
        if most != value:
            return Between(None, Most(most))
        return Between(0, Most(most), above=frozenset([(Fraction(1), value)]))
    if not isfinite(value):
        return None
    number = Fraction(value)
    return Between(floor(value), Most(0, more=number), number)


def greatest(a: Most | None, b: Most | None) -> Most | None:
    """The greater of two bounds."""
    if a is None or b is None or a == b:
        return a if a == b else None
    return Most(greater(a.dim, b.dim))


def united(all_of: Iterable[Between]) -> Between:
    """What all of some numbers are between."""
    return reduce(_either, all_of)


def _either(a: Between, b: Between) -> Between:
    """What both of two numbers are between."""
    if a == b:
        return a
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    return Between(low, greatest(a.high, b.high))


def is_great(most: Most) -> bool:
    """Whether a bound is so great that memory is planned for no such number."""
    return most.size == 0 and most.more > _GREATEST
