"""ONNX's Backend API runs models and nodes by what is compiled."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, checker, helper
from onnx.backend.test import BackendTest
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

import static_runtime as sr

from .interpreter import model

TWO = """g (float[n] x, float[n] y) => (float sum, float less)
{sum = Add(x, y) less = Sub(x, y)}"""
X, Y = np.array([5, 7], np.float32), np.array([1, 2], np.float32)


def checked(text: str) -> ModelProto:
    """A model that ONNX's checker takes."""
    made = model(text)
    made.ir_version = 10
    return made


def test_a_prepared_model_runs_by_position_and_by_name():
    prepared = sr.onnx_backend.prepare(checked(TWO))
    for inputs in ([X, Y], {"y": Y, "x": X}):
        results: Any = prepared.run(inputs)
        np.testing.assert_array_equal(results[0], X + Y)
        np.testing.assert_array_equal(results.less, X - Y)


def test_one_array_is_the_only_input():
    made = checked("g (float[n] x) => (float y) {y = Neg(x)}")
    (result,) = sr.onnx_backend.run_model(made, X)
    np.testing.assert_array_equal(result, -X)


def test_a_value_that_an_op_needs_is_taken_from_the_call():
    made = checked("g (float[n] x, int64[1] s) => (float[a,b] y) {y = Reshape(x, s)}")
    prepared = sr.onnx_backend.prepare(made)
    assert prepared.run([X, np.array([-1])])[0].shape == (2,)


def test_a_node_runs_with_the_inputs_that_it_names():
    node = helper.make_node("Clip", ["x", "", "most"], ["y"])
    inputs = [X, np.array(6, np.float32)]
    (result,) = sr.onnx_backend.run_node(node, inputs)
    np.testing.assert_array_equal(result, [5, 6])
    with pytest.raises(sr.CompileError, match="expected 2 inputs, got 1"):
        sr.onnx_backend.run_node(node, [X])


def test_a_node_is_one_of_its_opset():
    node = helper.make_node("Softmax", ["x"], ["y"])
    x = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    old, new = (
        sr.onnx_backend.run_node(node, [x], opset_version=version)[0]
        for version in (11, 13)
    )
    np.testing.assert_allclose(old.sum((1, 2)), 1, rtol=1e-6)
    np.testing.assert_allclose(new.sum(-1), 1, rtol=1e-6)


def test_a_node_that_onnx_refuses_is_refused():
    with pytest.raises(checker.ValidationError):
        sr.onnx_backend.run_node(helper.make_node("Clip", [], ["y"]), [])


@pytest.mark.parametrize(
    ("device", "is_ours"),
    [("CPU", True), ("CPU:0", True), ("CUDA", False), ("x", False)],
)
def test_only_the_cpu_is_a_device(device: str, is_ours: bool):
    assert sr.onnx_backend.supports_device(device) is is_ours
    assert sr.onnx_backend.is_compatible(checked(TWO), device) is is_ours
    if not is_ours:
        with pytest.raises(
            sr.CompileError, match=f"expected the device CPU, got '{device}'"
        ):
            sr.onnx_backend.prepare(checked(TWO), device)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("g (float[n] x, int64[1] s) => (float[a,b] y) {y = Reshape(x, s)}", True),
        ("g (string[n] x) => (string[n] y) {y = StringConcat(x, x)}", False),
        ("g (float[n] x) => (float[n] y) {y = Add(x, missing)}", False),
    ],
)
def test_a_model_is_compatible_that_is_read(text: str, is_read: bool):
    assert sr.onnx_backend.is_compatible(checked(text)) is is_read


def test_onnx_tests_a_backend_by_it(monkeypatch: pytest.MonkeyPatch):
    def few(kind: str) -> list[TestCase]:
        return load_model_tests(kind=kind) if kind == "simple" else []

    # The tests of single nodes take seconds to make.
    monkeypatch.setattr("onnx.backend.test.runner.load_model_tests", few)
    backend: Any = sr.onnx_backend
    tests = BackendTest(backend, __name__).include("^test_s.*_model_cpu")
    result = unittest.TestResult()
    tests.test_suite.run(result)
    ran = result.testsRun - len(result.skipped)
    assert (ran, result.failures, result.errors) == (2, [], [])
