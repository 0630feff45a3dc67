"""The op of `com.microsoft` that finds distances between rows."""

from __future__ import annotations

from ....dialects import is_float
from ....dialects.graph import SubOp, SumOp
from ....dialects.graph.compose import raised, reshaped, root
from .node import Handler, Node, Result


def _distances(node: Node) -> Result:
    """
    The distance `NxM` of each row of one matrix `NxK` to each row of another `MxK`, or
    its square; matrices of f32 or f64.

    It is made of differences, as SciPy's `cdist` is: squares of rows minus products, as
    ONNX Runtime adds them up, cancel where rows are near to each other.
    """
    metric = node.text("metric")
    if metric not in ("euclidean", "sqeuclidean"):
        raise node.error(f"expected metric euclidean or sqeuclidean, got {metric!r}")
    a, b = node.type(0), node.type(1)
    if node.rank(0) != 2 or node.rank(1) != 2 or node.element(0) != node.element(1):
        raise node.error(f"expected matrices of one type, got {a} and {b}")
    if not is_float(a):
        raise node.error(f"expected matrices of floats, got {a} and {b}")
    (rows, width), (columns, other) = node.shape(0), node.shape(1)
    node.agreed(width, other)
    tall = reshaped(node.operand(0), [rows, 1, width])
    wide = reshaped(node.operand(1), [1, columns, other])
    apart = raised(SubOp(tall, wide).result, 2)
    total = SumOp(apart, axes=(2,), keepdims=False).result
    return root(total, 2) if metric == "euclidean" else total


HANDLERS: dict[str, Handler] = {"CDist": _distances}
