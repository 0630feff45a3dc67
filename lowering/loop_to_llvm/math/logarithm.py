"""`log`, `log2`, `log10` and `log1p`: an exponent plus a series around 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .double_double import two_sum
from .exponential import EXPONENTIAL
from .function import Function, Ulp
from .writer import Element, MathValue, Writer, format_of

_SQRT_HALF: dict[Element, int] = {"f32": 0x3F3504F3, "f64": 0x3FE6A09E667F3BCD}
"""The bits of the square root of one half."""

# Coefficients by bench/math_coefficients.py.
# p of log(1 + f) = f - f²/2 + f³p(f), for 1 + f between the roots of 1/2 and 2.
SERIES = (
    0.3333333,
    -0.2500082,
    0.20001245,
    -0.16623414,
    0.14201503,
    -0.13159475,
    0.12762713,
    -0.076374315,
)
# p of log(1 + f) = f - f²/2 + s (f²/2 + s²p(s²)), s = f / (2 + f), in the same range.
RATIONAL = (
    0.6666666666666734,
    0.39999999999417085,
    0.2857142874188028,
    0.22222198623078193,
    0.18183561825187514,
    0.15314112526635337,
    0.14795347240675832,
)


@dataclass(frozen=True)
class _Base:
    """The logarithms of e and 2 to a base other than e, each in two parts."""

    e: tuple[float, float]
    """The high part has half of a format's bits."""

    two: tuple[float, float]
    """The product of the high part with an exponent is exact."""


_TWO: dict[Element, _Base] = {
    "f32": _Base(
        e=(float.fromhex("0x1.716p+0"), float.fromhex("-0x1.7135a8p-13")),
        two=(1.0, 0.0),
    ),
    "f64": _Base(
        e=(
            float.fromhex("0x1.7154768p+0"),
            float.fromhex("-0x1.6a3e80f444178p-27"),
        ),
        two=(1.0, 0.0),
    ),
}
_TEN: dict[Element, _Base] = {
    "f32": _Base(
        e=(float.fromhex("0x1.bccp-2"), float.fromhex("-0x1.09d5b2p-15")),
        two=(float.fromhex("0x1.344p-2"), float.fromhex("0x1.3509f8p-18")),
    ),
    "f64": _Base(
        e=(
            float.fromhex("0x1.bcb7b18p-2"),
            float.fromhex("-0x1.6c8d78e6acaa4p-29"),
        ),
        two=(
            float.fromhex("0x1.34413509f8p-2"),
            float.fromhex("-0x1.80433b83b532ap-44"),
        ),
    ),
}


@dataclass(frozen=True)
class Parts:
    """x = 2**exponent (1 + fraction), 1 + fraction between the roots of 1/2 and 2."""

    exponent: MathValue
    fraction: MathValue
    biased: MathValue
    """The exponent as an integer, with the format's bias added."""


def decompose(w: Writer, x: MathValue) -> Parts:
    """The parts of a positive normal number."""
    format = format_of(x)
    root = _SQRT_HALF[format.element]
    shifted = w.bits(x) + (format.one - root)
    biased = shifted >> format.fraction
    mask = (1 << format.fraction) - 1
    fraction = w.from_bits((shifted & mask) + root) - 1.0
    # The integer in the low bits of a number: a conversion that all targets have.
    carrier = 2.0**format.fraction
    bits_of_carrier = (format.bias + format.fraction) << format.fraction
    exponent = w.from_bits(biased | bits_of_carrier) - (carrier + format.bias)
    return Parts(exponent, fraction, biased)


def _correction(w: Writer, f: MathValue) -> MathValue:
    """log(1 + f) - f, for 1 + f between the roots of 1/2 and 2."""
    if f.kind == "float":
        square = f * f
        return w.fma(square * f, w.polynomial(f, SERIES), square * -0.5)
    s = f / (f + 2.0)
    z = s * s
    half_square = f * f * 0.5
    return w.fma(s, w.fma(z, w.polynomial(z, RATIONAL), half_square), -half_square)


