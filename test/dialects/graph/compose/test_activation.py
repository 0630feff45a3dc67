"""Activations are what their definitions say, for numbers of every kind."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import copysign, expm1, inf, isinf, isnan, nan, tanh
from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import activation

from .run import FLOATS, assert_close, run, special

pytestmark = pytest.mark.parametrize("kind", FLOATS)

Float = type[np.floating[Any]]


def of_finite(function: Callable[[float], float], low: float, high: float) -> Any:
    """The function, with its values at minus and plus infinity, and NaN of NaN."""

    def whole(x: float) -> float:
        if isnan(x) or isinf(x):
            return x if isnan(x) else (high if x > 0 else low)
        return function(x)

    return whole


@pytest.mark.parametrize(
    ("alpha", "scale", "inner"),
    [(1.0, 1.0, 1.0), (0.3, 1.0, 1.0), (1.67326319, 1.05070102, 1.0), (2.0, 1.0, 0.5)],
)
def test_exponential_unit(kind: Float, alpha: float, scale: float, inner: float):
    factor, outer = float(kind(scale)), float(kind(alpha * scale))

    def unit(x: float) -> float:
        return factor * x if x > 0 else outer * expm1(inner * x)

    x = special(kind)
    got = run(lambda v: activation.exponential_unit(v, alpha, scale, inner), x)
    expected = [of_finite(unit, -outer, inf)(each) for each in x.tolist()]
    assert_close(got, expected, 8)


def test_exponential_unit_without_a_curve_is_zero_below_zero(kind: Float):
    got = run(lambda v: activation.exponential_unit(v, 0.0), special(kind))
    x = special(kind)
    np.testing.assert_array_equal(got, np.where(np.isnan(x), x, np.maximum(x, 0)))


def sixth(x: float) -> Fraction:
    """A sixth of a number plus three, held between zero and one."""
    return min(max(Fraction(x) + 3, Fraction(0)), Fraction(6)) / 6


def around_the_knees(kind: Float) -> Any:
    """Numbers around -3 and 3, the nearest as well."""
    near = [kind(side) for side in (-3, 3)]
    steps = [np.nextafter(each, kind(end)) for each in near for end in (-9, 9)]
    return np.array([*near, *steps, *np.linspace(-3.01, 3.01, 101)], kind)


def test_sixths(kind: Float):
    for x in (special(kind), around_the_knees(kind)):
        whole = of_finite(lambda each: float(sixth(each)), 0, 1)
        got = run(activation.sixths, x)
        assert_close(got, [whole(each) for each in x.tolist()], 2)
        assert np.all(got[x >= 3] == 1)
        assert np.all(got[x <= -3] == 0)


def test_hard_swish(kind: Float):
    def swish(x: float) -> float:
        return copysign(abs(float(Fraction(x) * sixth(x))), x)

    for x in (special(kind), around_the_knees(kind)):
        expected = [of_finite(swish, nan, inf)(each) for each in x.tolist()]
        got = run(activation.hard_swish, x)
        assert_close(got, expected, 3)
        assert np.array_equal(got[x >= 3], x[x >= 3])


def test_hard_sigmoid(kind: Float):
    x = special(kind)
    got = run(lambda v: activation.hard_sigmoid(v, 0.25, 0.5), x)
    line = of_finite(lambda each: min(max(0.25 * each + 0.5, 0), 1), 0, 1)
    assert_close(got, [line(each) for each in x.tolist()], 1)


def logarithm(x: float) -> float:
    """`log(1 + exp(x))` in fifty digits, rounded once."""
    if abs(x) > 10_000:
        return max(x, 0.0)
    with localcontext() as context:
        context.prec = 400
        return float((1 + Decimal(x).exp()).ln())


def test_softplus(kind: Float):
    x = special(kind)
    truth = of_finite(logarithm, 0, inf)
    got = run(activation.softplus, x)
    normal = np.finfo(kind).smallest_normal
    expected = np.array([truth(each) for each in x.tolist()])
    # What has fewer digits than others is held to a part of the least of those.
    small = expected < normal
    assert_close(got[~small], expected[~small].tolist(), 6)
    assert np.all(np.abs(got[small] - expected[small]) <= normal * 1e-6)


@pytest.mark.parametrize(
    ("beta", "threshold"), [(1.0, 20.0), (2.0, 1.0), (0.5, 1e4), (-1.0, 3.0)]
)
def test_scaled_softplus(kind: Float, beta: float, threshold: float):
    x = special(kind)
    x = x[np.abs(x) > 1e-6]  # of others the value is that of zero
    with np.errstate(over="ignore"):
        x = x[~(x * beta < -80)]  # and of these it is all but nothing

    def curve(each: float) -> float:
        if each * beta > threshold:
            return each
        return logarithm(each * beta) / beta

    expected = [each if isnan(each) else curve(each) for each in x.tolist()]
    got = run(lambda v: activation.scaled_softplus(v, beta, threshold), x)
    assert_close(got, expected, 8)


def test_softsign(kind: Float):
    x = special(kind)
    sign = of_finite(lambda each: each / (1 + abs(each)), nan, nan)
    assert_close(run(activation.softsign, x), [sign(each) for each in x.tolist()], 2)


def test_mish(kind: Float):
    x = special(kind)
    x = x[~(x < -80)]

    def value(each: float) -> float:
        return each * tanh(logarithm(each))

    got = run(activation.mish, x)
    assert_close(got, [of_finite(value, nan, inf)(each) for each in x.tolist()], 10)


def test_scaled_tanh(kind: Float):
    x = special(kind)
    got = run(lambda v: activation.scaled_tanh(v, 2.0, 0.5), x)
    assert_close(got, [2 * tanh(0.5 * each) for each in x.tolist()], 6)


def test_thresholded(kind: Float):
    x = special(kind)
    got = run(lambda v: activation.thresholded(v, 1.0), x)
    np.testing.assert_array_equal(got, np.where(x > 1, x, kind(0)))
