"""The error function's relatives: its complement, its inverse, the normal quantiles."""

from __future__ import annotations

from math import inf, nan, pi, sqrt

from xdsl.dialects.builtin import f32, f64

from ...ops.activation import ErfOp
from ..number import convert
from .normal_coefficients import ERFCX, ERFINV
from .real import Real, where


def _decay(x: Real) -> Real:
    """`exp(-x²)`, from the square of what an f32 holds of x and the rest."""
    high = Real(convert(convert(x.value, f32), f64))
    is_held = high.size < inf
    high = where(is_held, high, x)
    rest = where(is_held, (x - high) * (x + high), 0)
    return (-(high * high)).exp * (-rest).exp


def _scaled_tail(x: Real) -> Real:
    """`exp(x²) erfc(x)` of numbers not below zero."""
    t = where(x.equals(inf), 1, (x - 4) / (x + 4))
    return t.polynomial(ERFCX) / (1 + 2 * x)


def erfcx(x: Real) -> Real:
    """`exp(x²) erfc(x)`."""
    above = _scaled_tail(x.size)
    return where(x < 0, 2 / _decay(x) - above, above)


def erfc(x: Real) -> Real:
    """What is missing of the error function to one, also where that is small."""
    tail = _decay(x) * _scaled_tail(x.size)
    near = 1 - Real(ErfOp(x.value).result)
    far = where(x < 0, 2 - tail, tail)
    return where(x.size < 0.5, near, far)


def log_ndtr(x: Real) -> Real:
    """The logarithm of the share of a normal distribution below a number."""
    t = x * sqrt(0.5)
    low = (_scaled_tail(-t) / 2).log - t * t
    high = (erfc(t) * -0.5).log1p
    return where(x < -1, low, high)


def _tail_quantile(q: Real) -> Real:
    """
    The number above which a share of at most 1/4 of a normal distribution lies.

    From a rational approximation Newton's method goes on with the logarithm of the
    share, which is nearly a parabola.
    """
    log = q.log
    u = (log * -2).root
    x = u - u.polynomial((2.515517, 0.802853, 0.010328)) / u.polynomial(
        (1.0, 1.432788, 0.189269, 0.001308)
    )
    for _ in range(3):
        tail = _scaled_tail(x * sqrt(0.5))
        x = x + ((tail * 0.5).log - x * x * 0.5 - log) * tail * sqrt(pi / 2)
    return x


def erfinv(y: Real) -> Real:
    """The number whose error function is given; infinite at one, NaN beyond."""
    size = y.size
    near = y * (y * y).over(0, 0.25).polynomial(ERFINV)
    far = _tail_quantile((1 - size) * 0.5) * sqrt(0.5)
    far = where(size.equals(1), inf, where(size > 1, nan, far))
    return where(size <= 0.5, near, where(y < 0, -far, far))


def ndtri(p: Real) -> Real:
    """The number below which a share of a normal distribution lies; else NaN."""
    y = 2 * p - 1
    near = y * (y * y).over(0, 0.25).polynomial(ERFINV) * sqrt(2)
    is_low = p < 0.5
    far = _tail_quantile(where(is_low, p, 1 - p))
    far = where(p.equals(0), inf, where(p.equals(1), inf, far))
    far = where(is_low, -far, far)
    far = where(p < 0, nan, where(p > 1, nan, far))
    return where(y.size <= 0.5, near, far)
