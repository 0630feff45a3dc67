"""`sin`, `cos` and `tan`: polynomials of what a multiple of pi leaves."""

from __future__ import annotations

from .double_double import fast_two_sum, two_sum
from .function import Function, Ulp
from .writer import MathValue, Writer

_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_HALF_PI = float.fromhex("0x1.921fb54442d18p+0")
# pi/2 as a sum. All parts but the last have 23 bits, so that their products with an
# integer of 30 bits are exact in f64.
_PARTS = tuple(
    float.fromhex(each)
    for each in (
        "0x1.921fb4p+0",
        "0x1.4442dp-24",
        "0x1.84699p-48",
        "-0x1.9cceb8p-70",
        "-0x1.1fc8f8cbb5bf7p-93",
    )
)
# The same with all that follows the second part in a third.
_PARTS_FOR_F32 = (*_PARTS[:2], float.fromhex("0x1.8469898cc517p-48"))

# Coefficients by bench/math_coefficients.py.
# p of sin(r) = r + r³p(r²), |r| <= pi/4.
SIN = (
    -0.1666666666666663,
    0.00833333333332192,
    -0.00019841269829461302,
    2.755731358366345e-06,
    -2.505074259845527e-08,
    1.5895962732773238e-10,
)
# p of cos(r) = 1 - r²/2 + r⁴p(r²), |r| <= pi/4.
COS = (
    0.041666666666666595,
    -0.0013888888888873355,
    2.480158728901422e-05,
    -2.7557314221143953e-07,
    2.087570599580465e-09,
    -1.1358781329986153e-11,
)
# The same with an error that is small in f32.
SIN_FOR_F32 = (
    -0.16666666640796898,
    0.00833332930484258,
    -0.00019839312272781264,
    2.7181216777059745e-06,
)
COS_FOR_F32 = (0.04166664568652847, -0.0013887316464882868, 2.4433182581446803e-05)
# p of sin(r) = r + r³p(r²), |r| <= pi/2, with an error that is small in f32.
WIDE_SIN_FOR_F32 = (
    -0.16666666626147983,
    0.008333331108558262,
    -0.0001984086820596516,
    2.7525384283953916e-06,
    -2.3888907500549514e-08,
)


def nearest(w: Writer, x: MathValue) -> tuple[MathValue, MathValue]:
    """The nearest integer as a number, and in the low bits of an integer."""
    rounder = 1.5 * 2.0**52
    biased = x + rounder
    return biased - rounder, w.bits(biased)


def _bounded(w: Writer, r: MathValue, limit: float) -> MathValue:
    """What a reduction leaves, kept where sines are bounded for arguments too large."""
    return w.lower_limit(w.upper_limit(r, limit), -limit)


def reduce(w: Writer, x: MathValue) -> tuple[MathValue, MathValue, MathValue]:
    """
    r, its rounding error and n of x = n pi/2 + r, for f64; n is in the low bits.

    Cody and Waite's reduction. For |n| < 2**30 nothing is lost but what the last part
    loses, and r is right to 2**-110 and more.
    """
    n, integer = nearest(w, x * _TWO_OVER_PI)
    # Both differences are exact: they are small, and multiples of x's last place.
    r = w.fma(n, -_PARTS[1], w.fma(n, -_PARTS[0], x))
    r, error = two_sum(r, n * -_PARTS[2])
    r, other = two_sum(r, n * -_PARTS[3])
    r, error = fast_two_sum(r, w.fma(n, -_PARTS[4], error + other))
    return _bounded(w, r, 0.79), _bounded(w, error, 1e-16), integer


def _reduce_f32(w: Writer, x: MathValue, n: MathValue) -> MathValue:
    """x - n pi/2 in f64, for an x that was an f32."""
    for part in _PARTS_FOR_F32:
        x = w.fma(n, -part, x)
    return _bounded(w, x, _HALF_PI)


def _sin_near_zero(w: Writer, r: MathValue, error: MathValue) -> MathValue:
    """sin(r + error), |r| <= pi/4."""
    z = r * r
    series = r * z * w.polynomial(z, SIN)
    return r + w.fma(error, w.fma(z, -0.5, 1.0), series)


def _cos_near_zero(w: Writer, r: MathValue, error: MathValue) -> MathValue:
    """cos(r + error), |r| <= pi/4."""
    z = r * r
    half = z * 0.5
    start = 1.0 - half
    lost = (1.0 - start) - half
    return start + (lost + w.fma(z * z, w.polynomial(z, COS), r * -error))


