"""
The logarithm of the gamma function, and its derivatives.

Numbers above some limit have an asymptotic series; smaller ones are brought there by
the recurrence, and negative ones by the reflection. Their distance from an integer is
exact, so that poles are where they are.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial, fsum, inf, log, nan, pi

from .real import Real, where

_EULER = 0.5772156649015329
"""What harmonic numbers have more than their logarithm, in the limit."""


@cache
def bernoulli(count: int) -> tuple[Fraction, ...]:
    """The first Bernoulli numbers."""
    found: list[Fraction] = []
    for n in range(count):
        known = sum((comb(n + 1, k) * found[k] for k in range(n)), Fraction(0))
        found.append((Fraction(n == 0) - known / (n + 1)) if n else Fraction(1))
    return tuple(found)


def even_bernoulli(count: int) -> list[Fraction]:
    """The Bernoulli numbers B2, B4, and so on."""
    return list(bernoulli(2 * count + 1)[2::2])


@cache
def _series_at_two() -> tuple[float, ...]:
    """The coefficients of `lgamma(2 + t)`, from the first power of t on."""
    found = [1 - _EULER]
    for k in range(2, 50):
        rest = [j**-k for j in range(2, 20)]
        rest += [20 ** (1 - k) / (k - 1), 20**-k / 2]
        for j, each in enumerate(even_bernoulli(6), 1):
            rising = 1.0
            for step in range(2 * j - 1):
                rising *= k + step
            rest.append(
                float(each) / factorial(2 * j) * rising * 20.0 ** (1 - k - 2 * j)
            )
        found.append((-1) ** k * fsum(rest) / k)
    return tuple(found)


def log_gamma(x: Real) -> Real:
    """The logarithm of the magnitude of the gamma function; infinite at its poles."""
    is_mirrored = x < 0.5
    y = where(is_mirrored, 1 - x, x)
    near = _near(y)
    far = where(y < 8, y + 8, y)
    product = where(y < 8, y, 1)
    for step in range(1, 8):
        product = product * where(y < 8, y + step, 1)
    coefficients = [
        float(each / (2 * k * (2 * k - 1)))
        for k, each in enumerate(even_bernoulli(9), 1)
    ]
    u = 1 / far
    series = u * (u * u).polynomial(coefficients)
    above = (far - 0.5) * (far.log - 1) + (log(2 * pi) / 2 - 0.5) + series
    above = where(y.equals(inf), inf, above - product.log)
    known = where(y < 2.5, near, above)
    distance = x - x.nearest
    mirrored = (pi / (distance * pi).sin.size).log - known
    result = where(is_mirrored, mirrored, known)
    return where(x.size.equals(inf), inf, result)


def _near(y: Real) -> Real:
    """The logarithm of the gamma function from 1/2 to 5/2, by its series at 2."""
    is_low = y < 1.5
    t = where(is_low, y - 1, y - 2)
    series = t * t.polynomial(_series_at_two()[:27])
    return where(is_low, series - t.log1p, series)


def digamma(x: Real) -> Real:
    """The derivative of `log_gamma`; NaN at poles, and infinite at zero."""
    is_mirrored = x < 0
    y = where(is_mirrored, 1 - x, x)
    is_low = y < 10
    far = where(is_low, y + 10, y)
    steps = 1 / y
    for step in range(1, 10):
        steps = steps + 1 / (y + step)
    u = 1 / far
    coefficients = [
        -float(each / (2 * k)) for k, each in enumerate(even_bernoulli(8), 1)
    ]
    square = u * u
    above = far.log - u * 0.5 + square * square.polynomial(coefficients)
    known = where(is_low, above - steps, above)
    distance = x - x.nearest
    mirrored = known - pi / (distance * pi).tan
    mirrored = where(distance.equals(0), nan, mirrored)
    result = where(is_mirrored, mirrored, known)
    # One by a zero has its sign.
    return where(x.equals(0), -1 / x, result)


def polygamma(order: int, x: Real) -> Real:
    """The derivative of `digamma` of an order; infinite at poles."""
    if order == 0:
        return digamma(x)
    sign = -1 if order % 2 == 0 else 1
    is_mirrored = x < 0.5
    y = where(is_mirrored, 1 - x, x)
    known = _derivative_above(order, y) * sign
    distance = x - x.nearest
    cotangent = 1 / (distance * pi).tan
    swing = cotangent.polynomial(_derivative_of_cotangent(order)) * pi ** (order + 1)
    mirrored = known * (-1) ** order - swing
    result = where(is_mirrored, mirrored, known)
    is_pole = distance.equals(0)
    at_pole = where(is_mirrored, sign * inf, result)
    return where(is_pole, at_pole, result)


def _derivative_above(order: int, y: Real) -> Real:
    """The size of a derivative of `digamma` at numbers of 1/2 and more."""
    count, s = 10 + order, order + 1
    total = _inverse_power(y, s)
    for step in range(1, count):
        total = total + _inverse_power(y + step, s)
    w = y + count
    u = 1 / w
    rising, coefficients = Fraction(s), list[float]()
    for j, each in enumerate(even_bernoulli(10), 1):
        coefficients.append(float(each / factorial(2 * j) * rising))
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    square = u * u
    rest = 1.0 / order + u * 0.5 + square * square.polynomial(coefficients)
    return (total + _inverse_power(w, order) * rest) * float(factorial(order))


def _inverse_power(x: Real, power: int) -> Real:
    """One by a whole power."""
    u = 1 / x
    result = u
    for _ in range(power - 1):
        result = result * u
    return result


def _derivative_of_cotangent(order: int) -> list[float]:
    """A derivative of the cotangent as a polynomial of it."""
    found = [0, 1]
    for _ in range(order):
        slope = [power * each for power, each in enumerate(found)][1:]
        found = [0] * (len(slope) + 2)
        for power, each in enumerate(slope):
            found[power] -= each
            found[power + 2] -= each
    return [*map(float, found)]
