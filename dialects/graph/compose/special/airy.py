"""
Airy's function Ai.

Around zero it has a series of powers. Above 2 it is a modified Bessel function of order
1/3, an integral that the trapezoidal rule computes; above 9, and below -7, there are
asymptotic series.
"""

from __future__ import annotations

from math import cosh, gamma, pi, sqrt

from .real import Real, where

_TERMS = 18
"""The terms of the asymptotic series that are taken."""

_STEP = 1 / 8
"""The step of the trapezoidal rule."""

_REACH = 4.0
"""Where the integrand is no more than rounding."""


def airy_ai(x: Real) -> Real:
    """Airy's function that vanishes above."""
    is_high, is_low, is_far = x > 2, x < -7, x > 9
    near = _series(where(is_high, 0, where(is_low, 0, x)))
    size = where(is_high, x, where(is_low, -x, 9))
    fourth = size.root.root
    zeta = size * size.root * (2 / 3)
    decay = (-zeta).exp
    middle = (size * (1 / 3)).root * _integral(where(is_far, 9, zeta)) * decay / pi
    signs = [(-1) ** k * each for k, each in enumerate(_coefficients())]
    above = decay * (1 / zeta).polynomial(signs) / (fourth * (2 * sqrt(pi)))
    high = where(is_far, above, middle)
    value = where(is_high, high, where(is_low, _swing(zeta, fourth), near))
    return where(x.equals(x), value, x)


def _coefficients() -> list[float]:
    """The coefficients of the asymptotic series."""
    found = [1.0]
    for k in range(1, _TERMS):
        step = (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))
        found.append(found[-1] * step)
    return found


def _series(x: Real) -> Real:
    """The function near zero: two series of cubes."""
    first, second = [1.0], [1.0]
    for k in range(1, 40):
        first.append(first[-1] / ((3 * k - 1) * 3 * k))
        second.append(second[-1] / (3 * k * (3 * k + 1)))
    cube = x * x * x
    at_zero, slope = 3 ** (-2 / 3) / gamma(2 / 3), 3 ** (-1 / 3) / gamma(1 / 3)
    return cube.polynomial(first) * at_zero - x * cube.polynomial(second) * slope


def _integral(zeta: Real) -> Real:
    """The Bessel function K of order 1/3, without its decay."""
    total = zeta * 0 + 0.5
    for number in range(1, int(_REACH / _STEP)):
        t = number * _STEP
        total = total + (zeta * (1 - cosh(t))).exp * cosh(t / 3)
    return total * _STEP


def _swing(zeta: Real, fourth: Real) -> Real:
    """The function far below zero, where it swings."""
    even, odd = (
        [(-1) ** k * each for k, each in enumerate(_coefficients()[first::2])]
        for first in (0, 1)
    )
    u = 1 / zeta
    square, angle = u * u, zeta - pi / 4
    cosine = angle.cos * square.polynomial(even)
    return (cosine + angle.sin * u * square.polynomial(odd)) / (fourth * sqrt(pi))
