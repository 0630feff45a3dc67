"""
Models that a profile quantises: the digits of `examples/digits` are read as before, by
products of bytes, and rows do not depend on their batch.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper, parser

import static_runtime as sr
from static_runtime.compiler.passes import graph_passes
from static_runtime.compiler.quantizing import SCHEMAS, Profile, Settings

from ..compiler.frontends.onnx.interpreter import read
from .stored import DIGITS

Array = np.ndarray[Any, Any]

MODEL = DIGITS / "digits.onnx"

NETWORK = """<ir_version: 9, opset_import: ["" : 18]>
g (float[n,3,16,16] x) => (float[n,10] y) {
    a = Conv<pads=[1,1,1,1]>(x, w1) b = Relu(a)
    c = MaxPool<kernel_shape=[2,2], strides=[2,2]>(b)
    d = Conv<pads=[1,1,1,1], group=2>(c, w2) e = Add(d, c) f = Relu(e)
    h = Concat<axis=1>(f, c) i = Conv<kernel_shape=[1,1]>(h, w3) j = Sigmoid(i)
    k = GlobalAveragePool(j) l = Flatten(k) y = MatMul(l, w4)
}"""

SHAPES = {"w1": (8, 3, 3, 3), "w2": (8, 4, 3, 3), "w3": (12, 16, 1, 1), "w4": (12, 10)}


def digits() -> tuple[Array, Array]:
    """The images that training never saw, and what is on them."""
    with np.load(DIGITS / "digits_test.npz") as arrays:
        return arrays["images"], arrays["labels"]


@cache
def seen_digits() -> Profile:
    """What half of the images make of the activations."""
    images, _ = digits()
    return sr.quantize(MODEL, [{"image": images[::2]}])


@cache
def network() -> bytes:
    """A network with a residual block, groups, and a concatenation."""
    model, random = parser.parse_model(NETWORK), np.random.default_rng(0)
    for name, shape in SHAPES.items():
        array = random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        tensor = numpy_helper.from_array(array.astype(np.float32), name)
        model.graph.initializer.append(tensor)
    return model.SerializeToString()


def text_of(model: Path | bytes, profile: Profile) -> str:
    """The IR of a quantised model after `fold-requantization`; nothing is compiled."""
    graph = read(model)
    for each in graph_passes(sr.Options(quantization=profile), "host"):
        each.apply(graph.ctx, graph.module)
        if each.name == "fold-requantization":
            break
    return str(graph.module)


@pytest.mark.sampled(every=8)
@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("calibration", ["none", "kl"])
def test_digits_are_read_as_before(schema: str, calibration: str):
    images, labels = digits()
    profile = seen_digits().with_settings(Settings(schema, calibration))
    found = sr.compile(MODEL, options=sr.Options(quantization=profile))(images)
    exact = sr.compile(MODEL)(images)
    right, before = (
        float((each.argmax(1) == labels).mean()) for each in (found, exact)
    )
    assert before - right <= 0.005
    assert np.abs(found - exact).max() < 0.1 * np.abs(exact).max()
    assert (found != exact).any()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_all_products_of_the_digits_are_of_bytes(schema: str):
    text = text_of(MODEL, seen_digits().with_settings(Settings(schema)))
    products = [
        line
        for line in text.splitlines()
        if "graph.conv " in line or "graph.matmul " in line or "graph.linear " in line
    ]
    kind = "ui8" if "uint8" in schema or schema == "asymmetric" else "si8"
    assert len(products) == 4
    for line in products:
        _, types = line.split(" : ", 1) if "groups" not in line else ("", line)
        assert "to = i32" in line
        assert f"x{kind}" in types
        assert "xsi8>" in types
    # The pool and the reshape between them move bytes as well.
    assert all(
        f"x{kind}" in line for line in text.splitlines() if "graph.max_pool " in line
    )
    assert text.count("graph.dequantize ") == 0


@pytest.mark.parametrize("weight_bits", [7, 8])
def test_rows_do_not_depend_on_their_batch(weight_bits: int):
    images, _ = digits()
    profile = seen_digits().with_settings(Settings(weight_bits=weight_bits))
    module = sr.compile(MODEL, options=sr.Options(quantization=profile))
    whole = module(images)
    for count in (1, 3):
        parts = [module(images[at : at + count]) for at in range(0, 12, count)]
        assert (np.concatenate(parts) == whole[:12]).all()


def test_bits_do_not_depend_on_threads():
    images, _ = digits()
    one, two = (
        sr.compile(MODEL, options=sr.Options(quantization=seen_digits(), threads=each))
        for each in (1, 2)
    )
    assert (one(images) == two(images)).all()


@pytest.mark.full(beside="test_integers_are_those_of_the_graph")
def test_a_network_with_branches_is_quantised():
    random = np.random.default_rng(1)
    x = random.standard_normal((4, 3, 16, 16)).astype(np.float32)
    profile = sr.quantize(network(), [{"x": x}])
    found = sr.compile(network(), options=sr.Options(quantization=profile))(x)
    exact = sr.compile(network())(x)
    assert np.abs(found - exact).max() < 0.03 * np.abs(exact).max()
    text = text_of(network(), profile)
    assert text.count("to = i32") == 4
    concats = [each for each in text.splitlines() if "graph.concat " in each]
    assert all("xui8" in each for each in concats)
    assert len(concats) == 1


def test_integers_are_those_of_the_graph():
    """A product of bytes is the sum of products of steps, worked out in numpy."""
    weight = np.array([[1.27, -0.5], [0.25, 0.635], [-1.0, 0.1]], np.float32)
    rows = "], [".join(", ".join(map(repr, each)) for each in weight.tolist())
    text = f"""func.func @main(%x : tensor<?x2xf32, ["n"]>) -> tensor<?x3xf32, ["n"]>
      attributes {{graph.input_names = ["x"]}} {{
      %w = graph.constant dense<[[{rows}]]> : tensor<3x2xf32>
      %0 = graph.linear %x, %w : tensor<?x2xf32, ["n"]>, tensor<3x2xf32>
        -> tensor<?x3xf32, ["n"]>
      return %0 : tensor<?x3xf32, ["n"]>
    }}"""
    x = np.array([[-1.0, 1.55], [0.4, 0.123], [2.0, 2.5]], np.float32)
    profile = sr.quantize(text, [x[:2]])
    steps = profile.steps_of("x")
    assert steps is not None
    found = sr.compile(text, options=sr.Options(quantization=profile))(x)
    # The last row is beyond what was seen, and saturates.
    a = np.clip(np.rint(x / steps.scale) + steps.zero_point, 0, 255).astype(int)
    scales = np.abs(weight).max(axis=1) / np.float32(127)
    b = np.rint(weight / scales[:, None]).astype(int)
    sums = (a - steps.zero_point) @ b.T
    expected = sums.astype(np.float32) * (steps.scale * scales)
    assert (a[2] == 255).all()
    assert np.allclose(found, expected, rtol=1e-6, atol=0)
