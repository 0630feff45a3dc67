"""
The incomplete gamma functions, as shares of the whole.

Below the order, and one more, there is a series of powers; above it a continued
fraction, by Lentz's algorithm. Both are repeated until no element changes. Of large
orders the shares are nearly those of a normal distribution (Temme's expansion).
"""

from __future__ import annotations

from math import inf, nan, pi

from xdsl.ir import SSAValue

from ...ops.logical import LogicalAndOp, LogicalOrOp
from .gamma import log_gamma
from .normal import erfc
from .real import Real, where
from .repeating import repeated_while

_LEAST = 1e-300
"""What stands for zero, by which a fraction divides."""

_PRECISE = 1e-16

_LARGE = 1e4
"""From here on the expansion for large orders is exact to ten digits."""


def lower_gamma(a: Real, x: Real) -> Real:
    """The share of the gamma function of `a` whose integral is up to `x`."""
    low, high, is_low = _shares(a, x)
    value = where(is_low, low, 1 - high)
    return _at_edges(a, x, where(a < _LARGE, value, _normal(a, x, -1)), False)


def upper_gamma(a: Real, x: Real) -> Real:
    """The share of the gamma function of `a` whose integral is from `x` on."""
    low, high, is_low = _shares(a, x)
    value = where(is_low, 1 - low, high)
    return _at_edges(a, x, where(a < _LARGE, value, _normal(a, x, 1)), True)


def _shares(a: Real, x: Real) -> tuple[Real, Real, SSAValue]:
    """The lower share, the upper one, and where it is the lower that is right."""
    is_usual = LogicalAndOp(_is_inside(a, _LARGE), _is_inside(x, inf)).result
    a, x = where(is_usual, a, 1), where(is_usual, x, 1)
    is_low = x < a + 1
    factor = (a * x.log - x - log_gamma(a)).exp
    below = where(is_low, x, a * 0.5)
    above = where(is_low, a + 2, x)
    return factor * _series(a, below), factor * _fraction(a, above), is_low


def _normal(a: Real, x: Real, side: int) -> Real:
    """The upper share of a large order, or the lower one where the side is -1."""
    step = x / a - 1
    is_small = step.size < 1e-2
    near = step * step * step.polynomial([1 / 2, -1 / 3, 1 / 4, -1 / 5, 1 / 6, -1 / 7])
    half = where(is_small, near, step - step.log1p)
    root = (half * 2).root
    eta = where(step < 0, -root, root)
    first = where(
        is_small, eta.polynomial([-1 / 3, 1 / 12, -2 / 135]), 1 / step - 1 / eta
    )
    rest = first * (-a * half).exp / (a * (2 * pi)).root
    return erfc(eta * (a * 0.5).root * side) * 0.5 + rest * side


def _is_inside(x: Real, most: float) -> SSAValue:
    """Where a number is above zero and below another."""
    return LogicalAndOp(x > 0, x < most).result


def _series(a: Real, x: Real) -> Real:
    """The sum of `x ** n / (a * (a + 1) * … * (a + n))`."""
    first = 1 / a
    total, *_ = repeated_while(_adds, _next_term, [first, first, a], [x])
    return total


def _adds(state: list[Real], captured: list[Real]) -> SSAValue:
    """Where the next term is not small."""
    total, term, _ = state
    return term > total * _PRECISE


def _next_term(state: list[Real], captured: list[Real]) -> list[Real]:
    """The sum with one more term."""
    total, term, at = state
    after = at + 1
    more = term * captured[0] / after
    return [total + more, more, after]


def _fraction(a: Real, x: Real) -> Real:
    """The continued fraction that the upper share has as a factor."""
    b = x + 1 - a
    d = 1 / where(b.equals(0), _LEAST, b)
    start = [d, b, b * 0 + 1 / _LEAST, d, b * 0, b * 0]
    found, *_ = repeated_while(_changes, _next_level, start, [a])
    return found


def _changes(state: list[Real], captured: list[Real]) -> SSAValue:
    """Where the last level was a factor other than one."""
    return (state[5] - 1).size > _PRECISE * 10


def _next_level(state: list[Real], captured: list[Real]) -> list[Real]:
    """The fraction with one more level."""
    found, b, c, d, count, _ = state
    count = count + 1
    above = -count * (count - captured[0])
    b = b + 2
    below = above * d + b
    d = 1 / where(below.size < _LEAST, _LEAST, below)
    c = b + above / c
    c = where(c.size < _LEAST, _LEAST, c)
    factor = c * d
    return [found * factor, b, c, d, count, factor]


def _at_edges(a: Real, x: Real, value: Real, is_upper: bool) -> Real:
    """A share where an operand is zero, infinite, or neither allows one."""
    nothing, all_of_it = (1.0, 0.0) if is_upper else (0.0, 1.0)
    value = where(a.equals(0), all_of_it, value)
    known = LogicalAndOp(a.equals(a), x.equals(x)).result
    # An end decides, also where the other operand is NaN.
    value = where(known, value, nan)
    value = where(x.equals(0), nothing, value)
    value = where(a.equals(inf), nothing, value)
    value = where(x.equals(inf), all_of_it, value)
    both = (LogicalAndOp(a.equals(each), x.equals(each)) for each in (0, inf))
    is_bad = LogicalOrOp(*both).result
    return where(LogicalOrOp(is_bad, LogicalOrOp(a < 0, x < 0)).result, nan, value)
