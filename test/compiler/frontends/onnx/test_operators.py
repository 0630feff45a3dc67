"""Forms of ops that ONNX's own tests leave out, beside ONNX's evaluator."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from .cases import CASES, check_close
from .interpreter import model, read


@pytest.mark.parametrize(
    "name", [name for name, case in CASES.items() if not case.evaluator_errs]
)
def test_computes_what_onnx_does(name: str):
    case = CASES[name]
    graph, evaluator = read(case.model), ReferenceEvaluator(case.model)
    for sizes in case.sizes:
        inputs = case.inputs(sizes)
        expected = evaluator.run(None, inputs)
        check_close(graph.run(*inputs.values()), expected)


def test_softmax_before_opset_13_is_over_all_axes_from_one_on():
    graph = read(model("g (float[n,2,3] x) => (float y) { y = Softmax(x) }", 11))
    x = np.random.default_rng(0).standard_normal((5, 2, 3)).astype(np.float32)
    (y,) = graph.run(x)
    raised = np.exp(x)
    check_close([y], [raised / raised.sum((1, 2), keepdims=True)])


def test_a_response_is_normalized_by_the_channels_around_it():
    graph = read(
        model("g (float[1,4,1] x) => (float y) { y = LRN<size=3, alpha=3.0>(x) }")
    )
    x = np.array([1, 2, 3, 4], np.float32)
    squares = np.array([1 + 4, 1 + 4 + 9, 4 + 9 + 16, 9 + 16], np.float32)
    (y,) = graph.run(x.reshape(1, 4, 1))
    check_close([y.ravel()], [x / (1 + squares) ** np.float32(0.75)])


def test_a_negative_pad_cuts():
    graph = read(
        model(
            """g (float[n,4] x) => (float y) <int64[4] p = {1,-1,0,-2}>
            { y = Pad(x, p) }"""
        )
    )
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    np.testing.assert_array_equal(graph.run(x)[0], [[0], [1], [5]])


@pytest.mark.parametrize(
    ("kind", "large"), [("float", 10000), ("double", 10000), ("float16", 1000)]
)
def test_a_variance_is_no_difference_of_large_means(kind: str, large: int):
    graph = read(
        model(
            f"""g ({kind}[n,2,2,3] x) => ({kind} y)
            {{ y = MeanVarianceNormalization(x) }}""",
            13,
        )
    )
    dtype = {"float": np.float32, "double": np.float64, "float16": np.float16}[kind]
    steps = np.array([-1, 1, 1, -1, -1, 1], dtype).reshape(1, 1, 2, 3)
    x = np.concatenate([steps + dtype(large), steps * dtype(0) + dtype(7)], 1)
    (y,) = graph.run(np.concatenate([x, x]))
    unit = np.concatenate([steps, steps * dtype(0)], 1)
    check_close([y], [np.concatenate([unit, unit])])
