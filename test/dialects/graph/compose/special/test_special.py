"""Special functions are what mpmath says, but for the error that each states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from static_runtime.dialects.graph.compose import special

from ..run import FLOATS, run_all

mp: Any = mpmath.mp

Sample = Sequence[float]


def line(low: float, high: float, count: int = 60) -> list[float]:
    """Numbers from one to another."""
    return [*np.linspace(low, high, count).tolist()]


def scaled(function: Any, order: int, sign: int) -> Callable[[Any], Any]:
    """A modified Bessel function without its growth or decay."""

    def exact(x: Any) -> Any:
        return function(order, x) * mp.exp(sign * abs(x))

    return exact


def exact_log_gamma(x: Any) -> Any:
    """The logarithm of the magnitude of the gamma function."""
    return mp.inf if mp.isint(x) and x <= 0 else mp.log(abs(mp.gamma(x)))


def lower(order: float, x: special.Real) -> special.Real:
    """The lower incomplete gamma function of one order."""
    return special.lower_gamma(x * 0 + order, x)


def upper(order: float, x: special.Real) -> special.Real:
    """The upper incomplete gamma function of one order."""
    return special.upper_gamma(x * 0 + order, x)


def exact_lower(order: float, x: Any) -> Any:
    """What the lower one is."""
    return 1 - exact_upper(order, x)


def exact_upper(order: float, x: Any) -> Any:
    """What the upper one is."""
    return mp.gammainc(order, x, mp.inf, regularized=True)


FUNCTIONS: dict[str, tuple[Any, Callable[[Any], Any], Sample, float]] = {
    "lgamma": (
        special.log_gamma,
        exact_log_gamma,
        [*line(-9.7, 40), 1e-30, 0.999, 1.001, 1.5, 2.001, 1e10],
        2e-14,
    ),
    "digamma": (special.digamma, mp.digamma, [*line(-9.7, 30), 1e9], 1e-14),
    **{
        f"polygamma {n}": (
            partial(special.polygamma, n),
            partial(mp.polygamma, n),
            [*line(-4.7, 20), 1e6],
            2e-13,
        )
        for n in (1, 2, 5)
    },
    "erfc": (special.erfc, mp.erfc, [*line(-6, 26), 0.5, 1e-20], 1e-15),
    "erfcx": (
        special.erfcx,
        lambda x: mp.exp(x * x) * mp.erfc(x),
        [*line(-9, 9), 100, 1e10],
        2e-15,
    ),
    "erfinv": (
        special.erfinv,
        mp.erfinv,
        [*line(-0.9999, 0.9999), 1e-20, 1 - 1e-7, 0.5],
        1e-15,
    ),
    "ndtri": (
        special.ndtri,
        lambda p: -mp.sqrt(2) * mp.erfinv(1 - 2 * p),
        [*line(0.001, 0.999), 1e-30, 0.5 + 1e-9],
        2e-15,
    ),
    "log_ndtr": (
        special.log_ndtr,
        lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2),
        [*line(-30, 8), -1],
        2e-15,
    ),
    **{
        f"{name}{order}": (partial(formula, order), exact, sample, 5e-15)
        for order in (0, 1)
        for name, formula, exact, sample in (
            ("i", special.bessel_i, partial(mp.besseli, order), line(-30, 30)),
            ("ie", special.scaled_i, scaled(mp.besseli, order, -1), line(-90, 90)),
            ("k", special.bessel_k, partial(mp.besselk, order), line(0.01, 30)),
            ("ke", special.scaled_k, scaled(mp.besselk, order, 1), line(0.01, 90)),
        )
    },
    **{
        f"{name} gamma of {order}": (
            partial(formula, order),
            partial(exact, order),
            [*line(order * 1e-3, order * 3, 40), order + 1, order + 1.001],
            1e-9 if order > 1e4 else 1e-11,
        )
        for order in (0.25, 1, 7.5, 300, 5e4)
        for name, formula, exact in (
            ("lower", lower, exact_lower),
            ("upper", upper, exact_upper),
        )
    },
    "airy": (special.airy_ai, mp.airyai, [*line(-12, 14), 0, 2.001, -7.001, 40], 1e-10),
    "spherical j0": (special.spherical_j0, mp.sinc, line(-20, 20), 1e-15),
}
"""Each formula, what it should be, numbers, and the largest relative error in f64."""

SWINGING: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    f"{name}{order}": (partial(formula, order), partial(exact, order))
    for order in (0, 1)
    for name, formula, exact in (
        ("j", special.bessel_j, mp.besselj),
        ("y", special.bessel_y, mp.bessely),
    )
}
"""Functions that cross zero again and again, whose error is an absolute one."""


def exact_values(exact: Callable[[Any], Any], x: Any, digits: int = 80) -> list[Any]:
    """What a function should be, to a number of digits."""
    with mpmath.workdps(digits):
        return [exact(mp.mpf(float(each))) for each in x]


def computed(formula: Any, *arrays: Any) -> Any:
    """What a formula computes."""

    def build(values: Sequence[Any]) -> Sequence[Any]:
        return [special.in_f64(formula, *values)]

    return run_all(build, *arrays)[0]


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("step", [40, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_within_the_bound_in_f64(name: str, step: int):
    formula, exact, sample, bound = FUNCTIONS[name]
    x = np.array(sample[::step])
    got = computed(formula, x)
    for at, mine, its in zip(x, got, exact_values(exact, x), strict=True):
        # Where a function crosses zero it is exact to a part of one.
        error = abs(mp.mpf(float(mine)) - its) / max(abs(its), mp.mpf("0.1"))
        assert error <= bound, (at, mine, its)


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_f32_is_rounded_once(name: str):
    formula, exact, sample, _ = FUNCTIONS[name]
    x = np.array(sample, np.float32)
    got = computed(formula, x)
    assert got.dtype == np.float32
    for at, mine, its in zip(x, got, exact_values(exact, x, 50), strict=True):
        if abs(its) < 1e37:
            unit = max(float(np.spacing(np.float32(abs(its)))), 1e-14)
            assert abs(float(mine) - its) <= 0.51 * unit, (at, mine, its)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("name", SWINGING)
def test_functions_that_swing_are_exact_to_a_part_of_one(name: str):
    formula, exact = SWINGING[name]
    x = np.array([*line(0.05, 60, 90), 8, 7.999, 1e4])
    got = computed(formula, x)
    for at, mine, its in zip(x, got, exact_values(exact, x), strict=True):
        error = abs(mp.mpf(float(mine)) - its) / max(1, abs(its))
        assert error <= 2e-15, (at, mine, its)


INF, NAN = np.inf, np.nan

EDGES: dict[str, tuple[Any, dict[float, float]]] = {
    "lgamma": (special.log_gamma, {0: INF, -3: INF, INF: INF, -INF: INF, 1: 0, 2: 0}),
    "digamma": (special.digamma, {0: -INF, -2: NAN, INF: INF}),
    "polygamma 2": (partial(special.polygamma, 2), {0: -INF, -2: -INF}),
    "polygamma 3": (partial(special.polygamma, 3), {0: INF, -2: INF}),
    "erfc": (special.erfc, {INF: 0, -INF: 2, 0: 1}),
    "erfcx": (special.erfcx, {INF: 0, -INF: INF, 0: 1}),
    "erfinv": (special.erfinv, {1: INF, -1: -INF, 1.5: NAN, 0: 0}),
    "ndtri": (special.ndtri, {0: -INF, 1: INF, -0.1: NAN, 1.1: NAN, 0.5: 0}),
    "log_ndtr": (special.log_ndtr, {INF: 0, -INF: -INF}),
    "i0": (partial(special.bessel_i, 0), {0: 1}),
    "k0": (partial(special.bessel_k, 0), {0: INF, -1: NAN, INF: 0}),
    "k1": (partial(special.bessel_k, 1), {0: INF, -1: NAN, INF: 0}),
    "y0": (partial(special.bessel_y, 0), {0: -INF, -1: NAN}),
    "y1": (partial(special.bessel_y, 1), {0: -INF, -1: NAN}),
    "spherical j0": (special.spherical_j0, {INF: 0, 0: 1}),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", EDGES)
def test_poles_and_ends(name: str, kind: Any):
    formula, known = EDGES[name]
    x = np.array([*known, NAN], kind)
    np.testing.assert_array_equal(
        computed(formula, x), np.array([*known.values(), NAN], kind)
    )


def test_zeta():
    s = np.array([2, 3.5, 60, 1.01, 2, 4, 2, 1, 0.5, 2.5, 2, 3, NAN])
    q = np.array([1, 0.1, 7, 30, -1.5, -3.3, -2, 3, 3, -0.5, 1e9, NAN, 1])
    got = computed(special.zeta, s, q)
    with mpmath.workdps(80):
        for at in range(6):
            mine, its = float(got[at]), mp.zeta(mp.mpf(float(s[at])), float(q[at]))
            assert abs(mine - its) <= 1e-13 * abs(its), (s[at], q[at], mine, its)
    np.testing.assert_array_equal(got[6:10], [INF, INF, NAN, NAN])
    np.testing.assert_allclose(got[10], 1e-9, rtol=1e-9)
    assert np.isnan(got[11:]).all()


EXACT: dict[str, Callable[[Any, Any], Any]] = {
    "chebyshev_polynomial_t": mp.chebyt,
    "chebyshev_polynomial_u": mp.chebyu,
    "hermite_polynomial_h": mp.hermite,
    "hermite_polynomial_he": lambda n, x: 2 ** (-n / 2) * mp.hermite(n, x / mp.sqrt(2)),
    "laguerre_polynomial_l": lambda n, x: mp.laguerre(n, 0, x),
    "legendre_polynomial_p": mp.legendre,
}


@pytest.mark.parametrize("name", EXACT)
def test_polynomials_of_several_degrees(name: str):
    x = np.array([-1.5, -1, -0.3, 0, 0.7, 1, 2.5, 0.2])
    n = np.array([3.9, 4, 0, 1, 9, 2, 12, -2])
    formula = partial(special.polynomial, special.FAMILIES[name])
    got = computed(formula, x, n)
    with mpmath.workdps(80):
        wanted = [
            EXACT[name](mp.mpf(int(degree)), mp.mpf(float(each)))
            for each, degree in zip(x[:-1], n[:-1], strict=True)
        ]
    np.testing.assert_allclose(got, [*map(float, wanted), 0], rtol=1e-13, atol=1e-13)
