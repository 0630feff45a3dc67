"""ONNX ops that sort elements: `TopK`."""

from __future__ import annotations

from ....dialects import Dim
from ....dialects.graph import TopkOp
from .node import Handler, Node, Results


def _top_k(node: Node) -> Results:
    """The greatest or least elements along an axis, in order, and their indices."""
    axis = node.normalize(node.integer("axis"), node.rank(0))
    attributes = node.signature.attributes
    count: Dim
    if "k" in attributes:
        count = node.integer("k")
    else:
        match node.dims(1):
            case [count]:
                pass
            case several:
                raise node.error(f"expected one K, got {len(several)}")
    largest = "largest" not in attributes or node.flag("largest")
    return TopkOp(node.operand(0), axis=axis, k=str(count), largest=largest).results


HANDLERS: dict[str, Handler] = {"TopK": _top_k}
