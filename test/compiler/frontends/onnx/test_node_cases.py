"""
ONNX's own tests of single ops, as far as their ops are supported.

Where an op takes a shape, or axes, as an input, the test makes it a run-time input; it
is made a constant of the model then, as in the models that people have.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

from static_runtime.compiler.errors import CompileError, UnsupportedModelError

from .interpreter import Array, Graph, read

LEAST = 1330
"""Cases that compute what they should; with onnx 1.23 they are 1,332 of 1,884."""

FAILURES = {
    "test_not_2d": "opset 1",
    "test_not_3d": "opset 1",
    "test_not_4d": "opset 1",
    # ONNX's text, ONNX Runtime and torch: 3 / 1 elements apart; the case: 3 / 1.4.
    "test_resize_downsample_scales_linear_align_corners": "a fractional size",
    "test_resize_downsample_scales_cubic_align_corners": "a fractional size",
}
"""Cases that are refused, or compute something else, on purpose, and why."""


def arrays(values: Sequence[Any]) -> list[Array] | None:
    """The values as arrays, None when one of them is a list or nothing."""
    found: list[Array] = []
    for each in values:
        if isinstance(each, TensorProto):
            each = numpy_helper.to_array(each)
        if not hasattr(each, "dtype"):
            return None
        found.append(np.asarray(each))
    return found


def steers(array: Array, kinds: str) -> bool:
    """Whether an input may say how an op works: numbers in a row, or one of them."""
    return array.size <= 1 or (array.ndim <= 1 and array.dtype.kind in kinds)


def with_constants(
    source: ModelProto, inputs: Sequence[Array], kinds: str
) -> ModelProto:
    """The model with those inputs as constants that may say how an op works."""
    result = ModelProto()
    result.CopyFrom(source)
    for value, array in zip(source.graph.input, inputs, strict=True):
        if steers(array, kinds):
            result.graph.initializer.append(numpy_helper.from_array(array, value.name))
    return result


def graph_of(source: ModelProto, inputs: Sequence[Array]) -> tuple[Graph, list[Array]]:
    """What is read of a model, and the inputs that are left to it."""
    model, rest = source, list(inputs)
    # Rows of floats, such as scales, only where whole numbers are not enough.
    for kinds in ("ib", "ibf"):
        try:
            return read(model), rest
        except UnsupportedModelError as error:
            if not any("when the model runs" in each.reason for each in error.ops):
                raise
        model = with_constants(source, inputs, kinds)
        rest = [each for each in inputs if not steers(each, kinds)]
    return read(model), rest


def computes(case: TestCase) -> bool | None:
    """Whether a case computes what it should; None when it is not supported."""
    assert case.model is not None
    for inputs, outputs in case.data_sets or ():
        given, expected = arrays(inputs), arrays(outputs)
        if given is None or expected is None:
            return None
        try:
            graph, rest = graph_of(case.model, given)
        except UnsupportedModelError:
            return None
        except CompileError:
            return False
        for got, wanted in zip(graph.run(*rest), expected, strict=True):
            same_type = (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            if not same_type or not np.allclose(
                got, wanted, case.rtol, case.atol, equal_nan=True
            ):
                return False
    return True


@pytest.fixture(scope="module")
def cases() -> list[TestCase]:
    """Every case."""
    with warnings.catch_warnings():
        # They are made with numbers that overflow.
        warnings.simplefilter("ignore", RuntimeWarning)
        return [each for each in load_model_tests(kind="node") if each.model]


def test_every_supported_case_computes_what_it_should(cases: list[TestCase]):
    found = {case.name: computes(case) for case in cases}
    assert {name for name, passes in found.items() if passes is False} == set(FAILURES)
    assert sum(passes is True for passes in found.values()) >= LEAST
