"""`exp`, `exp2` and `expm1`: a power of two times a polynomial of what remains."""

from __future__ import annotations

from dataclasses import dataclass

from .function import Function, Ulp
from .writer import Element, MathValue, Writer, format_of

_LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Exponential:
    """What the exponential functions need to know of a format."""

    ln2: tuple[float, float]
    """The high part has so few bits that its product with an exponent is exact."""

    lowest: float
    """Below, the result is zero."""

    highest: float
    """From here on the result is infinite."""

    lowest_power: float
    """The same as `lowest`, for powers of two."""

    highest_power: float

    all_lost: float
    """Below, expm1 is -1."""

    exp: tuple[float, ...]
    """q of exp(r) = 1 + r + r²q(r), |r| <= ln(2)/2."""

    expm1: tuple[float, ...]
    """The same q, fitted so that exp(r) - 1 has a small relative error."""

    exp2: tuple[float, ...]
    """q of exp2(r) = 1 + rq(r), |r| <= 1/2."""


# Coefficients by bench/math_coefficients.py.
EXPONENTIAL: dict[Element, Exponential] = {
    "f32": Exponential(
        ln2=(float.fromhex("0x1.62e4p-1"), float.fromhex("0x1.7f7d1cp-20")),
        lowest=-104.0,
        highest=89.0,
        lowest_power=-151.0,
        highest_power=128.0,
        all_lost=-18.0,
        exp=(0.49999994, 0.16666521, 0.04166825, 0.008368669, 0.0013822034),
        expm1=(
            0.5,
            0.16666664,
            0.041666474,
            0.008333912,
            0.0013934033,
            0.00019554743,
        ),
        exp2=(
            0.6931472,
            0.24022643,
            0.05550359,
            0.009619001,
            0.0013391305,
            0.00015197099,
        ),
    ),
    "f64": Exponential(
        ln2=(
            float.fromhex("0x1.62e42fefa3800p-1"),
            float.fromhex("0x1.ef35793c76730p-45"),
        ),
        lowest=-746.0,
        highest=710.0,
        lowest_power=-1076.0,
        highest_power=1024.0,
        all_lost=-38.0,
        exp=(
            0.5,
            0.16666666666666682,
            0.041666666666666505,
            0.008333333333317653,
            0.0013888888888981606,
            0.00019841269895099373,
            2.4801587125622726e-05,
            2.7557235973257046e-06,
            2.755744416633125e-07,
            2.511169366584528e-08,
            2.0862708881377597e-09,
        ),
        expm1=(
            0.5,
            0.16666666666666677,
            0.04166666666666661,
            0.00833333333332147,
            0.0013888888888923822,
            0.00019841269886454338,
            2.4801587237402448e-05,
            2.755724393517031e-06,
            2.755735311842154e-07,
            2.5109117923140794e-08,
            2.088938666808961e-09,
        ),
        exp2=(
            0.6931471805599453,
            0.24022650695910064,
            0.055504108664822936,
            0.00961812910763209,
            0.0013333558146163954,
            0.00015403530387295562,
            1.5252734037657255e-05,
            1.3215491400781965e-06,
            1.0177985145822827e-07,
            7.053294827083015e-09,
            4.4656297113834895e-10,
            2.7832052770910838e-11,
        ),
    ),
}


def _exponential_of(x: MathValue) -> Exponential:
    """The constants of a value's format."""
    return EXPONENTIAL[format_of(x).element]


def reduce(w: Writer, x: MathValue, bias: int) -> tuple[MathValue, MathValue]:
    """
    n and r of x = n ln(2) + r, |r| <= ln(2)/2.

    n is biased: the low bits of its representation are the integer n + bias.
    """
    high, low = _exponential_of(x).ln2
    biased, n = _nearest_multiple(w, x, bias)
    return biased, w.fma(n, -low, w.fma(n, -high, x))


def reduce_with_error(
    w: Writer, x: MathValue, bias: int
) -> tuple[MathValue, MathValue, MathValue]:
    """The same n and r, and what rounding took from r."""
    high, low = _exponential_of(x).ln2
    biased, n = _nearest_multiple(w, x, bias)
    exact, small = w.fma(n, -high, x), n * low
    r = exact - small
    return biased, r, (exact - r) - small


def _nearest_multiple(
    w: Writer, x: MathValue, bias: int
) -> tuple[MathValue, MathValue]:
    """The integer n for which n ln(2) is next to x, biased and as a number."""
    rounder = format_of(x).rounder + bias
    biased = w.fma(x, _LOG2_E, rounder)
    return biased, biased - rounder