def _has_bit(w: Writer, integer: MathValue, bit: int) -> MathValue:
    """Where a bit of an integer is set."""
    return w.differs(integer & bit, 0)


def _with_sign(
    w: Writer, y: MathValue, integer: MathValue, bit: int, sign: MathValue
) -> MathValue:
    """y, turned where a bit of an integer is set, then where `sign` is negative."""
    distance = 64 - bit.bit_length()
    turned = ((integer & bit) << distance) ^ (w.bits(sign) & -(1 << 63))
    return w.from_bits(w.bits(y) ^ turned)


def sin(w: Writer, x: MathValue) -> MathValue:
    """The sine."""
    if x.kind == "float":
        # Of the magnitude, so that the sign of zero is not lost.
        wide = w.widen(x)
        n, integer = nearest(w, w.absolute(wide) * (_TWO_OVER_PI / 2))
        r = _reduce_f32(w, w.absolute(wide), n + n)
        return w.narrow(_with_sign(w, _wide_sin(w, r), integer, 1, wide))
    r, error, n = reduce(w, w.absolute(x))
    odd = _has_bit(w, n, 1)
    y = w.select(odd, _cos_near_zero(w, r, error), _sin_near_zero(w, r, error))
    return _with_sign(w, y, n, 2, x)


def cos(w: Writer, x: MathValue) -> MathValue:
    """The cosine."""
    a = w.absolute(x)
    zero = w.constant(0.0, "double")
    if x.kind == "float":
        # |x| = (2n - 1) pi/2 + r, and there the cosine is the sine of r or of -r.
        a = w.widen(a)
        n, integer = nearest(w, w.fma(a, _TWO_OVER_PI / 2, 0.5))
        r = _reduce_f32(w, a, (n + n) - 1.0)
        return w.narrow(-_with_sign(w, _wide_sin(w, r), integer + 1, 1, zero))
    r, error, n = reduce(w, a)
    odd = _has_bit(w, n, 1)
    y = w.select(odd, _sin_near_zero(w, r, error), _cos_near_zero(w, r, error))
    return _with_sign(w, y, n + 1, 2, zero)


def _wide_sin(w: Writer, r: MathValue) -> MathValue:
    """sin(r) for |r| <= pi/2, with an error that is small in f32."""
    z = r * r
    return w.fma(r * z, w.polynomial(z, WIDE_SIN_FOR_F32), r)


def tan(w: Writer, x: MathValue) -> MathValue:
    """The tangent: a quotient of sine and cosine, turned in every other quarter."""
    a = w.absolute(x)
    if x.kind == "float":
        a = w.widen(a)
        quarter, n = nearest(w, a * _TWO_OVER_PI)
        r = _reduce_f32(w, a, quarter)
        z = r * r
        sine = w.fma(r * z, w.polynomial(z, SIN_FOR_F32), r)
        cosine = w.fma(z * z, w.polynomial(z, COS_FOR_F32), w.fma(z, -0.5, 1.0))
    else:
        r, error, n = reduce(w, a)
        sine, cosine = _sin_near_zero(w, r, error), _cos_near_zero(w, r, error)
    odd = _has_bit(w, n, 1)
    y = w.select(odd, cosine, sine) / w.select(odd, sine, cosine)
    wide = w.widen(x) if x.kind == "float" else x
    y = _with_sign(w, y, n, 1, wide)
    return w.narrow(y) if x.kind == "float" else y


_RANGE = "up to 1.6e9; beyond, an error that grows with x, and"

FUNCTIONS = (
    Function(
        "sin",
        sin,
        f32=Ulp(0.51, 0.51),
        f64=Ulp(0.9, 0.9),
        note="r + r³p(r²) of what multiples of pi leave, in f64 for f32; "
        f"{_RANGE} no more than 2",
    ),
    Function(
        "cos",
        cos,
        f32=Ulp(0.51, 0.51),
        f64=Ulp(0.9, 0.9),
        note="the sine of pi/2 - x for f32, 1 - r²/2 + r⁴p(r²) in f64; "
        f"{_RANGE} no more than 2",
    ),
    Function(
        "tan",
        tan,
        f32=Ulp(0.51, 0.51),
        f64=Ulp(2.75, 2.75),
        note="sine by cosine, in f64 for f32; up to 1.6e9; beyond, an error that "
        "grows with x",
    ),
)
