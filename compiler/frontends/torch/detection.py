"""Operators of the package torchvision that choose among detected objects."""

from __future__ import annotations

from math import inf

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects import Element, tensor_type
from ....dialects.graph import NonMaxSuppressionOp
from ....dialects.graph.compose import (
    at_index,
    cut,
    number,
    quantity,
    reshaped,
    shape_of,
)
from .call import Call, Reader
from .data_dependent import define


def _suppressed(
    call: Call, boxes: SSAValue, scores: SSAValue, overlap: float
) -> SSAValue:
    """
    The numbers of the boxes that overlap no chosen box of a higher score by more than
    `overlap`, by falling score.
    """
    (count,) = shape_of(scores)
    element = tensor_type(boxes).element_type
    found = NonMaxSuppressionOp(
        reshaped(boxes, [1, count, 4]),
        reshaped(scores, [1, 1, count]),
        quantity(count, i64),
        number(_at_most(overlap, element), element),
        number(-inf, element),
        most=str(count),
        center=False,
        strict=False,
    ).result
    foreseen = call.node.meta["val"].shape[0]
    chosen = define(call.sizes, foreseen, at_index(found, 0, 0), 0, count)
    return cut(found, {0: (1, chosen, 1)})


def _at_most(value: float, element: Element) -> float:
    """
    The greatest element that is not above a number: torchvision compares elements with
    the number itself, in f64.
    """
    if element != f32:
        return value
    single = np.float32(value)
    if float(single) > value:
        single = np.nextafter(single, np.float32(-inf))
    return float(single)


READERS: dict[str, Reader] = {"torchvision.nms.default": _suppressed}