def power_of_two(w: Writer, biased: MathValue) -> MathValue:
    """2**n of an n that has the bias of its format, if that is a normal number."""
    return w.from_bits(w.bits(biased) << format_of(biased).fraction)


def factors(w: Writer, biased: MathValue) -> tuple[MathValue, MathValue]:
    """
    Normal numbers whose product is 2**n, of an n that has the bias of both.

    A number near 1 times the first is exact, and times the second rounded once, even
    where the result is subnormal.
    """
    fraction, n = format_of(biased).fraction, w.bits(biased)
    half = n >> 1
    return w.from_bits(half << fraction), w.from_bits((n - half) << fraction)


def exp(w: Writer, x: MathValue) -> MathValue:
    """e**x."""
    constants, format = _exponential_of(x), format_of(x)
    limited = w.lower_limit(w.upper_limit(x, constants.highest), constants.lowest)
    n, r = reduce(w, limited, 2 * format.bias)
    first, second = factors(w, n)
    return w.fma(exp_less_one(w, r), first, first) * second


def _exp_not_above_zero(w: Writer, x: MathValue) -> MathValue:
    """e**x for x <= 0 or NaN, the same bits as `exp`."""
    constants, format = _exponential_of(x), format_of(x)
    # As large as this the least result is a normal number, and none is too large.
    lift = format.fraction + 2
    n, r = reduce(w, w.lower_limit(x, constants.lowest), format.bias + lift)
    power = power_of_two(w, n)
    return w.fma(exp_less_one(w, r), power, power) * 2.0**-lift


def exp_less_one(w: Writer, r: MathValue) -> MathValue:
    """e**r - 1 for |r| <= ln(2)/2, with an error that is small beside 1."""
    return w.fma(w.polynomial(r, _exponential_of(r).exp), r * r, r)


def exp2(w: Writer, x: MathValue) -> MathValue:
    """2**x."""
    constants = _exponential_of(x)
    limited = w.lower_limit(
        w.upper_limit(x, constants.highest_power), constants.lowest_power
    )
    n, fraction = _exp2_parts(w, limited, 2 * format_of(x).bias)
    first, second = factors(w, n)
    return (fraction * first) * second


def exp2_of_limited(w: Writer, x: MathValue) -> MathValue:
    """2**x, if that is a normal number."""
    n, fraction = _exp2_parts(w, x, format_of(x).bias)
    return fraction * power_of_two(w, n)


def _exp2_parts(w: Writer, x: MathValue, bias: int) -> tuple[MathValue, MathValue]:
    """The integer nearest to x, biased as by `reduce`, and 2 to the rest's power."""
    rounder = format_of(x).rounder + bias
    n = x + rounder
    r = x - (n - rounder)
    return n, w.fma(w.polynomial(r, _exponential_of(x).exp2), r, 1.0)


def expm1(w: Writer, x: MathValue) -> MathValue:
    """e**x - 1, exact to the last bits also where e**x is almost 1."""
    constants = _exponential_of(x)
    limited = w.lower_limit(w.upper_limit(x, constants.highest), constants.all_lost)
    # Of half the size, because 2**n itself may be more than the format holds.
    bias = format_of(x).bias - 1
    n, r, lost = reduce_with_error(w, limited, bias)
    q = r + w.fma(w.polynomial(r, constants.expm1), r * r, lost)
    half = power_of_two(w, n)
    y = w.fma(half, q, half - 0.5)
    # Halving a subnormal q would lose a bit.
    y = w.select(n.equals(format_of(x).rounder + bias), q, y + y)
    return w.copysign(y, x)


FUNCTIONS = (
    Function(
        "exp",
        exp,
        f32=Ulp(1.05, 1.05),
        f64=Ulp(1.05, 1.05),
        note="2^n (1 + r + r²p(r)) of x = n ln(2) + r",
    ),
    Function(
        "exp2",
        exp2,
        f32=Ulp(1.0, 1.15),
        f64=Ulp(1.0, 1.15),
        note="2^n (1 + rp(r)) of x = n + r",
    ),
    Function(
        "expm1",
        expm1,
        f32=Ulp(1.6, 1.6),
        f64=Ulp(1.8, 1.8),
        note="2^n (r + r²p(r)) + (2^n - 1) of x = n ln(2) + r",
    ),
)

NOT_ABOVE_ZERO = (
    Function(
        "exp_not_above_zero",
        _exp_not_above_zero,
        f32=Ulp(1.05, 1.05),
        f64=Ulp(1.05, 1.05),
        note="as exp, whose bits it has",
    ),
)
"""Functions of arguments that are at most zero, or NaN."""
