"""`asinh`, `acosh` and `atanh`: logarithms of 1 + f, where f is kept in two parts."""

from __future__ import annotations

import math

from .double_double import fast_two_sum, two_product, two_sum
from .function import Function, Ulp
from .logarithm import log_of_sum, with_special_cases
from .writer import MathValue, Writer, format_of


def large(x: MathValue) -> float:
    """From where on asinh(x) and acosh(x) are log(2x)."""
    return 2.0 ** (format_of(x).fraction // 2 + 3)


def asinh(w: Writer, x: MathValue) -> MathValue:
    """The inverse of the hyperbolic sine: log(1 + a + a² / (1 + sqrt(1 + a²)))."""
    a = w.absolute(x)
    limited = w.upper_limit(a, large(x))
    square = limited * limited
    quotient = square / (w.sqrt(square + 1.0) + 1.0)
    f, lost = fast_two_sum(limited, quotient)
    return w.copysign(_log_of_one_and(w, f, lost, a), x)


def acosh(w: Writer, x: MathValue) -> MathValue:
    """The inverse of the hyperbolic cosine: log(1 + t + sqrt(t² + 2t)), t = x - 1."""
    t = w.upper_limit(x, large(x)) - 1.0
    other, other_lost = two_sum(2.0, t)
    square, square_lost = two_product(w, t, other)
    square_lost = w.fma(t, other_lost, square_lost)
    root = w.sqrt(square)
    again, again_lost = two_product(w, root, root)
    # A step of Newton's says what the root has lost; a root of zero has lost nothing.
    twice = w.lower_limit(root + root, 2.0 ** (1 - format_of(x).bias))
    root_lost = (((square - again) - again_lost) + square_lost) / twice
    f, lost = fast_two_sum(root, t)
    y = _log_of_one_and(w, f, lost + root_lost, x)
    return w.select(x >= 1.0, y, math.nan)


def _log_of_one_and(
    w: Writer, f: MathValue, f_lost: MathValue, x: MathValue
) -> MathValue:
    """log(1 + f + f_lost), or log(2x) where x is large."""
    is_large = x > large(x)
    u, lost = two_sum(1.0, f)
    u = w.select(is_large, x, u)
    lost = w.select(is_large, 0.0, lost + f_lost)
    power = w.select(is_large, w.constant(1.0, x.kind), 0.0)
    return with_special_cases(w, u, log_of_sum(w, u, lost, power))


def atanh(w: Writer, x: MathValue) -> MathValue:
    """The inverse of the hyperbolic tangent: log(1 + 2a / (1 - a)) / 2."""
    a = w.absolute(x)
    below, below_lost = two_sum(1.0, -a)
    above = a + a
    f = above / below
    again, again_lost = two_product(w, f, below)
    f_lost = (((above - again) - again_lost) - f * below_lost) / below
    u, lost = two_sum(1.0, f)
    y = with_special_cases(w, u, log_of_sum(w, u, lost + f_lost))
    return w.copysign(y * 0.5, x)


FUNCTIONS = (
    Function(
        "asinh",
        asinh,
        f32=Ulp(1.4, 1.4),
        f64=Ulp(1.4, 1.4),
        note="log(1 + x + x² / (1 + sqrt(1 + x²)))",
    ),
    Function(
        "acosh",
        acosh,
        f32=Ulp(1.2, 1.2),
        f64=Ulp(1.2, 1.2),
        note="log(1 + t + sqrt(t² + 2t)) of t = x - 1, the root in two parts",
    ),
    Function(
        "atanh",
        atanh,
        f32=Ulp(1.2, 1.2),
        f64=Ulp(1.2, 1.2),
        note="log(1 + 2x / (1 - x)) / 2, the quotient in two parts",
    ),
)
