"""A calibration counts what products read, in all calls, and refuses what it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.calibrating import Calibration
from static_runtime.compiler.quantizing import Histogram, Settings

from ...runtime.texts import AFFINE, DOUBLE

RANDOM = np.random.default_rng(0)

X = RANDOM.standard_normal((6, 3)).astype(np.float32)
W = RANDOM.standard_normal((3, 5)).astype(np.float32)

NETWORK = """func.func @main(%x : tensor<?x3xf32, ["n"]>) -> tensor<?x4xf32, ["n"]>
    attributes {graph.input_names = ["x"]} {
  %v = graph.constant dense<[[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]]> : tensor<2x3xf32>
  %w = graph.constant dense<[[1.0, -2.0, 0.5, 3.0], [0.25, 1.5, -1.0, 0.1]]>
    : tensor<2x4xf32>
  %0 = graph.linear %x, %v : tensor<?x3xf32, ["n"]>, tensor<2x3xf32>
    -> tensor<?x2xf32, ["n"]> loc("first")
  %1 = graph.relu %0 : tensor<?x2xf32, ["n"]> -> tensor<?x2xf32, ["n"]> loc("act")
  %2 = graph.matmul %1, %w : tensor<?x2xf32, ["n"]>, tensor<2x4xf32>
    -> tensor<?x4xf32, ["n"]> loc("second")
  return %2 : tensor<?x4xf32, ["n"]>
}"""
"""Two products, between which is a Relu, for batches of any size."""


def test_what_products_read_is_counted():
    made = Calibration(NETWORK)
    profile = made.profile([{"x": X[:2]}, {"x": X[2:]}], Settings())
    assert profile.products == ("first", "second")
    v = np.array([[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]], np.float32)
    act = np.maximum(X @ v.T, 0)
    assert profile.values["x"] == Histogram.of(X)
    seen = profile.values["act"]
    assert seen.elements == act.size
    assert seen.greatest == pytest.approx(float(act.max()), rel=1e-6)


def test_a_profile_does_not_depend_on_how_samples_are_cut():
    made = Calibration(NETWORK)
    cuts: list[list[Any]] = [
        [{"x": X}],
        [(each,) for each in X[::-1, None]],
        [X[:, None]],
    ]
    assert len({made.profile(cut, Settings()).text for cut in cuts}) == 1


def test_both_factors_are_counted():
    made = Calibration(AFFINE)
    profile = made.profile([(X, W)], Settings())
    assert [*profile.values.values()] == [Histogram.of(X), Histogram.of(W)]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_number_that_is_not_finite_is_told_with_its_value(wrong: float):
    array = X.copy()
    array[4, 1] = wrong
    made = Calibration(NETWORK)
    message = "value 'x' in call 1 of the samples: expected finite numbers, got 1 of 3"
    with pytest.raises(sr.CompileError, match=message):
        made.profile([{"x": X}, {"x": array[4:5]}], Settings())


def test_a_value_that_overflows_within_the_model_is_told():
    made = Calibration(NETWORK)
    array = np.full((1, 3), 3e38, np.float32) * np.array([1, -1, 1], np.float32)
    with pytest.raises(sr.CompileError, match="value 'act' in call 0 of the samples"):
        made.profile([{"x": array}], Settings())


def test_samples_of_another_shape_are_refused():
    made = Calibration(NETWORK)
    with pytest.raises(ValueError, match=r"input x: expected shape \(n, 3\) with n"):
        made.profile([{"x": X[:, :2]}], Settings())


def test_a_model_without_products_is_refused():
    with pytest.raises(sr.CompileError, match="got one without any"):
        Calibration(DOUBLE)
    with pytest.raises(sr.CompileError, match="got matmul: its numbers are not f32"):
        Calibration(AFFINE.replace("f32", "f64"))


@pytest.mark.parametrize(
    "options",
    [{"weights": "int8"}, {"precision": "bf16"}, {"bind": "first-call"}],
)
def test_options_that_change_activations_are_refused(options: dict[str, Any]):
    (name,) = options
    with pytest.raises(sr.CompileError, match=f"expected {name}=.* to make a profile"):
        Calibration(NETWORK, options=sr.Options(**options))


def test_a_profile_is_not_made_by_a_profile():
    profile = Calibration(NETWORK).profile([X], Settings())
    with pytest.raises(sr.CompileError, match="expected quantization=None to make a"):
        Calibration(NETWORK, options=sr.Options(quantization=profile))


def test_products_in_floats_say_why():
    made = Calibration(NETWORK)
    profile = made.profile([X], Settings(keep=("f32:second",)))
    assert made.reasons(profile) == {"second": "it is kept"}
    profile = made.profile([X], Settings(keep=("f32:x",)))
    assert made.reasons(profile) == {"first": "of 'x': it is kept"}
