"""What is known of constants: their numbers, and rows of those that are permuted."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f16, f32, f64

from static_runtime.compiler.ir import WeightStore
from static_runtime.compiler.passes.known_values import (
    BLOCK,
    constant_value,
    in_rows,
    is_finite,
)
from static_runtime.dialects.element_type import ELEMENT_TYPES
from static_runtime.dialects.graph import CastOp, WeightOp
from static_runtime.dialects.graph.element_array import to_elements
from static_runtime.dialects.shape import tensor

SHAPES = [(BLOCK + 1, 3 * BLOCK), (5, BLOCK, BLOCK + 7), (3, 3, 2 * BLOCK, BLOCK)]


@pytest.mark.sampled
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_a_permuted_array_is_in_rows(shape: tuple[int, ...], dtype: str):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for order in permutations(range(len(shape))):
        for each in (array, array[::-1], np.broadcast_to(array[:1], shape)):
            copied = in_rows(each.transpose(order))
            assert copied.flags.c_contiguous
            np.testing.assert_array_equal(copied, each.transpose(order))


def test_an_array_in_rows_is_itself():
    array = np.zeros((BLOCK, 2 * BLOCK))
    assert in_rows(array) is array
    assert in_rows(array[:, :2]).shape == (BLOCK, 2)


WIDENED = [each for each, row in ELEMENT_TYPES.items() if row.is_widened]


@pytest.mark.parametrize("element", WIDENED, ids=str)
def test_a_weight_that_is_widened_has_its_numbers(element: Any):
    weights, row = WeightStore(), ELEMENT_TYPES[element]
    array = to_elements(np.ones(3), element)
    weight = WeightOp(weights.put("w", array), tensor(element, 3))
    cast = CastOp(weight, to=row.compute)
    wide = constant_value(cast.result, weights)
    assert wide is not None
    assert wide.tolist() == [1, 1, 1]


@pytest.mark.parametrize("element", [bf16, f16, f32, f64], ids=str)
@pytest.mark.parametrize("number", [0.5, np.inf, np.nan])
def test_whether_numbers_of_each_type_are_finite(element: Any, number: float):
    weights = WeightStore()
    array = to_elements(np.array([1, number]), element)
    weight = WeightOp(weights.put("w", array), tensor(element, 2))
    assert is_finite(weight.result, weights) == np.isfinite(number)


def test_numbers_that_nobody_knows_may_be_infinite():
    assert not is_finite(WeightOp("w", tensor(f32, 2)).result, WeightStore())
