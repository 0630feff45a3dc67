"""
Fits the polynomials of `lowering/loop_to_llvm/math`: run it with Python.

Prints the coefficients of each, the largest error that they leave, and whether they are
those of the source. The errors are nearly the least possible: weighted least squares on
Chebyshev's points in 60-digit arithmetic, with Lawson's weights. Coefficients are
rounded one after the other, the lowest power first, and what is not yet rounded is
fitted again, so that the later ones make up for the earlier.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath

from static_runtime.lowering.loop_to_llvm.math import (
    Element,
    error_function,
    hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)
from static_runtime.lowering.loop_to_llvm.math.exponential import EXPONENTIAL

mp: Any = mpmath.mp
mp.dps = 60
mpf = mp.mpf
LN2 = mp.log(2)
ELEMENTS: tuple[Element, ...] = ("f32", "f64")
Number: TypeAlias = Any
Curve: TypeAlias = Callable[[Number], Number]


@dataclass(frozen=True)
class Fit:
    """A polynomial that is wanted."""

    name: str
    element: Element
    """The format that coefficients are rounded to."""

    held: tuple[float, ...]
    """The coefficients in the source."""

    interval: tuple[Number, Number]
    curve: Curve
    weight: Curve
    """What an error of the polynomial is multiplied by to be an error of the result."""


def fits() -> Iterator[Fit]:
    """All polynomials of the source."""
    yield from exponentials()
    yield from logarithms()
    for element in ELEMENTS:
        tanh, sinh = hyperbolic.TANH[element], hyperbolic.SINH[element]
        yield odd_fit("tanh", element, tanh, mp.tanh, mpf("0.625"))
        yield odd_fit("sinh", element, sinh, mp.sinh, mpf(1))
        asin = inverse_trigonometric.ASIN[element]
        atan = inverse_trigonometric.ATAN[element]
        yield odd_fit("asin", element, asin, mp.asin, mpf("0.5"))
        yield odd_fit("atan", element, atan, mp.atan, mpf("0.66"))
    quarter = mp.pi / 4
    for name, held, limit in (
        ("sin", trigonometric.SIN, quarter),
        ("sin for f32", trigonometric.SIN_FOR_F32, quarter),
        ("wide sin for f32", trigonometric.WIDE_SIN_FOR_F32, 2 * quarter),
    ):
        yield odd_fit(name, "f64", held, mp.sin, limit)
    for name, held in (
        ("cos", trigonometric.COS),
        ("cos for f32", trigonometric.COS_FOR_F32),
    ):
        yield Fit(
            f"{name} = 1 - r²/2 + r⁴p(r²)",
            "f64",
            held,
            (mpf(0), quarter**2),
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / mp.cos(mp.sqrt(z)),
        )
    yield from error_functions()


def odd_fit(
    name: str,
    element: Element,
    held: tuple[float, ...],
    function: Curve,
    limit: Number,
) -> Fit:
    """An odd function as x + x³p(x²)."""

    def ratio(z: Number) -> Number:
        return function(mp.sqrt(z)) / mp.sqrt(z)

    return Fit(
        f"{name} = x + x³p(x²)",
        element,
        held,
        (mpf(0), limit**2),
        lambda z: (ratio(z) - 1) / z,
        lambda z: z / ratio(z),
    )


def exponentials() -> Iterator[Fit]:
    """The polynomials of exp, expm1 and exp2."""
    whole = (-mpf("0.5"), mpf("0.5"))
    powers: list[tuple[str, Element, tuple[float, ...]]] = [
        ("exp2 for powf in f32", "f64", power.EXP2_FOR_F32)
    ]
    for element in ELEMENTS:
        held = EXPONENTIAL[element]
        powers.append(("exp2", element, held.exp2))
        for name, coefficients, function in (
            ("exp", held.exp, mp.exp),
            ("expm1", held.expm1, mp.expm1),
        ):
            yield Fit(
                f"{name} of 1 + r + r²p(r)",
                element,
                coefficients,
                (-LN2 / 2, LN2 / 2),
                lambda r: (mp.exp(r) - 1 - r) / r**2,
                lambda r, function=function: r**2 / function(r),
            )
    for name, element, coefficients in powers:
        yield Fit(
            f"{name} = 1 + rp(r)",
            element,
            coefficients,
            whole,
            lambda r: (mpf(2) ** r - 1) / r,
            lambda r: r / mpf(2) ** r,
        )


def logarithms() -> Iterator[Fit]:
    """The polynomials of log, of log2 and of the log that powf uses."""
    root = mp.sqrt(2)
    # s² of s = f / (2 + f), for 1 + f between the roots of 1/2 and 2.
    squares = (mpf(0), ((root - 1) / (root + 1)) ** 2)

    def series(z: Number) -> Number:
        return 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z)

    yield Fit(
        "log(1 + f) = f - f²/2 + f³p(f)",
        "f32",
        logarithm.SERIES,
        (1 / root - 1, root - 1),
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3,
        lambda f: f**3 / mp.log1p(f),
    )
    yield Fit(
        "log(1 + f) = 2s + s³p(s²)",
        "f64",
        logarithm.RATIONAL,
        squares,
        lambda z: (series(z) - 2) / z,
        lambda z: z / series(z),
    )
    yield Fit(
        "log(1 + f) = 2s + 2s³/3 + s⁵p(s²)",
        "f64",
        power.LOG,
        squares,
        lambda z: (series(z) - 2 - 2 * z / 3) / z**2,
        lambda z: z**2 / series(z),
    )
    yield Fit(
        "log2(1 + f) = sp(s²) for powf in f32",
        "f64",
        power.LOG2_FOR_F32,
        squares,
        lambda z: series(z) / LN2,
        lambda z: LN2 / series(z),
    )


def error_functions() -> Iterator[Fit]:
    """The polynomials of erf."""

    def ratio(z: Number) -> Number:
        return mp.erf(mp.sqrt(z)) / mp.sqrt(z)

    nears: tuple[tuple[Element, tuple[float, ...], str], ...] = (
        ("f32", error_function.NEAR_F32, "1.0625"),
        ("f64", error_function.NEAR_F64, "1"),
    )
    for element, held, limit in nears:
        yield Fit(
            "erf = x + xp(x²)",
            element,
            held,
            (mpf(0), mpf(limit) ** 2),
            lambda z: ratio(z) - 1,
            lambda z: 1 / ratio(z),
        )
    middle = mpf(error_function.MIDDLE)
    yield Fit(
        "erf = p(x - 2.4375)",
        "f32",
        error_function.FAR_F32,
        (mpf("1.0625") - middle, mpf("3.92") - middle),
        lambda t: mp.erf(t + middle),
        lambda t: mpf(1),
    )
    yield Fit(
        "erf = 1 - 2**-p(x)",
        "f64",
        error_function.FAR_F64,
        (mpf(1), mpf("5.93")),
        lambda x: -mp.log(mp.erfc(x), 2),
        lambda x: mp.erfc(x) * LN2,
    )


def rounded(number: Number, element: Element) -> float:
    """The nearest number of a format."""
    if element == "f64":
        return float(number)
    return struct.unpack("<f", struct.pack("<f", float(number)))[0]


def shortest(number: float, element: Element) -> str:
    """The shortest decimal text that is read as this number of a format."""
    if element == "f64":
        return repr(number)
    texts = (f"{number:.{digits}g}" for digits in range(1, 10))
    return repr(float(next(t for t in texts if rounded(mpf(t), element) == number)))


def least_squares(
    columns: Sequence[list[Number]], target: list[Number], weight: list[Number]
) -> list[Number]:
    """The factors of the columns whose sum is nearest to the target."""
    count = len(columns)
    scaled = [[a * w for a, w in zip(c, weight, strict=True)] for c in columns]
    matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
    for i in range(count):
        right[i] = mp.fdot(scaled[i], target)
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = mp.fdot(scaled[i], columns[j])
    return list(mp.cholesky_solve(matrix, right))


def without(
    target: list[Number],
    factors: Sequence[Number | float],
    columns: Sequence[list[Number]],
) -> list[Number]:
    """What is left of the target when a sum of columns is taken away."""
    for factor, column in zip(factors, columns, strict=True):
        target = [t - factor * a for t, a in zip(target, column, strict=True)]
    return target


def solve(fit: Fit) -> tuple[list[float], Number]:
    """The rounded coefficients of a fit and its largest weighted error."""
    terms = len(fit.held)
    low, high = fit.interval
    count = 16 * terms
    grid = [
        (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + 0.5) / count)
        for i in range(count)
    ]
    target = [fit.curve(x) for x in grid]
    weight = [abs(fit.weight(x)) for x in grid]
    columns = [[x**power for x in grid] for power in range(terms)]
    lawson = [w**2 for w in weight]
    for _ in range(40):
        rest = without(target, least_squares(columns, target, lawson), columns)
        errors = [w * abs(e) for w, e in zip(weight, rest, strict=True)]
        largest = max(errors)
        lawson = [
            a * max(e / largest, mpf("1e-6"))
            for a, e in zip(lawson, errors, strict=True)
        ]
    known: list[float] = []
    rest = target
    for power_of_x in range(terms):
        found = least_squares(columns[power_of_x:], rest, lawson)
        known.append(rounded(found[0], fit.element))
        rest = without(rest, known[-1:], columns[power_of_x : power_of_x + 1])
    return known, max(w * abs(e) for w, e in zip(weight, rest, strict=True))


def main() -> None:
    """Prints every fit, or those whose names hold the words given."""
    for fit in fits():
        if not all(word in fit.name for word in sys.argv[1:]):
            continue
        found, error = solve(fit)
        held = [rounded(mpf(each), fit.element) for each in fit.held]
        verdict = "as in the source" if found == held else "NOT as in the source"
        bits = float(-mp.log(error, 2))
        print(f"{fit.name}, {fit.element}: error 2**-{bits:.1f}, {verdict}")
        print("".join(f"    {shortest(each, fit.element)},\n" for each in found))


if __name__ == "__main__":
    main()
