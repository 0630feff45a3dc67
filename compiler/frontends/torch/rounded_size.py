"""
A size, or one plus a number, divided by a number as a float, maybe plus a number, and
rounded to an integer.

So `torch.arange(0.5, n)` has `ceil(n - 0.5)` elements, which is `n`, and one to `n` in
steps of 1.5 has `ceil(n / 1.5)`, which is the quotient of `2 * n` and 3, rounded up.
One that goes down, `torch.arange(n, -n, -1.0)`, is divided by a number below zero. A
quotient as a float is exact where adding the number could make it an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import lcm
from typing import Any

from ....dialects import Dim, ceildiv, floordiv, is_nonnegative

_MOST_PARTS = 1024
"""The greatest denominator of a number, to which floats of sizes are exact."""

_QUOTIENTS = ("IntTrueDiv", "FloatTrueDiv")
"""sympy's names of quotients of integers and of floats, rounded once."""

_GREATEST = 2**31
"""What the numerator of a number is below."""


def rounded_size(expression: Any, read: Callable[[Any], Dim]) -> Dim | None:
    """
    What an expression of sympy rounds, as a quotient of integers; None where that may
    differ. It is exact for sizes below 2**40. `read` is the dimension of a size.
    """
    (inner,) = expression.args
    found = _quotient(inner)
    if found is None:
        return None
    terms, number, by = found
    # A quotient by a number below zero is that of what is turned by one above it.
    sign = -1 if by < 0 else 1
    by *= sign
    scale = lcm(number.denominator, by.denominator)
    is_short = max(abs(number.numerator), by.numerator) < _GREATEST
    if by == 0 or not is_short or scale > _MOST_PARTS:
        return None
    whole: Dim = int(number * scale) * sign
    for each in terms:
        whole = whole + read(each) * (scale * sign)
    divisor, kind = int(by * scale), expression.func.__name__
    if kind == "CeilToInt":
        return ceildiv(whole, divisor)
    is_down = kind == "FloorToInt" or (
        kind == "TruncToInt" and is_nonnegative(whole, {})
    )
    return floordiv(whole, divisor) if is_down else None


def _quotient(inner: Any) -> tuple[list[Any], Fraction, Fraction] | None:
    """
    The sizes and the number that are added up, and what their sum is divided by; a
    number that is added to the quotient is one that the sum has that many times.
    """
    parts = inner.args if inner.func.__name__ == "Add" else (inner,)
    quotients = [each for each in parts if each.func.__name__ in _QUOTIENTS]
    if not quotients:
        found = _sum(parts)
        return None if found is None else (*found, Fraction(1))
    numbers = _sum([each for each in parts if each.func.__name__ not in _QUOTIENTS])
    if len(quotients) > 1 or numbers is None or numbers[0]:
        return None
    top, number = quotients[0].args
    if not (number.is_number and number.is_finite):
        return None
    by, whole = Fraction(float(number)), ([top], Fraction(0))
    if quotients[0].func.__name__ == "FloatTrueDiv":
        found = _sum(top.args if top.func.__name__ == "Add" else (top,))
        if found is None:
            return None
        whole = found
    return whole[0], whole[1] + numbers[1] * by, by


def _sum(parts: Iterable[Any]) -> tuple[list[Any], Fraction] | None:
    """The sizes that are added up as floats, and the number."""
    terms: list[Any] = []
    number = Fraction(0)
    for each in parts:
        if each.is_number and each.is_finite:
            number += Fraction(float(each))
        elif each.func.__name__ == "ToFloat":
            terms.append(each.args[0])
        else:
            return None
    return terms, number
