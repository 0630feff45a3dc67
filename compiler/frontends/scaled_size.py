"""Sizes multiplied by a fraction."""

from __future__ import annotations

from fractions import Fraction

from ...dialects import Dim, floordiv

FINEST = 1024
"""The greatest denominator of a scale."""


def scaled_size(size: Dim, scale: Fraction) -> Dim | None:
    """
    A size times a scale, rounded down; None unless the scale is a simple fraction.
    """
    if scale < 0 or scale.denominator > FINEST:
        return None
    return floordiv(size * scale.numerator, scale.denominator)
