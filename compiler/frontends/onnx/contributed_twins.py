"""Ops of `com.microsoft` that ONNX has too, under that name or another."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np

from ....dialects import DTYPES, is_float, product
from ....dialects.graph.compose import matrices, reshaped
from ..known import Known
from .constant import range_of
from .node import Handler, Node, Result

SAME: Mapping[str, int] = {
    "GatherND": 11,
    "GridSample": 16,
    "Pad": 11,
    "Range": 11,
    "Trilu": 14,
}
"""
Ops that do what those of ONNX do in an opset, whatever that of the model: exporters
wrote them before ONNX had them.
"""


MAY_LACK: Mapping[str, int] = {"Range": 1}
"""How many of the last inputs such ops may lack, where those of ONNX have them all."""


def _range_of(node: Node) -> Result:
    """The numbers from a start to before a limit at a step, which is 1 if it lacks."""
    inner = copy(node)
    if not node.has(2):
        one = Known.of(np.ones((), DTYPES[node.element(0)]))
        inner.values = [*node.values[:2], one]
    return range_of(inner)


def _expanded(node: Node) -> Result:
    """The tensor with a new axis of one element, in the place of an axis."""
    shape = [*node.shape(0)]
    place = node.normalize(node.whole_number(1), len(shape) + 1)
    return reshaped(node.operand(0), [*shape[:place], 1, *shape[place:]])


def _inverse(node: Node) -> Result:
    """The inverses of square matrices of f32 or f64; not finite where there is none."""
    type, shape = node.type(0), node.shape(0)
    if len(shape) < 2 or not is_float(type):
        raise node.error(f"expected square matrices of floats, got {type}")
    size = node.agreed(shape[-2], shape[-1])
    rows = reshaped(node.operand(0), [product(shape[:-2]), size, size])
    return reshaped(matrices.inverse(matrices.factored(rows)), shape)


HANDLERS: dict[str, Handler] = {
    "ExpandDims": _expanded,
    "Inverse": _inverse,
    "Range": _range_of,
}
