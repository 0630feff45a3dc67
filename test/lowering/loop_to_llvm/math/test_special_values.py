"""Zeros, infinities, NaN and numbers outside a function's domain, as numpy has them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from static_runtime.lowering.loop_to_llvm.math import FUNCTIONS, Element

from .accuracy import DTYPES, ELEMENTS, MACHINES, Array, compiled, exact, in_range, ulps

# Odd and even integers, and what stands at the border between them and fractions.
INTEGERS = [
    1.0,
    2.0,
    3.0,
    33.0,
    2.0**23 + 1,
    2.0**24,
    2.0**52 + 1,
    2.0**53 - 1,
    2.0**53,
]
FRACTIONS = [0.5, 1.5, 2.0**-60, 1 - 2.0**-20, 1 + 2.0**-20, 0.1]


def special_values(element: Element) -> Array:
    """Numbers at which functions have their limits, with both signs."""
    dtype = DTYPES[element]
    limits = np.finfo(dtype)
    numbers = [0.0, np.inf, np.nan, *INTEGERS, *FRACTIONS]
    numbers += [limits.max, limits.tiny, limits.smallest_subnormal, limits.tiny / 3]
    # Where exponentials overflow, underflow and become subnormal.
    numbers += [
        88.72,
        88.73,
        89.41,
        89.42,
        103.97,
        103.98,
        127.99,
        128,
        149,
        149.5,
        151,
    ]
    numbers += [709.78, 709.79, 710.47, 710.48, 745.1, 745.2, 1023.99, 1024, 1074, 1076]
    numbers += [1 - limits.epsneg, 1 + limits.eps, 1e30]
    values = np.array(numbers).astype(dtype)
    return np.concatenate([values, -values])


@pytest.mark.sampled
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values_are_those_of_numpy(name: str, element: Element, machine: str):
    values = in_range(name, special_values(element))
    arguments = [values]
    if FUNCTIONS[name].arity == 2:
        pairs = np.array(list(product(values, values)), values.dtype)
        arguments = [np.ascontiguousarray(each) for each in pairs.T]
    actual = compiled(element, 4, MACHINES[machine])(name, *arguments)
    wide = exact(name, *arguments)
    with np.errstate(over="ignore", under="ignore"):
        expected = wide.astype(values.dtype)

    settled = ~np.isfinite(expected) | (expected == 0)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    np.testing.assert_array_equal(actual[settled], expected[settled])
    signed = settled & ~np.isnan(expected)
    np.testing.assert_array_equal(
        np.signbit(actual[signed]), np.signbit(expected[signed])
    )
    bound = FUNCTIONS[name].ulp(element, MACHINES[machine].fma)
    assert ulps(actual, wide).max() <= bound


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_large_arguments_give_sines(name: str, element: Element):
    dtype: Any = DTYPES[element]
    x: Array = np.geomspace(2e9, 1e38, 5000).astype(dtype)
    for machine in MACHINES.values():
        y = compiled(element, 4, machine)(name, np.concatenate([x, -x]))
        assert np.abs(y).max() <= 1


EXACT = {
    "exp": {0.0: 1.0},
    "exp2": {10.0: 1024.0, -3.0: 0.125, -126.0: 2.0**-126, -149.0: 2.0**-149},
    "log": {1.0: 0.0},
    "log2": {8.0: 3.0, 2.0**-140: -140.0, 2.0**100: 100.0},
    "log10": {1000.0: 3.0, 1e10: 10.0, 1.0: 0.0},
    "cos": {0.0: 1.0},
    "cosh": {0.0: 1.0},
    "tanh": {20.0: 1.0, -30.0: -1.0},
    "erf": {6.0: 1.0, -7.0: -1.0},
    "acos": {1.0: 0.0},
    "acosh": {1.0: 0.0},
}


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", EXACT)
def test_results_that_are_numbers_of_the_format_are_exact(name: str, element: Element):
    dtype = DTYPES[element]
    x, y = (np.array(each, dtype) for each in zip(*EXACT[name].items(), strict=True))
    for machine in MACHINES.values():
        np.testing.assert_array_equal(compiled(element, 4, machine)(name, x), y)


@pytest.mark.parametrize("element", ELEMENTS)
def test_powers_that_are_numbers_of_the_format_are_exact(element: Element):
    dtype: Any = DTYPES[element]
    bases = np.arange(-160, 161, dtype=dtype)
    for exponent in (0, 1, 2, 3):
        exponents = np.full_like(bases, exponent)
        for machine in MACHINES.values():
            actual = compiled(element, 4, machine)("powf", bases, exponents)
            np.testing.assert_array_equal(actual, bases**exponent)
    roots = compiled(element, 4, MACHINES["host"])(
        "powf", np.square(bases), np.full_like(bases, 0.5)
    )
    np.testing.assert_array_equal(roots, np.abs(bases))
