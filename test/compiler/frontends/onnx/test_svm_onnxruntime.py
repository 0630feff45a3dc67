"""Support vector machines where ONNX says little, beside ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto

import static_runtime as sr

from .machines import (
    FEATURES,
    KERNELS,
    KINDS,
    classifier,
    drawn,
    linear_classifier,
    regressor,
    rows,
)

pytestmark = pytest.mark.torch


def check(made: ModelProto, x: np.ndarray[Any, np.dtype[Any]] = rows(300)) -> None:
    """What is compiled computes what ONNX Runtime does."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(
        made.SerializeToString(), options, ["CPUExecutionProvider"]
    )
    found: Any = sr.compile(made)(x)
    expected = session.run(None, {"x": x})
    several = [found] if len(expected) == 1 else [*found]
    for got, wanted in zip(several, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("one_class", [0, 1])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_regressor_is_onnx_runtimes(kernel: str, one_class: int):
    check(regressor(kernel, one_class=one_class, rho=[-0.01]))


@pytest.mark.parametrize("degree", [0.0, 2.5, 7.0])
def test_a_kernel_has_any_degree(degree: float):
    # A power that is no whole number is one of what is above zero.
    check(regressor("POLY", degree, kernel_params=[0.01, 1.0, degree]))


@pytest.mark.parametrize("sizes", [(3, 2), (2, 1, 3), (1, 2, 0, 1, 2)])
@pytest.mark.parametrize(
    ("kernel", "knows"), [("LINEAR", False), ("RBF", False), ("RBF", True)]
)
def test_pairs_vote_and_have_probabilities(
    kernel: str, sizes: tuple[int, ...], knows: bool
):
    check(classifier(kernel, sizes, knows))


@pytest.mark.parametrize("element", KINDS)
def test_rows_have_any_elements(element: int):
    check(classifier("POLY", element=element), rows(300, element))


@pytest.mark.parametrize("transform", ["LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"])
@pytest.mark.parametrize("sizes", [(3, 2), (2, 1, 3)])
def test_probabilities_are_transformed(sizes: tuple[int, ...], transform: str):
    check(classifier("RBF", sizes, True, post_transform=transform))


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("is_share", [False, True])
@pytest.mark.parametrize("count", [2, 3])
def test_features_have_coefficients(count: int, is_share: bool, knows: bool):
    given = drawn(count, FEATURES, seed=1)
    found: dict[str, Any] = {
        "coefficients": [abs(each) for each in given] if is_share else given
    }
    if knows:
        found["prob_a"], found["prob_b"] = [1.0] * 3, [0.0] * 3
    check(linear_classifier(count, **found))


@pytest.mark.parametrize("transform", ["LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("count", [2, 3])
def test_scores_of_features_are_transformed(count: int, transform: str):
    check(linear_classifier(count, post_transform=transform))
