"""Activations that exporters write out as several nodes."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

import static_runtime as sr
from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import context


def model(text: str) -> bytes:
    """A model of one f32 input of eight numbers."""
    head = '<ir_version: 8, opset_import: ["" : 17]> g (float[8] x) => (float[8] y) '
    return parser.parse_model(head + text).SerializeToString()


WRITTEN_OUT = "{ s = Softplus(x) t = Tanh(s) y = Mul(x, t) }"


def test_a_mish_written_out_takes_one_exponential():
    module = sr.compile(model(WRITTEN_OUT))
    x = np.array([-90, -20, -1, -0.0, 0.5, 3, 25, np.inf], np.float32)
    expected = x.astype(np.float64) * np.tanh(np.logaddexp(0, x.astype(np.float64)))
    np.testing.assert_allclose(module(x), expected, rtol=1e-6)
    assert "graph.tanh" not in str(read_onnx(model(WRITTEN_OUT), context()))


@pytest.mark.parametrize("inside", ["Softplus(z)", "Relu(x)", "Log(x)"])
def test_other_tangents_stay(inside: str):
    text = f"{{ z = Neg(x) s = {inside} t = Tanh(s) y = Mul(x, t) }}"
    x = np.linspace(0.1, 4, 8, dtype=np.float32)
    got = sr.compile(model(text))(x)
    inner = {
        "Softplus(z)": np.logaddexp(0, -x),
        "Relu(x)": x,
        "Log(x)": np.log(x),
    }
    np.testing.assert_allclose(got, x * np.tanh(inner[inside]), rtol=1e-5)


@pytest.mark.parametrize("alpha", [0.7, 0.0])
@pytest.mark.parametrize("shape", ["", "[3]"])
def test_a_celu_has_the_axes_of_its_input(shape: str, alpha: float):
    head = f'<ir_version: 8, opset_import: ["" : 17]> g (float{shape} x) => (float y) '
    text = f"{head} {{ y = Celu<alpha={alpha}>(x) }}"
    x = np.array([-2, 0, 3] if shape else -2, np.float32)
    got = sr.compile(parser.parse_model(text), options=sr.Options(threads=1))(x)
    low = alpha * np.expm1(np.minimum(x, 0) / alpha) if alpha else np.zeros_like(x)
    assert got.shape == x.shape
    np.testing.assert_allclose(got, np.where(x > 0, x, low), rtol=1e-6)