def log(w: Writer, x: MathValue) -> MathValue:
    """The natural logarithm."""
    high, low = EXPONENTIAL[format_of(x).element].ln2
    scaled, lift = normalized(w, x)
    parts = decompose(w, scaled)
    exponent = parts.exponent + lift
    c = w.fma(exponent, low, _correction(w, parts.fraction))
    return with_special_cases(w, x, w.fma(exponent, high, parts.fraction + c))


def _to_base(w: Writer, x: MathValue, base: _Base) -> MathValue:
    """The logarithm to a base."""
    scaled, lift = normalized(w, x)
    parts = decompose(w, scaled)
    exponent, f = parts.exponent + lift, parts.fraction
    # The half of f whose product with the base's high part is exact, and the rest.
    dropped = (format_of(x).fraction + 2) // 2
    start = w.from_bits((w.bits(f) >> dropped) << dropped)
    rest = (f - start) + _correction(w, f)
    low = w.fma(rest, sum(base.e), start * base.e[1])
    if base.two[1]:
        low = w.fma(exponent, base.two[1], low)
    high, product = exponent * base.two[0], start * base.e[0]
    total = high + product
    return with_special_cases(w, x, total + (((high - total) + product) + low))


def log2(w: Writer, x: MathValue) -> MathValue:
    """The logarithm to base 2."""
    return _to_base(w, x, _TWO[format_of(x).element])


def log10(w: Writer, x: MathValue) -> MathValue:
    """The logarithm to base 10."""
    return _to_base(w, x, _TEN[format_of(x).element])


def log1p(w: Writer, x: MathValue) -> MathValue:
    """log(1 + x), exact to the last bits also where 1 + x is almost 1."""
    u, lost = two_sum(1.0, x)
    return w.copysign(with_special_cases(w, u, log_of_sum(w, u, lost)), x)


def log_of_sum(
    w: Writer, u: MathValue, lost: MathValue, power: MathValue | None = None
) -> MathValue:
    """log(2**power (u + lost)), for a positive normal u that has lost no more."""
    format = format_of(u)
    high, low = EXPONENTIAL[format.element].ln2
    parts = decompose(w, u)
    # Beyond this u the error says nothing, and its factor is not a normal number.
    shrink = w.from_bits(
        w.constant(2 * format.one, format.integer) - (parts.biased << format.fraction)
    )
    small = w.select(u < 2.0 ** (2 * format.fraction), lost * shrink, 0.0)
    f = parts.fraction + small
    rest = (parts.fraction - f) + small
    exponent = parts.exponent if power is None else parts.exponent + power
    c = w.fma(exponent, low, _correction(w, f) + rest)
    return w.fma(exponent, high, f + c)


def normalized(w: Writer, x: MathValue) -> tuple[MathValue, MathValue]:
    """x, multiplied if subnormal, and the exponent that this takes away."""
    format = format_of(x)
    tiny = x < 2.0 ** (1 - format.bias)
    lift = format.fraction + 1
    return (
        w.select(tiny, x * 2.0**lift, x),
        w.select(tiny, w.constant(-float(lift), x.kind), 0.0),
    )


def with_special_cases(w: Writer, x: MathValue, y: MathValue) -> MathValue:
    """A logarithm y of x, made right for x zero, negative, infinite or NaN."""
    finite = w.select(x.equals(math.inf), x, y)
    pole = w.select(x.equals(0.0), w.constant(-math.inf, x.kind), math.nan)
    return w.select(x > 0.0, finite, pole)


FUNCTIONS = (
    Function(
        "log",
        log,
        f32=Ulp(1.0, 1.0),
        f64=Ulp(1.0, 1.0),
        note="n ln(2) + f - f²/2 + f³p(f) of x = 2^n (1 + f); "
        "in f64 the series of s = f / (2 + f)",
    ),
    Function(
        "log2",
        log2,
        f32=Ulp(1.1, 1.3),
        f64=Ulp(1.25, 1.4),
        note="as log, the logarithm of e in two parts",
    ),
    Function(
        "log10",
        log10,
        f32=Ulp(1.0, 1.2),
        f64=Ulp(1.1, 1.2),
        note="as log, the logarithms of e and 2 in two parts",
    ),
    Function(
        "log1p",
        log1p,
        f32=Ulp(1.05, 1.05),
        f64=Ulp(1.05, 1.05),
        note="as log, with what rounding took from 1 + x added to f",
    ),
)
