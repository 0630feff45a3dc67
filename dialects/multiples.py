"""Sizes that are provably multiples of others, or zero where others are."""

from __future__ import annotations

from math import gcd

from .dims import Dim, SizeError, floordiv


def primitive(quantity: Dim) -> Dim:
    """The simplest quantity that is zero for the same sizes; 1 for a number."""
    if isinstance(quantity, int):
        return 1
    factors = [factor for _, factor in quantity.terms]
    divisor = gcd(*factors)
    return floordiv(quantity, divisor if factors[0] > 0 else -divisor)


def divides(a: Dim, b: Dim) -> bool:
    """Whether `b` is provably a multiple of `a`, and so is zero where `a` is."""
    try:
        return b in (a, a * -1) or floordiv(b, a) * a == b
    except SizeError:
        return False
