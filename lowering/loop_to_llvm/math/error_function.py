"""`erf`: a polynomial near zero, and further out what is missing to 1."""

from __future__ import annotations

from .exponential import exp2_of_limited
from .function import Function, Ulp
from .writer import MathValue, Writer

# Coefficients by bench/math_coefficients.py.
# p of erf(x) = x + xp(x²), up to 1.0625 in f32 and up to 1 in f64.
NEAR_F32 = (
    0.12837917,
    -0.37612617,
    0.11283454,
    -0.026847648,
    0.0051757344,
    -0.00078939035,
    7.455783e-05,
)
NEAR_F64 = (
    0.12837916709551256,
    -0.3761263890318346,
    0.11283791670942667,
    -0.026866170642932893,
    0.0052239776049469245,
    -0.0008548325882234809,
    0.00012055292359564501,
    -1.4924691638919082e-05,
    1.644690262791601e-06,
    -1.6204719455593614e-07,
    1.3704646879614798e-08,
    -7.768521579262419e-10,
)
# p of erf(x) = p(x - 2.4375), from 1.0625 to 3.92, from where on the nearest f32 is 1.
# The middle is chosen so that erf there is almost an f32.
MIDDLE = 2.4375
FAR_F32 = (
    0.99943346,
    0.0029657073,
    -0.0072291354,
    0.010759462,
    -0.010701271,
    0.0072023543,
    -0.0030055693,
    0.00038658633,
    0.0004207149,
    -0.0003130879,
    6.6976216e-05,
    2.8136152e-05,
    -1.6396054e-05,
    -4.1137373e-08,
    9.451221e-07,
)
# p of erf(x) = 1 - 2**-p(x), from 1 to 5.93, from where on the nearest f64 is 1.
FAR_F64 = (
    7.404213730095075e-07,
    1.6278995624165458,
    0.9184832196302259,
    0.14816808852138236,
    -0.02739396287271552,
    -0.0005965941705514592,
    0.002768438852477249,
    -0.0011152529582635783,
    0.0001969976777462768,
    2.817132744000352e-05,
    -3.2510456765506087e-05,
    1.2377332099864688e-05,
    -3.0512005260386773e-06,
    5.332054671956243e-07,
    -6.62724065426335e-08,
    5.612550717253553e-09,
    -2.9149962752279645e-10,
    7.01954454304936e-12,
)


def erf(w: Writer, x: MathValue) -> MathValue:
    """The error function."""
    a = w.absolute(x)
    square = x * x
    if x.kind == "float":
        border = 1.0625
        near = w.fma(a, w.polynomial(square, NEAR_F32), a)
        far = w.polynomial(w.upper_limit(a, 3.92) - MIDDLE, FAR_F32, chains=2)
    else:
        border = 1.0
        near = w.fma(a, w.polynomial(square, NEAR_F64), a)
        missing = w.polynomial(w.upper_limit(a, 5.93), FAR_F64, chains=2)
        far = 1.0 - exp2_of_limited(w, -missing)
    return w.copysign(w.select(a < border, near, far), x)


FUNCTIONS = (
    Function(
        "erf",
        erf,
        f32=Ulp(1.3, 1.6),
        f64=Ulp(1.3, 1.6),
        note="x + xp(x²) up to 1, then p(x) in f32, 1 - 2^-p(x) in f64",
    ),
)
