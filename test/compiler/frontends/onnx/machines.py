"""Models of random support vector machines, as converters write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper

FEATURES = 4

KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")

KINDS = {
    TensorProto.FLOAT: np.float32,
    TensorProto.DOUBLE: np.float64,
    TensorProto.INT64: np.int64,
    TensorProto.INT32: np.int32,
}


def drawn(*shape: int, seed: int = 0) -> list[float]:
    """Random numbers, which f32 holds."""
    found = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return found.ravel().tolist()


def vectors_of(count: int, kernel: str, degree: float = 3) -> dict[str, Any]:
    """The attributes of `count` support vectors."""
    return {
        "support_vectors": drawn(count, FEATURES),
        "kernel_type": kernel,
        "kernel_params": [0.25, 0.5, float(degree)],
    }


def regressor(
    kernel: str, degree: float = 3, element: int = TensorProto.FLOAT, **more: Any
) -> ModelProto:
    """The model of an `SVMRegressor` with 7 support vectors."""
    found = vectors_of(7, kernel, degree) | {
        "coefficients": drawn(7, seed=1),
        "n_supports": 7,
        "rho": [0.5],
    }
    return model_of("SVMRegressor", found | more, element)


def classifier(
    kernel: str,
    sizes: tuple[int, ...] = (2, 1, 3),
    knows: bool = False,
    element: int = TensorProto.FLOAT,
    batch: str | int = "n",
    **more: Any,
) -> ModelProto:
    """
    The model of an `SVMClassifier` with `sizes` vectors of its classes, that `knows`
    probabilities or not.
    """
    count, total = len(sizes), sum(sizes)
    pairs = count * (count - 1) // 2
    found = vectors_of(total, kernel) | {
        "coefficients": drawn(count - 1, total, seed=1),
        "vectors_per_class": [*sizes],
        "rho": [0.1 * each - 0.1 for each in range(pairs)],
        "classlabels_ints": labels_of(count),
    }
    if knows:
        found["prob_a"] = [-1.5 - 0.5 * each for each in range(pairs)]
        found["prob_b"] = [0.25 * each - 0.25 for each in range(pairs)]
    return model_of("SVMClassifier", found | more, element, batch)


def linear_classifier(count: int, **more: Any) -> ModelProto:
    """The model of an `SVMClassifier` that has coefficients of features."""
    found: dict[str, Any] = {
        "coefficients": drawn(count, FEATURES, seed=1),
        "kernel_params": [0.0, 0.0, 0.0],
        "rho": [0.25] * max(count, 3),
        "classlabels_ints": labels_of(count),
    }
    return model_of("SVMClassifier", found | more)


def labels_of(count: int) -> list[int]:
    """The labels of classes, which are not their numbers."""
    return [7 - 3 * each for each in range(count)]


def model_of(
    op: str,
    attributes: dict[str, Any],
    element: int = TensorProto.FLOAT,
    batch: str | int = "n",
) -> ModelProto:
    """The model of one node on rows of features; what is an empty list is left out."""
    outputs = {"y": TensorProto.FLOAT}
    if op == "SVMClassifier":
        outputs = {"label": TensorProto.INT64, **outputs}
    given = {name: value for name, value in attributes.items() if value != []}
    node = helper.make_node(op, ["x"], [*outputs], domain="ai.onnx.ml", **given)
    results = [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()]
    x = helper.make_tensor_value_info("x", element, [batch, FEATURES])
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    graph = helper.make_graph([node], "g", [x], results)
    return helper.make_model(graph, opset_imports=sets, ir_version=8)


def rows(
    count: int = 20, element: int = TensorProto.FLOAT
) -> np.ndarray[Any, np.dtype[Any]]:
    """Rows of features; whole numbers where the elements are."""
    x = np.random.default_rng(2).standard_normal((count, FEATURES)) * 2
    return x.astype(KINDS[element])
