"""Distances of `com.microsoft` are sums of squared differences, by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from static_runtime.compiler.session.errors import CompileError

from .interpreter import Array, read

KINDS = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64}


def cdist(
    a: list[str | int], b: list[str | int], kind: int = TensorProto.FLOAT, **how: Any
) -> ModelProto:
    """The model of a `CDist` of two matrices."""
    node = helper.make_node("CDist", ["a", "b"], ["y"], domain="com.microsoft", **how)
    inputs = [
        helper.make_tensor_value_info(name, kind, shape)
        for name, shape in (("a", a), ("b", b))
    ]
    y = helper.make_tensor_value_info("y", kind, None)
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "g", inputs, [y])
    return helper.make_model(graph, opset_imports=sets, ir_version=8)


def distances(a: Array, b: Array) -> Array:
    """The distances as f64."""
    apart = a[:, None].astype(np.float64) - b[None].astype(np.float64)
    return np.sqrt((apart**2).sum(2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", None])
def test_distances_are_scipys(metric: str | None, kind: int):
    graph = read(
        cdist(["n", 6], ["m", 6], kind, **({"metric": metric} if metric else {}))
    )
    power = 1 if metric == "euclidean" else 2
    random = np.random.default_rng(0)
    for count, others in ((5, 4), (1, 1), (3, 7), (0, 2), (2, 0)):
        a, b = (
            random.standard_normal((n, 6)).astype(KINDS[kind]) for n in (count, others)
        )
        (y,) = graph.run(a, b)
        assert y.dtype == KINDS[kind]
        np.testing.assert_allclose(y, distances(a, b) ** power, rtol=1e-5)


def test_rows_that_are_near_to_each_other_do_not_cancel():
    a = np.array([[1e4, -2e4], [1e4 + 1, -2e4]], np.float32)
    (y,) = read(cdist(["n", 2], ["n", 2], metric="euclidean")).run(a, a)
    np.testing.assert_array_equal(y, [[0, 1], [1, 0]])


@pytest.mark.parametrize("width", [3, "k"])
def test_rows_are_of_one_width(width: int | str):
    graph = read(cdist(["n", "k"], ["m", width]))
    a, b = np.ones((2, 3), np.float32), np.zeros((4, 3), np.float32)
    np.testing.assert_array_equal(graph.run(a, b)[0], np.full((2, 4), 3))
    with pytest.raises(CompileError, match="expected equal sizes, got 3 and 4"):
        read(cdist(["n", 3], ["m", 4]))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            cdist([2, 3], [2, 3], metric="cosine"),
            "expected metric euclidean or sqeuclidean, got 'cosine'",
        ),
        (cdist([2, 3], [3]), "expected matrices of one type"),
        (cdist([2, 3], [2, 3], TensorProto.INT64), "expected matrices of floats"),
    ],
)
def test_what_has_no_meaning_is_refused(made: ModelProto, message: str):
    with pytest.raises(CompileError, match=message):
        read(made)
