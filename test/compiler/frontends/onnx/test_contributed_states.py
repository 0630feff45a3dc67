"""Layers with states compute what ONNX Runtime does."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, parser

from static_runtime import CompileError

from .interpreter import read

pytestmark = pytest.mark.torch


def model(attributes: str, inputs: str = "x, w, b, p", taps: int = 3) -> ModelProto:
    """A convolution of any number of positions, with a state of any size."""
    found = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]>'
        f"g (float[b, 6, n] x, float[6, 1, {taps}] w, float[6] b, float[b, 6, s] p)"
        " => (float y, float z)"
        f" {{ y, z = com.microsoft.CausalConvWithState<{attributes}>({inputs}) }}"
    )
    for each in found.graph.output:
        each.ClearField("type")
    return found


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("inputs", ["x, w, b, p", "x, w, , p", "x, w, b", "x, w"])
@pytest.mark.parametrize(
    ("attributes", "taps", "reach"),
    [("ndim = 1", 3, 2), ('activation = "silu"', 4, 3), ("dilation = 2", 3, 4)],
)
def test_causal_convolutions(
    attributes: str, taps: int, reach: int, inputs: str, count: int
):
    random = np.random.default_rng(0)
    shapes = (2, 6, count), (6, 1, taps), (6,), (2, 6, reach)
    given = [random.standard_normal(shape, np.float32) for shape in shapes]
    source = model(attributes, inputs, taps)
    other = onnxruntime.InferenceSession(source.SerializeToString())
    got = read(source).run(*given)
    wanted = other.run(None, dict(zip("xwbp", given, strict=True)))
    for each, expected in zip(got, wanted, strict=True):
        assert each.shape == expected.shape
        np.testing.assert_allclose(each, expected, 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("channels_last = 1", "channels_last = 1"),
        ("state_window = 2", "state_window = 2"),
        ("ndim = 2", "ndim = 2"),
        ("dilation = 0", "expected a window, got 3 taps and dilation 0"),
        ('activation = "relu"', "expected activation silu, swish or none, got relu"),
    ],
)
def test_refusals(attributes: str, message: str):
    with pytest.raises(CompileError, match=message):
        read(model(attributes))
