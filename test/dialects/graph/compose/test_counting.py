"""Numbers in a row, and the places that are true, are those of numpy."""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i64

from static_runtime.dialects.dims import symbol
from static_runtime.dialects.graph.compose import counting
from static_runtime.dialects.graph.ops.define_symbol import DefineSymbolOp

from .run import Array, run, special


def test_counted():
    for axis in range(3):
        for element in (i64, f32):
            got = run(lambda a=axis, e=element: counting.counted(4, a, 3, e))
            assert got.shape == tuple(4 if each == axis else 1 for each in range(3))
            np.testing.assert_array_equal(got.ravel(), np.arange(4))


@pytest.mark.parametrize(("first", "step"), [(0, 1), (-3, 2), (5, -1), (0.5, 0.25)])
def test_progression(first: float, step: float):
    kind = np.int64 if isinstance(first, int) else np.float32
    x = np.array(first, kind)
    for count in (0, 1, 5):
        got = run(lambda v, n=count: counting.progression(v, step, n), x)
        assert got.dtype == kind
        np.testing.assert_array_equal(got, first + step * np.arange(count))


@pytest.mark.parametrize(
    "x", [special(np.float32), special(np.float64), np.array([0, -1, 2])]
)
def test_truths(x: Array):
    np.testing.assert_array_equal(run(counting.truths, x), x.astype(bool))


@pytest.mark.parametrize("shape", [(6,), (2, 3), (2, 1, 3), (0, 2)])
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_true_indices(shape: tuple[int, ...], share: float):
    mask = np.random.default_rng(0).random(shape) < share
    most: list[Any] = []

    def define(count: Any, high: Any) -> Any:
        most.append(high)
        DefineSymbolOp(count, symbol="n", low="0", high=str(high))
        return symbol("n")

    got = run(lambda v: counting.true_indices(v, define), mask)
    np.testing.assert_array_equal(got, np.argwhere(mask))
    assert most == [mask.size]
