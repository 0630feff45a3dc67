"""
`roundeven`, `floor`, `ceil`, `trunc` and `round`, from additions alone.

For processors that have no instruction for these, where LLVM's intrinsics would be
calls, as on x86 before SSE4.1. Elsewhere the intrinsics are as good.
"""

from __future__ import annotations

from .function import Function, Ulp
from .writer import MathValue, Writer, format_of


def nearest(w: Writer, a: MathValue) -> MathValue:
    """The integer nearest to a number that is not negative, the even one of two."""
    # From here on all numbers are integers, and below here adding it rounds to one.
    carrier = 2.0 ** format_of(a).fraction
    return w.select(a < carrier, (a + carrier) - carrier, a)


def roundeven(w: Writer, x: MathValue) -> MathValue:
    """The nearest integer, the even one of two."""
    return w.copysign(nearest(w, w.absolute(x)), x)


def floor(w: Writer, x: MathValue) -> MathValue:
    """The largest integer that is not larger."""
    y = roundeven(w, x)
    return w.select(y > x, y - 1.0, y)


def ceil(w: Writer, x: MathValue) -> MathValue:
    """The smallest integer that is not smaller; -0 for a fraction above -1."""
    y = roundeven(w, x)
    return w.copysign(w.select(y < x, y + 1.0, y), x)


def trunc(w: Writer, x: MathValue) -> MathValue:
    """The nearest integer on the side of zero."""
    return w.copysign(_towards_zero(w, w.absolute(x)), x)


def _towards_zero(w: Writer, a: MathValue) -> MathValue:
    """The largest integer that is not larger than a number that is not negative."""
    y = nearest(w, a)
    return w.select(y > a, y - 1.0, y)


def round(w: Writer, x: MathValue) -> MathValue:
    """The nearest integer, of two the one further from zero."""
    a = w.absolute(x)
    y = _towards_zero(w, a)
    return w.copysign(w.select(a - y >= 0.5, y + 1.0, y), x)


FUNCTIONS = tuple(
    Function(recipe.__name__, recipe, Ulp(0.0, 0.0), Ulp(0.0, 0.0), "exact")
    for recipe in (roundeven, floor, ceil, trunc, round)
)
