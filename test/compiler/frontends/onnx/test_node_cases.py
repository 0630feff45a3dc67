"""
ONNX's own tests of single ops, as far as their ops are supported.

Where an op takes a shape, or axes, as an input, the test makes it a run-time input; the
model is read for its value then.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError
from static_runtime.compiler.session.given import Given

from .interpreter import Array, Graph, read

LEAST = 0.958
"""
How many of the cases compute what they should: with onnx 1.23 1,808 of 1,884, and of
each part of them nearly as many.
"""

PARTS = 4
"""Neighbours are tests of one op, so that each part has one of nearly each op."""

EVERY = 6
"""One of how many cases `make test` has, of those that are not slow."""

SLOW = ("attention", "averagepool", "lppool", "maxpool")
"""Files of cases for which onnx computes for seconds what they should compute."""

PRECISIONS = {"float16": 2e-3, "bfloat16": 1.6e-2}
"""
Two bits of what has few, as cases may round where an op of ours does not, or the other
way round.
"""

FAILURES = {
    # Zeros, for which the cases have what numpy rounds to.
    "test_dft_inverse": "rounding of numpy",
    "test_dft_inverse_opset19": "rounding of numpy",
    # ONNX's text, ONNX Runtime and torch: 3 / 1 elements apart; the case: 3 / 1.4.
    "test_resize_downsample_scales_linear_align_corners": "a fractional size",
    "test_resize_downsample_scales_cubic_align_corners": "a fractional size",
    # These expect the numbers of numpy's generator; ONNX defines no generator.
    **dict.fromkeys(
        [
            "test_bernoulli_seed",
            "test_bernoulli_seed_expanded",
            "test_training_dropout",
            "test_training_dropout_default",
            "test_training_dropout_default_mask",
            "test_training_dropout_mask",
        ],
        "numbers at random",
    ),
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


def graph_of(source: ModelProto, inputs: Sequence[Array]) -> tuple[Graph, list[Array]]:
    """
    What is read of a model, and the inputs that are left to it: those that ops need the
    values of are constants, as in `Options(bind="first-call")`.
    """
    named = dict(zip((each.name for each in source.graph.input), inputs, strict=True))
    constants: dict[str, Array] = {}
    while True:
        try:
            graph = read(source, Given(constants=constants))
        except UnsupportedModelError as error:
            more = error.needed - constants.keys()
            if not more:
                raise
            constants |= {name: named[name] for name in more}
        else:
            rest = [each for name, each in named.items() if name not in constants]
            return graph, rest


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
            rtol = max(case.rtol, PRECISIONS.get(wanted.dtype.name, 0))
            if not same_type or not np.allclose(
                got, wanted, rtol, case.atol, equal_nan=True
            ):
                return False
    return True


@cache
def cases(has_slow: bool) -> list[TestCase]:
    """The cases of every file, or of those that are not slow."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        # They are made with numbers that overflow.
        warnings.simplefilter("ignore", RuntimeWarning)
        if not has_slow:
            for name in SLOW:
                place = f"onnx.backend.test.case.node.{name}"
                patch.setitem(sys.modules, place, ModuleType(name))
        return [each for each in load_model_tests(kind="node") if each.model]


@pytest.mark.parametrize(
    "part", [None, *(pytest.param(n, marks=pytest.mark.full) for n in range(PARTS))]
)
def test_every_supported_case_computes_what_it_should(part: int | None):
    some = cases(has_slow=False)[::EVERY] if part is None else cases(True)[part::PARTS]
    found = {case.name: computes(case) for case in some}
    failures = {name for name, passes in found.items() if passes is False}
    assert failures == found.keys() & FAILURES.keys()
    assert sum(passes is True for passes in found.values()) >= LEAST * len(found) - 5
