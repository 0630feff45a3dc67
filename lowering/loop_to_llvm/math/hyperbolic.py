"""`tanh`, `sinh`, `cosh`: polynomials near zero, exponentials further out."""

from __future__ import annotations

from .exponential import exp_less_one, power_of_two, reduce
from .function import Function, Ulp
from .writer import Element, MathValue, Writer, format_of

# Coefficients by bench/math_coefficients.py.
# p of tanh(x) = x + x³p(x²), |x| <= 0.625.
TANH: dict[Element, tuple[float, ...]] = {
    "f32": (-0.3333328, 0.13331416, -0.05373794, 0.020634117, -0.0057000867),
    "f64": (
        -0.33333333333333315,
        0.1333333333332997,
        -0.05396825396615525,
        0.021869488470863122,
        -0.008863234341281792,
        0.0035921142463386686,
        -0.0014557273562225083,
        0.0005894572122872009,
        -0.00023702557096315471,
        9.158098072633119e-05,
        -3.0208460209799762e-05,
        6.051247622429342e-06,
    ),
}


# p of sinh(x) = x + x³p(x²), |x| <= 1.
SINH: dict[Element, tuple[float, ...]] = {
    "f32": (0.16666667, 0.008333315, 0.00019841664, 2.7899996e-06),
    "f64": (
        0.16666666666666669,
        0.008333333333332969,
        0.0001984126984153284,
        2.755731912980847e-06,
        2.5052126949652678e-08,
        1.6056993221812317e-10,
        7.766116386090116e-13,
    ),
}


def tanh(w: Writer, x: MathValue) -> MathValue:
    """The hyperbolic tangent: 1 - 2 / (exp(2x) + 1), or a polynomial near zero."""
    a = w.absolute(x)
    square = x * x
    series = w.polynomial(square, TANH[format_of(x).element])
    near = w.fma(a * square, series, a)
    # From here on the result is 1.
    limited = w.upper_limit(a, 20.0)
    n, r = reduce(w, limited + limited, format_of(x).bias)
    power = power_of_two(w, n)
    far = 1.0 - 2.0 / w.fma(power, exp_less_one(w, r), power + 1.0)
    return w.copysign(w.select(a < 0.625, near, far), x)


def _half_exp(w: Writer, x: MathValue) -> MathValue:
    """exp(x) / 2 for x >= 0, infinite only if the hyperbolic sine of x is."""
    limited = w.upper_limit(x, 89.5 if x.kind == "float" else 710.5)
    # Of half the size, because 2**(n - 1) may be more than the format holds.
    n, r = reduce(w, limited, format_of(x).bias - 2)
    power = power_of_two(w, n)
    quarter = w.fma(power, exp_less_one(w, r), power)
    return quarter + quarter


def sinh(w: Writer, x: MathValue) -> MathValue:
    """The hyperbolic sine: (exp(x) - exp(-x)) / 2, or a polynomial near zero."""
    a = w.absolute(x)
    square = x * x
    series = w.polynomial(square, SINH[format_of(x).element])
    near = w.fma(a * square, series, a)
    half = _half_exp(w, a)
    return w.copysign(w.select(a < 1.0, near, half - 0.25 / half), x)


def cosh(w: Writer, x: MathValue) -> MathValue:
    """The hyperbolic cosine: (exp(x) + exp(-x)) / 2."""
    half = _half_exp(w, w.absolute(x))
    return half + 0.25 / half


FUNCTIONS = (
    Function(
        "tanh",
        tanh,
        f32=Ulp(1.3, 1.3),
        f64=Ulp(1.3, 1.3),
        note="x + x³p(x²) up to 0.625, then 1 - 2 / (exp(2x) + 1)",
    ),
    Function(
        "sinh",
        sinh,
        f32=Ulp(1.75, 1.75),
        f64=Ulp(1.75, 1.75),
        note="x + x³p(x²) up to 1, then (exp(x) - exp(-x)) / 2",
    ),
    Function(
        "cosh",
        cosh,
        f32=Ulp(1.6, 1.6),
        f64=Ulp(1.6, 1.6),
        note="(exp(x) + exp(-x)) / 2",
    ),
)
