"""The networks that come with onnx, with random weights, beside ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest

import static_runtime as sr

from .difference import Array, difference
from .light import NETWORKS, network

pytestmark = pytest.mark.torch

TOLERANCE = 1e-4


def test_there_are_nine_of_them():
    assert len(NETWORKS) == 9


@pytest.mark.parametrize("name", NETWORKS)
def test_computes_what_onnx_runtime_does(name: str):
    source = network(name)
    data = source.SerializeToString()
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3  # of errors only: it warns of every unused shape
    session = onnxruntime.InferenceSession(
        data, settings, providers=["CPUExecutionProvider"]
    )
    # The weights are inputs too, which have values and need not be given.
    compiled = sr.compile(data, options=sr.Options(cache=False))
    (image,) = compiled.input_names
    x = np.random.default_rng(1).standard_normal((1, 3, 224, 224)).astype(np.float32)
    actual: Any = compiled(x)
    outputs: list[Array] = [*actual] if type(actual) is tuple else [actual]
    expected = session.run(None, {image: x})
    assert len(outputs) == len(source.graph.output)
    for output, wanted in zip(outputs, expected, strict=True):
        assert wanted.std() > 1e-4 * np.abs(wanted).max(), "the output says something"
        assert difference(output, wanted) <= TOLERANCE
