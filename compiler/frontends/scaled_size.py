"""Sizes times a number that is not whole."""

from __future__ import annotations

from fractions import Fraction

from ...dialects.dims import Dim, floordiv

FINEST = 1024
"""The greatest denominator of a number that a size is multiplied by."""


def scaled_size(size: Dim, scale: Fraction) -> Dim | None:
    """A size times a number, rounded down; None unless that is a simple fraction."""
    if scale < 0 or scale.denominator > FINEST:
        return None
    return floordiv(size * scale.numerator, scale.denominator)
