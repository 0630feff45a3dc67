"""Sums and products with numbers leave alone what they do not change."""

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import Block

from static_runtime.dialects.dims import symbol
from static_runtime.dialects.graph.compose.number import (
    affine,
    convert,
    number,
    quantity,
)
from static_runtime.dialects.graph.ops.dim import DimOp

from .run import FLOATS, run, special


@pytest.mark.parametrize("kind", FLOATS)
def test_times_one_and_plus_zero_build_nothing(kind: type[np.floating]):
    x = special(kind)
    got = run(lambda v: affine(v, 1, 0), x)
    assert got.tobytes() == x.tobytes()
    x = np.array([-0.0, 1, -2], kind)
    np.testing.assert_array_equal(run(lambda v: affine(v, 2, -1), x), 2 * x - 1)


def test_numbers_of_every_type():
    for element, value, expected in (
        (f32, 1e300, np.float32(np.inf)),
        (f64, 1e300, np.float64(1e300)),
        (i32, -1, np.int32(-1)),
        (i64, 2**53 + 1, np.int64(2**53 + 1)),
        (i1, True, np.bool_(True)),
    ):
        got = run(lambda element=element, value=value: number(value, element))
        assert got.dtype == expected.dtype
        assert got[()] == expected


def test_numbers_computed_from_sizes():
    block = Block()
    with ImplicitBuilder(block):
        got = quantity(2 * symbol("n") + 1, f32)
    size, cast = block.ops
    assert isinstance(size, DimOp)
    assert size.value.data == "2 * n + 1"
    assert cast.results[0] is got
    assert str(got.type) == "tensor<f32>"


def test_convert():
    x = np.array([-1.5, 0, 2.5], np.float32)
    assert run(lambda v: convert(v, f32), x).tobytes() == x.tobytes()
    got = run(lambda v: convert(v, i64), x)
    np.testing.assert_array_equal(got, np.array([-1, 0, 2]))
