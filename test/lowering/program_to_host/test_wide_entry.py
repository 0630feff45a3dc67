"""A model of many inputs and outputs is called as one of few is."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from bench.onnx_graph import Graph
from static_runtime.lowering.program_to_host.wide_entry import (
    ARRAYS_PER_FUNCTION,
    MIN_WIDE_ARRAYS,
)

Array = npt.NDArray[np.float32]

COUNT = max(MIN_WIDE_ARRAYS, ARRAYS_PER_FUNCTION) + 3


@pytest.fixture(scope="module")
def rows() -> sr.StaticModule:
    """Inputs of as many rows each as they like, each with the same of its columns."""
    g = Graph()
    found = [g.input(f"x{at}", (f"n{at % 5}", "m")) for at in range(COUNT)]
    results = [g.add("Neg", each) for each in found]
    return sr.compile(g.model(*results), options=sr.Options(cache=False))


def arrays(columns: int, *rows: int) -> list[Array]:
    """Inputs of these sizes, which differ."""
    return [np.full((rows[at % 5], columns), at + 1, np.float32) for at in range(COUNT)]


def check(module: sr.StaticModule, given: list[Array]) -> None:
    """Checks what a module makes of arrays."""
    results: tuple[Array, ...] = module(*given)
    assert type(results) is tuple
    assert len(results) == COUNT
    for each, result in zip(given, results, strict=True):
        np.testing.assert_array_equal(result, -each)
    assert not any(np.shares_memory(a, b) for a, b in pairwise(results))


def test_sizes_may_change_from_call_to_call(rows: sr.StaticModule):
    for columns in (4, 1, 4, 0, 7):
        for _ in range(2):
            check(rows, arrays(columns, 1, 2, 3, 4, 5))
    check(rows, arrays(7, 5, 4, 3, 2, 1))


@pytest.mark.parametrize(
    "at", [0, ARRAYS_PER_FUNCTION - 1, ARRAYS_PER_FUNCTION, COUNT - 1]
)
def test_an_input_that_is_not_as_the_others_is_named(rows: sr.StaticModule, at: int):
    given = arrays(4, 1, 2, 3, 4, 5)
    check(rows, given)
    wrong: list[npt.NDArray[Any]] = [*given]
    wrong[at] = np.zeros((given[at].shape[0] + 1, 4), np.float32)
    if at == COUNT - 1:
        wrong[at] = np.zeros((given[at].shape[0], 5), np.float32)
    with pytest.raises(ValueError, match="expected shape"):
        rows(*wrong)
    wrong[at] = given[at].astype(np.float64)[:, :3]
    with pytest.raises((TypeError, ValueError), match=f"input x{at}"):
        rows(*wrong)
    check(rows, given)


def test_inputs_have_names(rows: sr.StaticModule):
    given = arrays(4, 1, 2, 3, 4, 5)
    check(rows, given)
    before = rows.statistics().slow_calls
    named = {f"x{at}": each for at, each in enumerate(given)}
    for first in (0, 7):
        some = dict(reversed([*named.items()][first:]))
        results: tuple[Array, ...] = rows(*given[:first], **some)
        for each, result in zip(given, results, strict=True):
            np.testing.assert_array_equal(result, -each)
    assert rows.statistics().slow_calls == before


def test_too_few_inputs_are_told(rows: sr.StaticModule):
    with pytest.raises(TypeError, match="expected"):
        rows(*arrays(4, 1, 2, 3, 4, 5)[1:])


def test_results_may_be_given(rows: sr.StaticModule):
    given = arrays(4, 1, 2, 3, 4, 5)
    out = tuple(np.zeros_like(each) for each in given)
    assert rows(*given, out=out) is out
    np.testing.assert_array_equal(out[-1], -given[-1])
    shared = (*out[:-1], out[-6])
    with pytest.raises(ValueError, match="expected memory of its own"):
        rows(*given, out=shared)
    # An input that is an output too is read as it was.
    before = [each.copy() for each in given]
    rows(*given, out=tuple(given))
    for each, old in zip(given, before, strict=True):
        np.testing.assert_array_equal(each, -old)


def test_a_run_that_fails_lets_go_of_what_was_made():
    g = Graph()
    x, at = g.input("x", (4,)), g.input("at", ())
    index = g.add("Cast", at, to=7)
    found = [
        g.add("Add", g.add("Gather", g.scale(each, 9), index), x)
        for each in range(COUNT)
    ]
    module = sr.compile(g.model(*found), options=sr.Options(cache=False))
    x = np.zeros(4, np.float32)
    good, bad = np.float32(8), np.full((), 9, np.float32)
    for _ in range(2):
        np.testing.assert_allclose(module(x, np.array(good))[-1], 1 / (COUNT + 1))
    kind = np.dtype(np.float32)
    before = sys.getrefcount(kind)
    for _ in range(50):
        with pytest.raises(IndexError):
            module(x, bad)
    # Each array holds on to its dtype; what the errors leave is no array for each.
    assert sys.getrefcount(kind) < before + COUNT
    np.testing.assert_allclose(module(x, np.array(good))[0], 1 / 2)
