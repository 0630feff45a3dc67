"""Nodes of other domains that ONNX Runtime knows: it runs them, or infers types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import static_runtime as sr

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.torch

FOREIGN = sr.Options(fallback="foreign")


def compiled(
    node: str,
    domain: str,
    *inputs: Sequence[str | int],
    declared: Sequence[str | int] | None = None,
    outputs: Sequence[str] = ("d",),
    **how: Any,
) -> sr.StaticModule:
    """An op of a domain after a Relu; what it returns is declared, or is not."""
    names = [f"x{place}" for place in range(len(inputs))]
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in zip(names, inputs, strict=True)
    ]
    nodes = [
        helper.make_node("Relu", ["x0"], ["r"]),
        helper.make_node(node, ["r", *names[1:]], outputs, "own", domain=domain, **how),
        helper.make_node("Neg", ["d"], ["y"]),
    ]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)]
    d = helper.make_tensor_value_info("d", TensorProto.FLOAT, declared)
    graph = helper.make_graph(nodes, "g", infos, [y], value_info=[d])
    made = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return sr.compile(made, options=FOREIGN)


@pytest.mark.parametrize(("n", "k"), [(3, 4), (1, 2), (5, 7)])
def test_an_op_of_microsoft(n: int, k: int):
    # SampleOp returns its input; the compiler has no handler for it.
    module = compiled("SampleOp", "com.microsoft", ["n", "k", "k"])
    assert module.program.call_outs[0].framework == "onnxruntime"
    assert module.report.foreign_calls == 1
    x = np.random.default_rng(n).standard_normal((n, k, k)).astype(np.float32)
    np.testing.assert_array_equal(module(x), -np.maximum(x, 0))


def test_an_op_of_machine_learning_has_a_reference_and_a_declared_type():
    # Runtimes differ in what such a transform makes of two classes.
    how: Any = {
        **{"coefficients": [1.0, -1.0], "rho": [0.5], "vectors_per_class": [1, 1]},
        **{"support_vectors": [1.0, 0.0, 0.0, 1.0], "classlabels_ints": [0, 1]},
        **{"post_transform": "SOFTMAX", "outputs": ["", "d"]},
    }
    shape = ["n", 2]
    module = compiled("SVMClassifier", "ai.onnx.ml", shape, declared=["n", 2], **how)
    assert module.program.call_outs[0].framework == "onnx.reference"
    x = np.array([[1, 0.5], [-4, 2]], np.float32)
    decisions = np.array([[1.0], [-1.5]])
    likely = 1 / (1 + np.exp(-2 * decisions))
    expected = np.concatenate([likely - 1, -likely], axis=1)
    np.testing.assert_allclose(module(x), expected, rtol=1e-5)
    with pytest.raises(
        sr.CompileError, match=r"SVMClass.* .a result d of unknown type"
    ):
        compiled("SVMClassifier", "ai.onnx.ml", shape, **how)
