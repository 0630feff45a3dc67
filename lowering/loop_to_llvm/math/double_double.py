"""Sums and products with what rounding takes from them, as a second number."""

from __future__ import annotations

from .writer import MathValue, Operand, Writer, format_of


def two_sum(a: Operand, b: MathValue) -> tuple[MathValue, MathValue]:
    """The rounded sum and its error, exactly (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def fast_two_sum(a: Operand, b: MathValue) -> tuple[MathValue, MathValue]:
    """The rounded sum and its error, exactly, if a is zero or |a| >= |b| (Dekker)."""
    total = a + b
    return total, b - (total - a)


def two_product(w: Writer, a: MathValue, b: MathValue) -> tuple[MathValue, MathValue]:
    """
    The rounded product and its error, exactly unless something overflows or underflows.

    Without a fused multiply-add each factor is split into halves, whose products are
    exact (Veltkamp, Dekker).
    """
    product = a * b
    if w.has_fma:
        return product, w.fma(a, b, -product)
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: MathValue) -> tuple[MathValue, MathValue]:
    """Two numbers of half as many bits whose sum is a."""
    bits = (format_of(a).fraction + 2) // 2
    scaled = a * (2.0**bits + 1.0)
    high = scaled - (scaled - a)
    return high, a - high
