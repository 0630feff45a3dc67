"""Hurwitz's zeta function."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, inf, nan

from xdsl.ir import SSAValue

from ...ops.logical import LogicalAndOp, LogicalOrOp
from .gamma import even_bernoulli
from .real import Real, where
from .repeating import repeated_while

_FAR = 20.0
"""From here on a sum is its integral and some terms of Euler and Maclaurin."""


def zeta(s: Real, q: Real) -> Real:
    """
    The sum of `(q + k) ** -s` over k from zero on.

    It is infinite for an `s` of one, and for a `q` that is no positive integer; NaN for
    an `s` below one, and for a negative `q` where `s` is no integer.
    """
    is_pole = LogicalAndOp((q <= 0), q.equals(q.floor)).result
    is_bad = LogicalAndOp((q <= 0), LogicalOrOp((s < s.floor), (s > s.floor))).result
    skips = LogicalOrOp(is_pole, is_bad).result
    start = where(skips, _FAR, q)
    total, far = repeated_while(_is_near, _one_more, [start * 0, start], [s])
    u = 1 / far
    rest = far / (s - 1) + 0.5
    factor, divisor = s * u, Fraction(1)
    for j, each in enumerate(even_bernoulli(12), 1):
        divisor = each / factorial(2 * j)
        rest = rest + factor * float(divisor)
        factor = factor * (s + (2 * j - 1)) * (s + 2 * j) * u * u
    value = total + far.power(-s) * rest
    value = where(is_bad, nan, where(is_pole, inf, value))
    return where(s.equals(1), inf, where(s < 1, nan, value))


def _is_near(state: list[Real], captured: list[Real]) -> SSAValue:
    """Which elements are still below the number from which sums are integrals."""
    return state[1] <= _FAR


def _one_more(state: list[Real], captured: list[Real]) -> list[Real]:
    """The sum with one more term, and the number of the next."""
    total, at = state
    more = where(at <= _FAR, total + at.power(-captured[0]), total)
    return [more, where(at <= _FAR, at + 1, at)]
