"""Distances between rows."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from ....dialects.graph import IndexSelectOp, SubOp
from ....dialects.graph.compose import length, reshaped, shape_of
from ..unsupported import Varies
from .call import Call, Reader, Result
from .creation import filled


def _distance(call: Call, a: SSAValue, b: SSAValue, order: float) -> SSAValue:
    """The norm of differences along the last axis."""
    difference = SubOp(a, b).result
    axis = len(shape_of(difference)) - 1
    if shape_of(difference)[axis] == 0:
        return filled(call, 0)
    return length(difference, order, (axis,), keepdims=False)


def _between(
    call: Call, a: SSAValue, b: SSAValue, order: float, mode: int | None
) -> Result:
    """The distance of each row of one matrix to each row of another."""
    *stack, rows, width = shape_of(a)
    *others, columns, _ = shape_of(b)
    tall = reshaped(a, [*stack, rows, 1, width])
    wide = reshaped(b, [*others, 1, columns, width])
    return _distance(call, tall, wide, order)


def _among(call: Call, x: SSAValue, order: float = 2) -> Result:
    """The distance of each row of a matrix to each row after it."""
    rows, _ = shape_of(x)
    if not isinstance(rows, int):
        raise Varies(f"distances among {rows} rows, a number that varies", rows)
    first, second = (
        IndexSelectOp(x, call.constant(each), axis=0, wraps=False).result
        for each in np.triu_indices(rows, 1)
    )
    return _distance(call, first, second, order)


def apart(call: Call, a: SSAValue, b: SSAValue, order: float = 2) -> Result:
    """The distance of two tensors along the last axis."""
    difference = SubOp(a, b).result
    return length(difference, order, tuple(range(len(shape_of(difference)))), False)


READERS: dict[str, Reader] = {
    "aten.dist.default": apart,
    "aten._cdist_forward.default": _between,
    "aten._pdist_forward.default": _among,
}
