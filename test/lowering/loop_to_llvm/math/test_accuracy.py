"""Every function's error stays below the bound that it states."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from static_runtime.lowering.loop_to_llvm.math import FUNCTIONS, Element

from .accuracy import (
    ELEMENTS,
    MACHINES,
    UNFUSED,
    compiled,
    exact,
    in_range,
    largest_error,
    ulps,
)

TWO = sorted({"host", UNFUSED.name})
DOCUMENT = Path(__file__).parents[4] / "docs" / "math.md"


@pytest.mark.parametrize("machine", TWO)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_error_is_within_its_bound(name: str, element: Element, machine: str):
    if element == "f64" and np.finfo(np.longdouble).nmant < 63:
        pytest.skip("nothing is more exact than f64 here")
    if element == "f64" and name == "erf":
        pytest.importorskip("mpmath")
    error = largest_error(name, element, MACHINES[machine])
    assert error.ulp <= FUNCTIONS[name].ulp(element, MACHINES[machine].fma), error


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_document_says_the_same_bounds(name: str):
    line = next(
        each
        for each in DOCUMENT.read_text().splitlines()
        if each.startswith(f"| `{name}` |")
    )
    said = [float(each) for each in re.findall(r"\| ([\d.]+) \(", line)]
    function = FUNCTIONS[name]
    assert said == [
        function.ulp(element, fma) for element in ELEMENTS for fma in (True, False)
    ]


def test_an_error_is_counted_in_the_last_place():
    actual = np.array([1, 1, 2**-149, np.inf, np.nan, 1], np.float32)
    expected = np.array(
        [1 + 2**-24, 1 - 2**-25, 2**-148, 2.0**127 * (2 - 2**-23), 1, np.nan]
    )
    counted = ulps(actual, expected)
    assert counted.tolist() == [0.5, 0.5, 1.0, 1.0, np.inf, np.inf]


@pytest.mark.soak
@pytest.mark.parametrize("machine", TWO)
@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if f.arity == 1])
def test_many_f32_are_within_the_bound(name: str, machine: str):
    function = compiled("f32", 16, MACHINES[machine])
    bound = FUNCTIONS[name].ulp("f32", MACHINES[machine].fma)
    # A prime: every fraction ends differently.
    step = 31
    for start in range(0, 2**32, step * 2**20):
        end = min(start + step * 2**20, 2**32)
        patterns = np.arange(start, end, step, dtype=np.uint64).astype(np.uint32)
        x = in_range(name, patterns.view(np.float32))
        errors = ulps(function(name, x), exact(name, x))
        assert errors.max(initial=0) <= bound, x[errors.argmax()]
