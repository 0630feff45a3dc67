"""`powf`: the exponential of a multiple of a logarithm, in f64 or in two f64."""

from __future__ import annotations

import math
from collections.abc import Callable

from .double_double import fast_two_sum, two_product
from .exponential import EXPONENTIAL, factors, power_of_two, reduce_with_error
from .function import Function, Ulp
from .logarithm import decompose, normalized
from .writer import F64, MathValue, Writer

# Coefficients by bench/math_coefficients.py.
# p of log2(1 + f) = sp(s²), s = f / (2 + f), with an error that is small in f32.
LOG2_FOR_F32 = (
    2.88539008177785,
    0.9617966941133498,
    0.5770779423686666,
    0.4122092516810762,
    0.319905733880934,
    0.2828995427893558,
)
# p of exp2(r) = 1 + rp(r), |r| <= 1/2, with an error that is small in f32.
EXP2_FOR_F32 = (
    0.6931471807045428,
    0.2402265106657354,
    0.05550410365963389,
    0.009618038130699617,
    0.001333393507468125,
    0.0001546675666765214,
    1.5196152722911142e-05,
)
# p of log(1 + f) = 2s + 2s³/3 + s⁵p(s²), s = f / (2 + f).
LOG = (
    0.4000000000000225,
    0.28571428570102336,
    0.22222222519423804,
    0.1818178441099191,
    0.15386755310663489,
    0.13256864657823517,
    0.13195895360726442,
)
_TWO_THIRDS = (
    float.fromhex("0x1.5555555555555p-1"),
    float.fromhex("0x1.5555555555555p-55"),
)


def powf(w: Writer, x: MathValue, y: MathValue) -> MathValue:
    """x**y, with the special cases of C99."""
    if x.kind == "float":
        return w.narrow(_signed_power(w, w.widen(x), w.widen(y), _power_for_f32))
    return _signed_power(w, x, y, _power_for_f64)


def _signed_power(
    w: Writer,
    x: MathValue,
    y: MathValue,
    power: Callable[[Writer, MathValue, MathValue], MathValue],
) -> MathValue:
    """x**y, given a power for x that are not negative and y that are not too large."""
    exponent = w.absolute(y)
    # From 2**52 on all numbers are integers, and up to 2**53 some of them are odd.
    carrier = 2.0**52
    carried = w.select(exponent < carrier, exponent + carrier, exponent)
    integral = w.select(exponent < carrier, carried - carrier, exponent).equals(
        exponent
    )
    odd = w.both(w.differs(w.bits(carried) & 1, 0), exponent < 2 * carrier)
    # As good as infinite, but zero times it is zero.
    huge = 2.0**900
    y_limited = w.lower_limit(w.upper_limit(y, huge), -huge)
    result = power(w, w.absolute(x), y_limited)
    result = w.select(w.both(w.both(odd, integral), w.bits(x) < 0), -result, result)
    proper = w.select(integral, result, math.nan)
    result = w.select(w.both(x < 0.0, x > -math.inf), proper, result)
    return w.select(w.either(x.equals(1.0), y.equals(0.0)), 1.0, result)


def _with_poles(w: Writer, logarithm: MathValue, x: MathValue) -> MathValue:
    """A logarithm of x >= 0, made right for x zero, infinite or NaN."""
    y = w.select(x < math.inf, logarithm, x)
    return w.select(x.equals(0.0), -math.inf, y)


def _power_for_f32(w: Writer, x: MathValue, y: MathValue) -> MathValue:
    """x**y for an x and a y that were f32, x >= 0."""
    parts = decompose(w, x)
    s = parts.fraction / (parts.fraction + 2.0)
    logarithm = w.fma(s, w.polynomial(s * s, LOG2_FOR_F32), parts.exponent)
    product = y * _with_poles(w, logarithm, x)
    # Far outside of what f32 holds, far inside of what f64 does.
    limited = w.lower_limit(w.upper_limit(product, 200.0), -200.0)
    rounder = F64.rounder + F64.bias
    n = limited + rounder
    r = limited - (n - rounder)
    return w.fma(w.polynomial(r, EXP2_FOR_F32), r, 1.0) * power_of_two(w, n)


def _power_for_f64(w: Writer, x: MathValue, y: MathValue) -> MathValue:
    """x**y for x >= 0."""
    constants = EXPONENTIAL["f64"]
    scaled, lift = normalized(w, x)
    parts = decompose(w, scaled)
    high, low = _logarithm(w, parts.exponent + lift, parts.fraction)
    product, error = two_product(w, y, _with_poles(w, high, x))
    error = w.fma(y, low, error)
    error = w.select(w.absolute(product) < 1000.0, error, 0.0)
    limited = w.lower_limit(w.upper_limit(product, constants.highest), constants.lowest)
    n, r, lost = reduce_with_error(w, limited, 2 * F64.bias)
    r, lost = fast_two_sum(r, lost + error)
    # The last sum is of a large and a small term, so that exact powers come out exact.
    total, missing = fast_two_sum(1.0, r)
    series = w.fma(w.polynomial(r, constants.exp), r * r, lost)
    first, second = factors(w, n)
    return ((total + (missing + series)) * first) * second


def _logarithm(
    w: Writer, exponent: MathValue, f: MathValue
) -> tuple[MathValue, MathValue]:
    """log(2**exponent (1 + f)) with an error below 2**-65 of it, in two parts."""
    below, lost = fast_two_sum(2.0, f)
    s = f / below
    product, error = two_product(w, s, below)
    s_low = (((f - product) - error) - s * lost) / below

    z, z_low = two_product(w, s, s)
    z_low = w.fma(s + s, s_low, z_low)
    series = w.polynomial(z, LOG)
    factor, factor_low = fast_two_sum(_TWO_THIRDS[0], z * series)
    factor_low = w.fma(z_low, series, factor_low + _TWO_THIRDS[1])

    cube, cube_low = two_product(w, s, z)
    cube_low = cube_low + w.fma(s_low, z, s * z_low)
    tail, tail_low = two_product(w, cube, factor)
    tail_low = tail_low + w.fma(cube_low, factor, cube * factor_low)

    ln2_high, ln2_low = EXPONENTIAL["f64"].ln2
    total, first = fast_two_sum(exponent * ln2_high, s + s)
    total, second = fast_two_sum(total, tail)
    rest = (first + second) + (w.fma(exponent, ln2_low, tail_low) + (s_low + s_low))
    return fast_two_sum(total, rest)


FUNCTIONS = (
    Function(
        "powf",
        powf,
        f32=Ulp(0.51, 0.51),
        f64=Ulp(0.85, 0.85),
        note="exp(y log(x)), for f32 in f64, for f64 the logarithm in two parts",
        arity=2,
    ),
)
