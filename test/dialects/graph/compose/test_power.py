"""Powers by few ops are those of `numpy.power`, also where they are hardly a number."""

from fractions import Fraction
from math import copysign, inf, isinf, isnan, sqrt
from typing import Any

import numpy as np
import pytest
from xdsl.ir import SSAValue

from static_runtime.dialects.graph.compose import power

from .run import FLOATS, assert_close, run, special

Float = type[np.floating[Any]]


def near(exponent: float) -> Any:
    """What builds a power that few ops make."""

    def build(x: SSAValue) -> SSAValue:
        result = power.near_power(x, exponent)
        assert result is not None
        return result

    return build


def exact(x: float, exponent: float) -> float:
    """A power, rounded once; of a root twice."""
    if isnan(x):
        return x
    if isinf(x) or x == 0:
        return float(np.power(np.float64(x), exponent))
    if exponent == 0.5:
        return sqrt(x)
    if exponent == -0.5:
        return 1 / sqrt(x)
    try:
        return float(Fraction(x) ** int(exponent))
    except OverflowError:
        return copysign(inf, x) if exponent % 2 else inf


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("exponent", sorted(power.POWERS))
def test_near_power(kind: Float, exponent: float):
    x = special(kind)
    if not float(exponent).is_integer():
        x = x[~(x < 0) & ~((x == 0) & np.signbit(x))]  # there a root has its own rule
    with np.errstate(all="ignore"):
        expected = np.array([exact(each, exponent) for each in x.tolist()]).astype(kind)
    got = run(near(exponent), x)
    if exponent == -2:
        # A reciprocal that has few digits leaves few.
        held = np.isfinite(got) & (np.abs(got) < np.finfo(kind).smallest_normal * 1e10)
        np.testing.assert_allclose(got[held], expected[held], rtol=1, atol=1e-37)
        got, expected = got[~held], expected[~held]
    assert_close(got, expected.tolist(), 3)


@pytest.mark.parametrize(("kind", "x"), [(np.float32, 1e20), (np.float64, 1e160)])
def test_the_second_power_of_a_reciprocal_is_there_where_that_of_x_is_infinite(
    kind: Float, x: float
):
    got = run(near(-2), np.array([x, -x], kind))
    np.testing.assert_allclose(got, kind(1 / x) * kind(1 / x), rtol=1e-3)
    assert np.all(got > 0)


def test_powers_of_integers_are_products():
    x = np.array([-3, 0, 2, 2**40])
    for exponent in (1, 2, 3, 4):
        np.testing.assert_array_equal(run(near(exponent), x), x**exponent)

    def refuses(v: SSAValue) -> SSAValue:
        assert all(power.near_power(v, each) is None for each in (-2, -1, 0.5, 0, 5))
        return v

    run(refuses, x)
