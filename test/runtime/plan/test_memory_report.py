"""The report of a module's memory says what a call of some sizes takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from ..texts import AFFINE, DOUBLE, RUNNING, compiled, fresh


def test_tells_the_bytes_of_a_call():
    module = fresh(RUNNING)
    for n in (1000, 7, 0):
        report = module.memory_report(n=n)
        module(np.ones((n, 3), np.float32))
        assert report.activations == module.plan.size
        assert report.lower_bound == module.plan.lower_bound
        assert report.outputs == n * 3 * 4 + n * 8
        assert report.constants == 0
        assert report.reused >= 0
        assert report.optimal


def test_what_shares_memory_is_told():
    text = """
    func.func @chain(%x: tensor<?x4x4xf32, ["n"]>) -> tensor<?x4x4xf32, ["n"]> {
      %0 = graph.matmul %x, %x : tensor<?x4x4xf32, ["n"]>, tensor<?x4x4xf32, ["n"]>
        -> tensor<?x4x4xf32, ["n"]>
      %1 = graph.matmul %0, %0 : tensor<?x4x4xf32, ["n"]>, tensor<?x4x4xf32, ["n"]>
        -> tensor<?x4x4xf32, ["n"]>
      %2 = graph.matmul %1, %1 : tensor<?x4x4xf32, ["n"]>, tensor<?x4x4xf32, ["n"]>
        -> tensor<?x4x4xf32, ["n"]>
      %3 = graph.matmul %2, %2 : tensor<?x4x4xf32, ["n"]>, tensor<?x4x4xf32, ["n"]>
        -> tensor<?x4x4xf32, ["n"]>
      return %3 : tensor<?x4x4xf32, ["n"]>
    }
    """
    report = compiled(text).memory_report(n=100)
    assert report.activations == report.lower_bound == 2 * 6400
    assert report.reused == 6400
    assert report.outputs == 6400


def test_a_model_of_one_size_needs_none():
    report = compiled(DOUBLE).memory_report()
    assert report.outputs == 24
    assert report.optimal


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({}, "expected batch, got none"),
        ({"batch": 1, "n": 2}, "expected batch, got batch, n"),
        ({"n": 2}, "expected batch, got n"),
    ],
)
def test_refuses_other_symbols(sizes: dict[str, int], message: str):
    with pytest.raises(TypeError, match=message):
        compiled(AFFINE).memory_report(**sizes)


def test_refuses_what_is_no_size():
    wrong: Any = 2.5
    fine: Any = np.int64(2)
    with pytest.raises(TypeError, match=r"expected a size batch, got 2\.5"):
        compiled(AFFINE).memory_report(batch=wrong)
    assert compiled(AFFINE).memory_report(batch=fine).outputs == 40


def test_refuses_sizes_that_a_call_cannot_have():
    with pytest.raises(ValueError, match="expected batch of at least 0, got -1"):
        compiled(AFFINE).memory_report(batch=-1)
    ranges = "attributes {graph.symbols = {batch = [2, 4]}}"
    module = compiled(AFFINE.replace("]> {", f"]> {ranges} {{"))
    with pytest.raises(ValueError, match="expected batch from 2 to 4, got 5"):
        module.memory_report(batch=5)
    assert isinstance(module, sr.StaticModule)
