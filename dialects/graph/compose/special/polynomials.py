"""Orthogonal polynomials of a degree that may differ from element to element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import TypeAlias

from xdsl.ir import SSAValue

from ...ops.logical import LogicalAndOp
from ...ops.rounding import TruncOp
from .real import Real, where
from .repeating import repeated_while

Step: TypeAlias = Callable[[Real, Real, Real, Real], Real]
"""The next polynomial, of its degree less one, the number, and the two before."""


@dataclass(frozen=True)
class Family:
    """Polynomials that follow from the two before."""

    first: Callable[[Real], Real]
    """That of degree one."""

    step: Step

    is_shifted: bool = False
    """Whether the number is doubled and one less before."""


def _chebyshev(k: Real, x: Real, before: Real, now: Real) -> Real:
    return 2 * x * now - before


def _hermite(k: Real, x: Real, before: Real, now: Real) -> Real:
    return 2 * (x * now - k * before)


def _hermite_he(k: Real, x: Real, before: Real, now: Real) -> Real:
    return x * now - k * before


def _laguerre(k: Real, x: Real, before: Real, now: Real) -> Real:
    return ((2 * k + 1 - x) * now - k * before) / (k + 1)


def _legendre(k: Real, x: Real, before: Real, now: Real) -> Real:
    return ((2 * k + 1) * x * now - k * before) / (k + 1)


_KINDS: dict[str, Callable[[Real], Real]] = {
    "t": lambda x: x,
    "u": lambda x: 2 * x,
    "v": lambda x: 2 * x - 1,
    "w": lambda x: 2 * x + 1,
}

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        **{
            f"chebyshev_polynomial_{name}": Family(first, _chebyshev)
            for name, first in _KINDS.items()
        },
        **{
            f"shifted_chebyshev_polynomial_{name}": Family(first, _chebyshev, True)
            for name, first in _KINDS.items()
        },
        "hermite_polynomial_h": Family(lambda x: 2 * x, _hermite),
        "hermite_polynomial_he": Family(lambda x: x, _hermite_he),
        "laguerre_polynomial_l": Family(lambda x: 1 - x, _laguerre),
        "legendre_polynomial_p": Family(lambda x: x, _legendre),
    }
)
"""By the names of torch."""


def polynomial(family: Family, x: Real, degree: Real) -> Real:
    """The polynomial of a degree, without its fraction; zero below zero."""
    if family.is_shifted:
        x = 2 * x - 1
    degree = Real(TruncOp(degree.value).result)

    def goes_on(state: list[Real], captured: list[Real]) -> SSAValue:
        k, _, now = state
        return LogicalAndOp(k < captured[1], now.size < inf).result

    def step(state: list[Real], captured: list[Real]) -> list[Real]:
        k, before, now = state
        number, last = captured
        more = family.step(k, number, before, now)
        is_left = k < last
        return [k + 1, where(is_left, now, before), where(is_left, more, now)]

    first = family.first(x)
    one = x * 0 + 1
    _, _, found = repeated_while(goes_on, step, [one, one, first], [x, degree])
    low = where(degree < 0, 0, where(degree.equals(0), 1, found))
    return low
