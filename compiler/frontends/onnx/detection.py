"""ONNX ops that choose among detected objects: `NonMaxSuppression`."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import MOST_BYTES, Dim, greater, lesser, product
from ....dialects.graph import DivOp, NonMaxSuppressionOp, RemOp
from ....dialects.graph.compose import (
    at_index,
    convert,
    cut,
    quantity,
    reshaped,
    stacked,
)
from ..known import Known
from .node import Handler, Node, Result
from .run_time_sizes import define


def _non_max_suppression(node: Node) -> Result:
    """The batch, the class and the box of each that is chosen, a row for each."""
    if node.rank(0) != 3 or node.rank(1) != 3:
        raise node.error(
            f"expected boxes BxNx4 and scores BxCxN, got {node.type(0)} and "
            f"{node.type(1)}"
        )
    (_, boxes, _), (_, classes, _) = node.shape(0), node.shape(1)
    most = _most(node, boxes)
    if most == 0:
        return Known.of(np.zeros((0, 3), np.int64))
    found = _chosen(node, most)
    bound = product((*node.shape(1)[:2], most))
    count = define(node, at_index(found, 0, 0), "count", bound)
    return _rows(cut(found, {0: (1, count, 1)}), classes, boxes)


def _rows(numbers: SSAValue, classes: Dim, boxes: Dim) -> SSAValue:
    """Builds the batch, the class and the box that each number stands for."""
    per_class, per_batch = quantity(boxes, i64), quantity(classes * boxes, i64)
    columns = [
        DivOp(numbers, per_batch),
        DivOp(RemOp(numbers, per_batch), per_class),
        RemOp(numbers, per_class),
    ]
    return stacked([each.result for each in columns], 1)


def _chosen(node: Node, most: Dim) -> SSAValue:
    """Builds how many boxes are chosen, and their numbers."""
    element = node.element(0)
    limit = convert(_only(node, 2), i64)
    overlap = _only(node, 3) if node.has(3) else quantity(0, element)
    strict = node.has(4)
    # Without a threshold, a score of minus infinity is one too.
    least = _only(node, 4) if strict else node.tensor(Known.of(_NEGATIVE_INFINITY))
    return NonMaxSuppressionOp(
        node.operand(0),
        node.operand(1),
        limit,
        overlap,
        least,
        most=str(most),
        center=node.flag("center_point_box"),
        strict=strict,
    ).result


_NEGATIVE_INFINITY = np.array(-np.inf, np.float32)


def _most(node: Node, boxes: Dim) -> Dim:
    """The most boxes that are chosen of a class, as far as that is known."""
    if not node.has(2):
        return 0
    known = node.known_input(2)
    if known is None or known.array.size != 1:
        return boxes
    (limit,) = known.dims()
    if isinstance(limit, int) and limit >= MOST_BYTES:
        # PyTorch's exporter writes the largest int64; no axis is as long.
        return boxes
    return lesser(boxes, greater(limit, 0))


def _only(node: Node, place: int) -> SSAValue:
    """Builds the only element of an input."""
    count = product(node.shape(place))
    name = node.signature.input(place).name
    problem = f"expected one {name}, got {node.type(place)}"
    if node.agreed(count, 1, problem) != count:
        return at_index(reshaped(node.operand(place), [count]), 0, 0)
    return reshaped(node.operand(place), [])


HANDLERS: dict[str, Handler] = {"NonMaxSuppression": _non_max_suppression}
