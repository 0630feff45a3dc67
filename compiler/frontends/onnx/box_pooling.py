"""ONNX's `MaxRoiPool`: the greatest elements of the parts of boxes in images."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from ....dialects import Dim, is_float, tensor_type
from ....dialects.graph import (
    AddOp,
    CeilOp,
    DivOp,
    FloorOp,
    GeOp,
    IndexSelectOp,
    LogicalAndOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    ReduceMaxOp,
    SubOp,
    TruncOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    number,
    number_like,
    part,
    plus,
    quantity,
    reshaped,
    shape_of,
    times,
)
from .node import Handler, Node, Result


def _pooled_boxes(node: Node) -> Result:
    """
    The greatest element of each part of each box: the number of an image, then x and y
    of two corners. A part without elements is zero.
    """
    if (node.rank(0), node.rank(1)) != (4, 2) or not is_float(node.type(0)):
        raise node.error(
            f"expected floats NxCxHxW and boxes Rx5, got {node.type(0)} and "
            f"{node.type(1)}"
        )
    node.agreed(node.shape(1)[1], 5, f"expected boxes Rx5, got {node.type(1)}")
    counts = node.integers("pooled_shape") or ()
    if len(counts) != 2 or min(counts) < 1:
        raise node.error(
            f"expected a height and a width of 1 or more, got {list(counts)}"
        )
    x, boxes = node.operand(0), node.operand(1)
    if node.element(1) != f64:
        boxes = convert(boxes, f32)
    images = convert(reshaped(part(boxes, 1, 0, 1), [node.shape(1)[0]]), i64)
    found = IndexSelectOp(x, images, axis=0, wraps=False).result
    scale = node.number("spatial_scale")
    parts = [
        _parts(boxes, axis, size, count, scale)
        for axis, (size, count) in enumerate(
            zip(node.shape(0)[2:], counts, strict=True)
        )
    ]
    return _greatest(found, parts)


def _parts(
    boxes: SSAValue, axis: int, size: Dim, count: int, scale: float
) -> tuple[SSAValue, SSAValue]:
    """Builds the starts and the ends, Rx`count`, of parts along an axis of an image."""
    corners: list[SSAValue] = []
    for column in (2 - axis, 4 - axis):
        corner = times(part(boxes, 1, column, 1), scale)
        # To the nearest integer, ties away from zero.
        rest = SubOp(corner, TruncOp(corner))
        corners.append(TruncOp(AddOp(corner, rest)).result)
    start, end = corners
    kind = tensor_type(boxes).element_type
    extent = MaximumOp(plus(SubOp(end, start).result, 1), number(1, kind))
    step = DivOp(extent, number(count, kind))
    numbers = counted(count, 1, 2, kind)
    before = FloorOp(MulOp(numbers, step)).result
    behind = CeilOp(MulOp(plus(numbers, 1), step)).result
    zero, most = number(0, kind), quantity(size, kind)
    first, last = (
        MinimumOp(MaximumOp(AddOp(each, start), zero), most).result
        for each in (before, behind)
    )
    return first, last


def _greatest(x: SSAValue, parts: Sequence[tuple[SSAValue, SSAValue]]) -> SSAValue:
    """Builds the greatest elements of parts of RxCxHxW between starts and ends."""
    many, _, height, width = shape_of(x)
    least, has_some = number_like(-inf, x), list[SSAValue]()
    # One axis after the other: the columns of a part first, then its rows.
    for axis, size in ((1, width), (0, height)):
        start, end = parts[axis]
        count, kind = shape_of(start)[1], tensor_type(start).element_type
        apart = [many, 1, count, size, 1] if axis == 0 else [many, 1, 1, count, size]
        place = counted(size, 1, 2, kind)
        place = reshaped(place, [1, 1, size])
        rows = [many, count, 1]
        inside = LogicalAndOp(
            GeOp(place, reshaped(start, rows)), LtOp(place, reshaped(end, rows))
        ).result
        sizes = [*shape_of(x)]
        sizes.insert(2 + axis, 1)
        kept = WhereOp(reshaped(inside, apart), reshaped(x, sizes), least)
        x = ReduceMaxOp(kept, axes=(3 + axis,), keepdims=False).result
        side = [many, 1, count, 1] if axis == 0 else [many, 1, 1, count]
        has_some.append(reshaped(LtOp(start, end).result, side))
    return WhereOp(LogicalAndOp(*has_some), x, number_like(0, x)).result


HANDLERS: dict[str, Handler] = {"MaxRoiPool": _pooled_boxes}
