"""Trees where ONNX says little: what is NaN, and two classes; beside ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto

import static_runtime as sr

from .forests import Forest, classifier, regressor, rows

pytestmark = pytest.mark.torch


def check(made: ModelProto) -> None:
    """What is compiled computes what ONNX Runtime does."""
    x = rows(300, missing=True)
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


@pytest.mark.parametrize("tracks", [False, True])
@pytest.mark.parametrize("mode", ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ"])
def test_what_is_missing_goes_where_a_node_says(mode: str, tracks: bool):
    check(regressor(Forest(modes=(f"BRANCH_{mode}",), tracks=tracks, trees=40)))


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("least", [0.0, -1.0])
@pytest.mark.parametrize(("target", "base"), [(0, None), (0, [0.25]), (1, None)])
def test_one_score_is_of_two_classes(
    transform: str, least: float, target: int, base: list[float] | None
):
    more: dict[str, Any] = {} if base is None else {"base_values": base}
    forest = Forest(targets=(target,), least=least)
    check(classifier(forest, post_transform=transform, **more))


def test_a_score_of_zero_counts_for_nothing():
    forest = Forest(targets=(0, 1, 2))
    check(classifier(forest, 4, post_transform="SOFTMAX_ZERO"))
