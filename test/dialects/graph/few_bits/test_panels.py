"""Weights in panels are those that `graph.multiply_steps` reads."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.dialects.graph.few_bits import block_of, in_panels
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.multiply_steps import MultiplyStepsOp
from static_runtime.dialects.shape import Array


@pytest.mark.parametrize(
    ("group", "block"), [(256, 32), (32, 32), (48, 16), (16, 16), (24, 0), (1, 0)]
)
def test_a_block_is_a_part_of_a_group(group: int, block: int):
    assert block_of(group) == block


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize(("bits", "block"), [(2, 32), (4, 32), (4, 16), (8, 32)])
def test_a_product_with_rows_of_one_is_the_weight(bits: int, block: int, zero: bool):
    """Twenty columns, which are no whole panels; two groups of two blocks each."""
    random, half, depth = np.random.default_rng(bits), 1 << (bits - 1), 4 * block
    steps = random.integers(-half, half, (depth, 20)).astype(np.int8)
    scale = (random.random((2, 20)) + 0.5).astype(np.float32)
    zeros = random.integers(-half, half, (2, 20)) * zero
    found = in_panels(steps, scale, zeros, bits, block)
    assert found is not None
    rows = np.eye(depth, dtype=np.int8).view(np.int32)
    sums = np.eye(depth, dtype=np.int32).reshape(depth, 4, block).sum(-1)
    offset = (sums * -(1 if zero else half)).astype(np.int32)
    given: list[Array] = [
        rows,
        np.ones((depth, 4), np.float32),
        offset,
        *found.values(),
    ]
    op = MultiplyStepsOp(*(ConstantOp(value=each) for each in given), bits=bits)
    (got,) = op.run_reference(given, {})
    assert got.shape == (depth, 2, 16)
    each = depth // 2
    exact = (steps - np.repeat(zeros, each, 0)).astype(np.float32)
    want = exact * np.repeat(scale, each, 0)
    np.testing.assert_array_equal(got.reshape(depth, 32)[:, :20], want)
    assert not got.reshape(depth, 32)[:, 20:].any()


def test_zero_points_that_are_no_bytes_are_refused():
    steps, scale = np.zeros((32, 16), np.int8), np.ones((1, 16), np.float32)
    assert in_panels(steps, scale, np.full((1, 16), -9), 4, 32) is None
    assert in_panels(steps, scale, np.full((1, 16), 127), 8, 32) is not None
