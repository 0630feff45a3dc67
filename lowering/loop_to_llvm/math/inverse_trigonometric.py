"""`asin`, `acos` and `atan`: a polynomial, and around it an identity for large ones."""

from __future__ import annotations

from .function import Function, Ulp
from .writer import Element, MathValue, Writer, format_of

# pi/2, a number of the format and what this leaves.
_HALF_PI: dict[Element, tuple[float, float]] = {
    "f32": (
        float.fromhex("0x1.921fb6p+0"),
        float.fromhex("-0x1.777a5cp-25"),
    ),
    "f64": (
        float.fromhex("0x1.921fb54442d18p+0"),
        float.fromhex("0x1.1a62633145c07p-54"),
    ),
}

# Coefficients by bench/math_coefficients.py.
# p of asin(x) = x + x³p(x²), |x| <= 1/2.
ASIN: dict[Element, tuple[float, ...]] = {
    "f32": (0.16666752, 0.0749531, 0.045469023, 0.024185468, 0.042157095),
    "f64": (
        0.1666666666666676,
        0.07499999999970869,
        0.0446428571745576,
        0.03038194271003183,
        0.022372214931316588,
        0.017351612931744313,
        0.013980810417650903,
        0.011398989304483482,
        0.010779847832201206,
        0.003707851661801216,
        0.021704117408935568,
        -0.020994572860578507,
        0.03262593790295525,
    ),
}
# p of atan(x) = x + x³p(x²), |x| <= 0.66.
ATAN: dict[Element, tuple[float, ...]] = {
    "f32": (
        -0.3333322,
        0.19994816,
        -0.14204665,
        0.10512219,
        -0.067286946,
        0.02481876,
    ),
    "f64": (
        -0.3333333333333232,
        0.19999999999785267,
        -0.1428571426972395,
        0.11111110507578417,
        -0.09090895533567407,
        0.0769210956443344,
        -0.06664677401866861,
        0.058681475858654714,
        -0.051894286789640844,
        0.04480247726430354,
        -0.035509000907938515,
        0.023242031972667176,
        -0.010643539865284643,
        0.002455494548789725,
    ),
}


def asin(w: Writer, x: MathValue) -> MathValue:
    """The arcus sine: pi/2 - 2 asin(sqrt((1 - x) / 2)) from one half on."""
    high, low = _HALF_PI[format_of(x).element]
    a = w.absolute(x)
    outer, s, tail = _arcus(w, a)
    # Half of the constant is kept for last, so that the first difference is small.
    far = high / 2 + ((high / 2 - (s + s)) - ((tail + tail) - low))
    return w.copysign(w.select(outer, far, s + tail), x)


def acos(w: Writer, x: MathValue) -> MathValue:
    """The arcus cosine, from the arcus sine of the same or of sqrt((1 - |x|) / 2)."""
    high, low = _HALF_PI[format_of(x).element]
    a = w.absolute(x)
    outer, s, tail = _arcus(w, a)
    inner = high - (w.copysign(s, x) - (low - w.copysign(tail, x)))
    near = s + tail
    half = w.select(x < 0.0, high - (near - low), near)
    return w.select(outer, half + half, inner)


def _arcus(w: Writer, a: MathValue) -> tuple[MathValue, MathValue, MathValue]:
    """Where a > 1/2; s and t of asin(s) = s + t, s being a or sqrt((1 - a) / 2)."""
    outer = a > 0.5
    z = w.select(outer, w.fma(a, -0.5, 0.5), a * a)
    s = w.select(outer, w.sqrt(z), a)
    return outer, s, s * z * w.polynomial(z, ASIN[format_of(a).element])


def atan(w: Writer, x: MathValue) -> MathValue:
    """
    The arcus tangent.

    With a = |x| it is atan(a), pi/4 + atan((a - 1) / (a + 1)) or pi/2 + atan(-1 / a),
    whichever has a small argument.
    """
    high, low = _HALF_PI[format_of(x).element]
    a = w.absolute(x)
    middle, outer = a > 0.66, a > 2.41
    zero = w.constant(0.0, x.kind)
    above = w.select(outer, w.constant(-1.0, x.kind), w.select(middle, a - 1.0, a))
    below = w.select(outer, a, w.select(middle, a + 1.0, 1.0))
    start = w.select(outer, w.constant(high, x.kind), w.select(middle, high / 2, zero))
    rest = w.select(outer, w.constant(low, x.kind), w.select(middle, low / 2, zero))
    t = above / below
    z = t * t
    tail = w.fma(t * z, w.polynomial(z, ATAN[format_of(x).element]), rest)
    return w.copysign(start + (t + tail), x)


FUNCTIONS = (
    Function(
        "asin",
        asin,
        f32=Ulp(1.4, 1.4),
        f64=Ulp(1.4, 1.4),
        note="x + x³p(x²) up to 1/2, then pi/2 - 2 asin(sqrt((1 - x) / 2))",
    ),
    Function(
        "acos",
        acos,
        f32=Ulp(1.25, 1.25),
        f64=Ulp(1.25, 1.25),
        note="pi/2 - asin(x) up to 1/2, then 2 asin(sqrt((1 - x) / 2))",
    ),
    Function(
        "atan",
        atan,
        f32=Ulp(1.05, 1.05),
        f64=Ulp(1.05, 1.05),
        note="t + t³p(t²) of x, (x - 1) / (x + 1) or -1 / x",
    ),
)
