"""Sizes that are multiples of one symbol, or provably of others."""

from __future__ import annotations

from math import gcd

from .dims import Dim, SizeError, Symbol, floordiv, terms_of


def affine(size: Dim) -> tuple[str, int, int] | None:
    """The symbol, factor and offset of `c * n + k`; None for any other size."""
    match terms_of(size):
        case (((Symbol(name),), factor),):
            return name, factor, 0
        case (((Symbol(name),), factor), ((), offset)):
            return name, factor, offset
        case _:
            return None


def primitive(quantity: Dim) -> Dim:
    """The simplest quantity that is zero for the same sizes; 1 for a number."""
    if isinstance(quantity, int):
        return 1
    factors = [factor for _, factor in quantity.terms]
    divisor = gcd(*factors)
    return floordiv(quantity, divisor if factors[0] > 0 else -divisor)


def how_often(part: Dim, whole: Dim) -> int:
    """How many parts of a size are the whole; 0 where they are no known number."""
    count = floordiv(whole, part)
    return count if isinstance(count, int) and count * part == whole else 0


def divides(a: Dim, b: Dim) -> bool:
    """Whether `b` is provably a multiple of `a`, and so is zero where `a` is."""
    try:
        return b in (a, a * -1) or floordiv(b, a) * a == b
    except SizeError:
        return False
