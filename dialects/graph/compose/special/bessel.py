"""
Bessel functions of orders 0 and 1.

Near zero each is a polynomial, and for some a logarithm beside it; further out a
polynomial of the inverse times the growth, the decay or the swing.
"""

from __future__ import annotations

from math import factorial, inf, nan, pi, sqrt

from . import bessel_coefficients as swing
from . import modified_coefficients as modified
from .real import Real, where


def scaled_i(order: int, x: Real) -> Real:
    """`exp(-|x|)` times the modified function of the first kind."""
    size = x.size
    inner = where(size > 8, 8, size).over(0, 8)
    outer = (1 / where(size < 8, 8, size)).over(0, 0.125)
    near = inner.polynomial((modified.I0_NEAR, modified.I1_NEAR)[order])
    far = outer.polynomial((modified.I0_FAR, modified.I1_FAR)[order]) / size.root
    if order == 0:
        return where(size <= 8, near, far)
    return where(size <= 8, near * x, where(x < 0, -far, far))


def bessel_i(order: int, x: Real) -> Real:
    """The modified function of the first kind."""
    half = (x.size * 0.5).exp
    return scaled_i(order, x) * half * half


def scaled_k(order: int, x: Real) -> Real:
    """`exp(x)` times the modified function of the second kind."""
    return where(x <= 2, _near_k(order, x) * x.exp, _far_k(order, x))


def bessel_k(order: int, x: Real) -> Real:
    """The modified function of the second kind; infinite at zero, NaN below."""
    return where(x <= 2, _near_k(order, x), _far_k(order, x) * (-x).exp)


def _near_k(order: int, x: Real) -> Real:
    """The modified function of the second kind up to 2."""
    inner = where(x > 2, 2, x)
    z = (inner * inner).over(0, 4)
    if order == 0:
        rest = z.polynomial(modified.K0_NEAR)
        value = rest - (inner * 0.5).log * bessel_i(0, inner)
    else:
        rest = inner * z.polynomial(modified.K1_NEAR)
        value = rest + (inner * 0.5).log * bessel_i(1, inner) + 1 / inner
    return where(x.equals(0), inf, where(x < 0, nan, value))


def _far_k(order: int, x: Real) -> Real:
    """`exp(x)` times the modified function of the second kind from 2 on."""
    outer = where(x < 2, 2, x)
    u = (1 / outer).over(0, 0.5)
    return u.polynomial((modified.K0_FAR, modified.K1_FAR)[order]) / outer.root


def _swing(order: int, x: Real, is_second: bool) -> Real:
    """A function of the first or the second kind from 8 on."""
    outer = where(x < 8, 8, x)
    u = 1 / outer
    z = (u * u).over(0, 1 / 64)
    even = z.polynomial((swing.COSINE0_FAR, swing.COSINE1_FAR)[order])
    odd = z.polynomial((swing.SINE0_FAR, swing.SINE1_FAR)[order]) * u
    cosine, sine = outer.cos, outer.sin
    # Of x - pi / 4, or of x - 3 pi / 4, times the root of two.
    if order == 0:
        turned = cosine + sine, sine - cosine
    else:
        turned = sine - cosine, -(sine + cosine)
    c, s = turned
    total = even * s + odd * c if is_second else even * c - odd * s
    return total / outer.root * sqrt(1 / pi)


def bessel_j(order: int, x: Real) -> Real:
    """The function of the first kind."""
    size = x.size
    inner = where(size > 8, 8, size)
    z = (inner * inner).over(0, 64)
    near = z.polynomial((swing.J0_NEAR, swing.J1_NEAR)[order])
    if order == 0:
        return where(size <= 8, near, _swing(0, size, False))
    far = _swing(1, size, False)
    return where(size <= 8, near * x, where(x < 0, -far, far))


def bessel_y(order: int, x: Real) -> Real:
    """The function of the second kind; minus infinity at zero, NaN below."""
    inner = where(x > 8, 8, x)
    z = (inner * inner).over(0, 64)
    rest = z.polynomial((swing.Y0_NEAR, swing.Y1_NEAR)[order])
    near = inner.log * bessel_j(order, inner) * (2 / pi)
    near = near + rest if order == 0 else near + rest * inner - 2 / (pi * inner)
    near = where(x.equals(0), -inf, where(x < 0, nan, near))
    return where(x <= 8, near, _swing(order, x, True))


def spherical_j0(x: Real) -> Real:
    """The sine of a number by the number; one at zero."""
    square = x * x
    near = square.polynomial([(-1) ** k / factorial(2 * k + 1) for k in range(9)])
    return where(x.size < 0.5, near, where(x.size.equals(inf), 0, x.sin / x))
