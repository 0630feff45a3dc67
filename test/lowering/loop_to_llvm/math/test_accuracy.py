"""Every function's error stays below the bound that it states."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bench.document import shown
from static_runtime.lowering.loop_to_llvm.math import FUNCTIONS, Element

from .accuracy import (
    ELEMENTS,
    MACHINES,
    SLACK,
    UNFUSED,
    cell,
    compiled,
    exact,
    expectation,
    in_range,
    largest_error,
    true_ulps,
    ulps,
)

TWO = sorted({"host", UNFUSED.name})
DOCUMENT = Path(__file__).parents[4] / "docs" / "math.md"


def documented(name: str) -> dict[tuple[Element, bool], str]:
    """What the table says of a function, on f32 and f64, with fma and without."""
    (text,) = shown(DOCUMENT.read_text()).values()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()]
    (cells,) = (each[1:5] for each in rows if each[0] == f"`{name}`")
    fma: tuple[bool, ...] = (True, False)
    columns = tuple(product(ELEMENTS, fma))
    return dict(zip(columns, cells, strict=True))


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("machine", TWO)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_error_is_within_its_bound(name: str, element: Element, machine: str):
    if element == "f64" and np.finfo(np.longdouble).nmant < 63:
        pytest.skip("nothing is more exact than f64 here")
    fma = MACHINES[machine].fma
    error = largest_error(name, element, MACHINES[machine])
    assert error.ulp <= FUNCTIONS[name].ulp(element, fma), error
    assert cell(name, element, MACHINES[machine]) == documented(name)[element, fma]


def test_the_document_lists_all_functions():
    (text,) = shown(DOCUMENT.read_text()).values()
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [*FUNCTIONS]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_document_says_the_same_bounds(name: str):
    said = {key: float(each.split()[0]) for key, each in documented(name).items()}
    function = FUNCTIONS[name]
    assert said == {key: function.ulp(*key) for key in said}


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("name", ["exp", "log", "erf", "powf", "tan"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_references_are_as_exact_as_they_are_taken_for(name: str, element: Element):
    if element == "f64" and np.finfo(np.longdouble).nmant < 63:
        pytest.skip("nothing is more exact than f64 here")
    arguments, expected = expectation(name, element)
    near = np.flatnonzero(np.isfinite(expected) & (expected != 0))[::997]
    with np.errstate(over="ignore"):
        results = expected.astype(arguments[0].dtype)
    counted = ulps(results, expected)
    for each in near.tolist():
        given = (float(argument[each]) for argument in arguments)
        true = true_ulps(name, given, float(results[each]), element)
        assert abs(true - float(counted[each])) <= SLACK[element]


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
