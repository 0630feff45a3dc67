"""Steps of each type that ONNX quantises to are moved, multiplied and kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

OPTIONS = sr.Options(cache=False, threads=1, fallback="error")
STEPS = ("INT2", "INT4", "UINT4", "INT8", "UINT8", "INT16", "UINT16", "FLOAT8E4M3FN")
OPSETS = [helper.make_opsetid("", 25)]
SCALE = 0.0371

BETWEEN: dict[str, tuple[str, dict[str, Any]]] = {
    "nothing": ("Identity", {}),
    "Relu": ("Relu", {}),
    "a pool": ("MaxPool", {"kernel_shape": [2, 2]}),
    "a permutation": ("Transpose", {"perm": [0, 2, 3, 1]}),
    "a concatenation": ("Concat", {"axis": 1}),
    "a product": ("MatMul", {}),
}


def quantized(steps: str, between: str) -> ModelProto:
    """A model that quantises its input, and what an op makes of that, to steps."""
    kind, (op, how) = TensorProto.DataType.Value(steps), BETWEEN[between]
    weight = [1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0]
    inits = [
        helper.make_tensor("s", TensorProto.FLOAT, (), [SCALE]),
        helper.make_tensor("z", kind, (), [0]),
        helper.make_tensor("w", kind, (4, 4), weight),
    ]
    other = {"Concat": ["d"], "MatMul": ["m"]}.get(op, [])
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["m"]),
        helper.make_node(op, ["d", *other], ["o"], **how),
        helper.make_node("QuantizeLinear", ["o", "s", "z"], ["p"]),
        helper.make_node("DequantizeLinear", ["p", "s", "z"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 4, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", [x], [y], inits)
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=11)


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("steps", STEPS)
def test_what_is_between_steps_is_one_step_off_at_most(steps: str, between: str):
    model = quantized(steps, between)
    x = np.random.default_rng(0).standard_normal((3, 2, 4, 4), np.float32) / 5
    (wanted,) = ReferenceEvaluator(model).run(None, {"x": x})
    got = sr.compile(model, options=OPTIONS)(x)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1.001 * SCALE)
    assert (got == wanted).mean() > 0.95


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("steps", STEPS[:5])
def test_weights_stay_in_the_bits_of_their_steps(steps: str, groups: int):
    kind, (rows, columns) = TensorProto.DataType.Value(steps), (64, 64)
    bits = int(steps.removeprefix("U").removeprefix("INT"))
    least = 0 if steps[0] == "U" else -(1 << (bits - 1))
    random = np.random.default_rng(0)
    values = random.integers(least, least + (1 << bits), (rows, columns))
    scales = random.uniform(0.01, 0.1, (groups, columns)).astype(np.float32)
    inits = [
        helper.make_tensor("w", kind, values.shape, values.ravel().tolist()),
        helper.make_tensor("s", TensorProto.FLOAT, scales.shape, scales.ravel()),
    ]
    nodes = [
        helper.make_node(
            "DequantizeLinear", ["w", "s"], ["m"], axis=0, block_size=rows // groups
        ),
        helper.make_node("MatMul", ["x", "m"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", rows])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", columns])
    graph = helper.make_graph(nodes, "g", [x], [y], inits)
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=11)
    module = sr.compile(model, options=OPTIONS)
    given = random.standard_normal((3, rows), np.float32)
    (wanted,) = ReferenceEvaluator(model).run(None, {"x": given})
    np.testing.assert_allclose(module(given), wanted, rtol=1e-5, atol=1e-4)
    # Scales, and zero points that are not the middle, are a byte or four for a column.
    assert module.report.constant_bytes <= rows * columns * bits // 8 + 5 * scales.size
