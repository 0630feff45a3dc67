"""Pools under windows of open padding compute what those under known windows do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.ir import SSAValue

from static_runtime.dialects.dims import evaluate, symbol
from static_runtime.dialects.graph.compose.open_window import OpenWindow
from static_runtime.dialects.graph.compose.pooling import Window, mean_pool, rounded_up
from static_runtime.dialects.graph.ops.argmax_pool import ArgmaxPoolOp
from static_runtime.dialects.graph.ops.pool import MaxPoolOp, SumPoolOp

from .run import run

WINDOWS = {
    "in the padding": Window((2,), (2,), (1,), (1,), (1,), (0,)),
    "between": Window((1,), (2,), (1,), (0,), (0,), (0,)),
    "beyond": Window((3,), (2,), (1,), (0,), (1,), (0,)),
    "with holes": Window((2,), (3,), (2,), (0,), (0,), (0,)),
}


@pytest.mark.parametrize("size", range(5, 12))
@pytest.mark.parametrize("name", WINDOWS)
def test_rounded_up(name: str, size: int):
    window = WINDOWS[name]
    known = rounded_up(window, [size])
    assert known is not None
    found = OpenWindow.rounded_up(window, [symbol("n")])
    ends = (found.high[0], found.beyond[0])
    assert (*(evaluate(each, {"n": size}) for each in ends),) == (
        known.high[0],
        known.beyond[0],
    )
    here = OpenWindow.rounded_up(window, [size])
    x = np.random.default_rng(size).integers(-9, 9, (2, 3, size)).astype(np.float64)
    for counts in (False, True):
        got = run(lambda x, c=counts: here.means(x, c, counts_beyond=False), x)
        expected = run(lambda x, c=counts: mean_pool(x, known, c), x)
        np.testing.assert_array_equal(got, expected)
    got = run(here.total, x)
    expected = run(lambda x: SumPoolOp(x, **known.properties()).result, x)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("size", range(5, 12))
@pytest.mark.parametrize("name", WINDOWS)
def test_places(name: str, size: int):
    window = WINDOWS[name]
    known, here = rounded_up(window, [size]), OpenWindow.rounded_up(window, [size])
    assert known is not None
    x = np.random.default_rng(size).permutation(6.0 * size - np.arange(6 * size))
    x = x.reshape(2, 3, size)
    over = here.window.properties()

    def places(x: Any) -> SSAValue:
        numbers = ArgmaxPoolOp(here.around(x, -np.inf), **over).result
        found = here.places_in(numbers, [size])
        assert found is not None
        return found

    expected = run(lambda x: ArgmaxPoolOp(x, **known.properties()).result, x)
    np.testing.assert_array_equal(run(places, x), expected)
    got = run(lambda x: MaxPoolOp(here.around(x, -np.inf), **over).result, x)
    expected = run(lambda x: MaxPoolOp(x, **known.properties()).result, x)
    np.testing.assert_array_equal(got, expected)


def test_places_that_may_have_no_element_beside_them():
    window = Window((2,), (2,), (2,), (1,), (1,), (0,))
    here = OpenWindow.rounded_up(window, [8])

    def places(x: SSAValue) -> SSAValue:
        assert here.places_in(x, [8]) is None
        return x

    run(places, np.zeros(3, np.int64))
