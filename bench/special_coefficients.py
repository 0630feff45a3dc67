"""
Fits the polynomials of `dialects/graph/compose/special`: run it with Python.

Prints the coefficients of each, the largest error that they leave, relative to the
greatest value of the curve, and whether they are those of the source. A curve is
interpolated at Chebyshev's points in 50-digit arithmetic.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath

from static_runtime.dialects.graph.compose.special import (
    bessel_coefficients,
    modified_coefficients,
    normal_coefficients,
)

mp: Any = mpmath.mp
mp.dps = 50
mpf = mp.mpf
Number: TypeAlias = Any


@dataclass(frozen=True)
class Fit:
    """A polynomial in t, which goes from -1 to 1 over an interval."""

    name: str
    degree: int
    curve: Callable[[Number], Number]
    """The curve as a function of t."""


HELD = {
    **vars(bessel_coefficients),
    **vars(modified_coefficients),
    **vars(normal_coefficients),
}
"""The coefficients of the source, by name."""


def over(
    low: float, high: float, curve: Callable[[Number], Number]
) -> Callable[[Number], Number]:
    """A curve over an interval as a function of t."""
    middle, half = (mpf(low) + high) / 2, (mpf(high) - low) / 2

    def moved(t: Number) -> Number:
        return curve(middle + half * t)

    return moved


def amplitude(order: int, is_sine: bool) -> Callable[[Number], Number]:
    """
    The factor of the cosine, or of the sine times x, in a Bessel function of x times
    the root of pi x / 2, as a function of u = 1 / x².
    """

    def curve(u: Number) -> Number:
        if u < mpf("1e-12"):
            # The first two terms of the asymptotic series.
            mu = mpf(4 * order**2)
            if is_sine:
                return (mu - 1) / 8 - (mu - 1) * (mu - 9) * (mu - 25) * u / 3072
            return 1 - (mu - 1) * (mu - 9) * u / 128
        x = 1 / mp.sqrt(u)
        angle = x - order * mp.pi / 2 - mp.pi / 4
        root = mp.sqrt(mp.pi * x / 2)
        j, y = mp.besselj(order, x) * root, mp.bessely(order, x) * root
        if is_sine:
            return x * (y * mp.cos(angle) - j * mp.sin(angle))
        return j * mp.cos(angle) + y * mp.sin(angle)

    return curve


def smooth_y(order: int) -> Callable[[Number], Number]:
    """What is left of Y without its logarithm, as a function of z = x²."""

    def curve(z: Number) -> Number:
        x = mp.sqrt(z)
        rest = mp.bessely(order, x) - 2 / mp.pi * mp.log(x) * mp.besselj(order, x)
        return rest if order == 0 else (rest + 2 / (mp.pi * x)) / x

    return curve


def smooth_k(order: int) -> Callable[[Number], Number]:
    """What is left of K without its logarithm, as a function of z = x²."""

    def curve(z: Number) -> Number:
        x = mp.sqrt(z)
        if order == 0:
            return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)
        return (mp.besselk(1, x) - 1 / x - mp.log(x / 2) * mp.besseli(1, x)) / x

    return curve


def scaled_root(function: Any, sign: int, order: int) -> Callable[[Number], Number]:
    """A modified Bessel function without its growth, as a function of u = 1 / x."""

    def curve(u: Number) -> Number:
        x = 1 / u
        return mp.sqrt(x) * mp.exp(sign * x) * function(order, x)

    return curve


def erfcx(x: Number) -> Number:
    """The complementary error function without its decay."""
    return mp.exp(x * x) * mp.erfc(x)


def tail(t: Number) -> Number:
    """`(1 + 2 x) erfcx(x)` of `t = (x - 4) / (x + 4)`."""
    if t == 1:
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * erfcx(x)


def inverse(z: Number) -> Number:
    """`erfinv(y) / y` of `z = y²`."""
    return mp.erfinv(mp.sqrt(z)) / mp.sqrt(z)


FITS = (
    Fit("ERFCX", 26, tail),
    Fit("ERFINV", 16, over(0, 0.25, inverse)),
    Fit("I0_NEAR", 32, over(0, 8, lambda x: mp.exp(-x) * mp.besseli(0, x))),
    Fit("I1_NEAR", 32, over(0, 8, lambda x: mp.exp(-x) * mp.besseli(1, x) / x)),
    Fit("I0_FAR", 24, over(0, 0.125, scaled_root(mp.besseli, -1, 0))),
    Fit("I1_FAR", 24, over(0, 0.125, scaled_root(mp.besseli, -1, 1))),
    Fit("K0_NEAR", 10, over(0, 4, smooth_k(0))),
    Fit("K1_NEAR", 10, over(0, 4, smooth_k(1))),
    Fit("K0_FAR", 24, over(0, 0.5, scaled_root(mp.besselk, 1, 0))),
    Fit("K1_FAR", 24, over(0, 0.5, scaled_root(mp.besselk, 1, 1))),
    Fit("J0_NEAR", 18, over(0, 64, lambda z: mp.besselj(0, mp.sqrt(z)))),
    Fit("J1_NEAR", 18, over(0, 64, lambda z: mp.besselj(1, mp.sqrt(z)) / mp.sqrt(z))),
    Fit("Y0_NEAR", 20, over(0, 64, smooth_y(0))),
    Fit("Y1_NEAR", 20, over(0, 64, smooth_y(1))),
    *(
        Fit(f"{name}{order}_FAR", 14, over(0, 1 / 64, amplitude(order, is_sine)))
        for order in (0, 1)
        for name, is_sine in (("COSINE", False), ("SINE", True))
    ),
)


def interpolated(fit: Fit) -> list[Number]:
    """The coefficients of a polynomial, of the lowest power first."""
    count = fit.degree + 1
    angles = [mp.pi * (k + mpf("0.5")) / count for k in range(count)]
    values = [fit.curve(mp.cos(angle)) for angle in angles]
    series = [
        (1 if each == 0 else 2)
        * mp.fsum(v * mp.cos(each * a) for v, a in zip(values, angles, strict=True))
        / count
        for each in range(count)
    ]
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    total = [series[0] * before[0]] + [mpf(0)] * fit.degree
    for factor in series[1:]:
        for power, each in enumerate(now):
            total[power] += factor * each
        doubled = [mpf(0), *(2 * each for each in now)]
        for power, each in enumerate(before):
            doubled[power] -= each
        before, now = now, doubled
    return total


def largest_error(fit: Fit, coefficients: Sequence[float]) -> Number:
    """The largest error of a polynomial, relative to the greatest value."""
    points = [mp.cos(mp.pi * (k + mpf("0.3")) / 40) for k in range(40)]
    wanted = [fit.curve(each) for each in points]
    got = [mp.polyval([*map(mpf, reversed(coefficients))], each) for each in points]
    worst = max(abs(a - b) for a, b in zip(wanted, got, strict=True))
    return worst / max(abs(each) for each in wanted)


def main() -> int:
    """Prints all polynomials; returns how many differ from the source."""
    changed = 0
    for fit in FITS:
        found = tuple(map(float, interpolated(fit)))
        same = found == HELD.get(fit.name)
        changed += not same
        error = mp.nstr(largest_error(fit, found), 3)
        print(f"# {error}{'' if same else ', not those of the source'}")
        print(f"{fit.name} = (")
        for each in found:
            print(f"    {each!r},")
        print(")")
    return changed


if __name__ == "__main__":
    sys.exit(main())
