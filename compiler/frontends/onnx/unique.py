"""ONNX's `Unique`: the different elements of a tensor, or slices along an axis."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, is_float, product, tensor_type
from ....dialects.graph import (
    CumsumOp,
    EqOp,
    IndexSelectOp,
    LogicalAndOp,
    LogicalOrOp,
    MaximumOp,
    NeOp,
    ScatterOp,
    SortOp,
    SumOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    filled,
    permuted,
    plus,
    quantity,
    reshaped,
    shape_of,
    taken,
    truths,
)
from ..unsupported import Varies
from .data_dependent import places
from .node import Handler, Node, Results

_MOST_COLUMNS = 256
"""The most elements of a slice; it is sorted by each of them."""


def _unique(node: Node) -> Results:
    """
    The different elements, where each is first, which each element is, and how many
    there are of each.
    """
    x, shape = node.operand(0), node.shape(0)
    axis = 0
    if node.gives_attribute("axis"):
        axis = node.normalize(node.integer("axis"), len(shape))
    else:
        x, shape = reshaped(x, [product(shape)]), (product(shape),)
    front = [axis, *(each for each in range(len(shape)) if each != axis)]
    moved = permuted(x, front)
    columns = product(shape_of(moved)[1:])
    if not isinstance(columns, int) or columns > _MOST_COLUMNS:
        why = f"slices of {columns} elements, not of {_MOST_COLUMNS} at most"
        raise Varies(why, columns)
    rows = reshaped(moved, [shape[axis], columns])
    order = _order(rows)
    sorted_rows = _rows_at(rows, order)
    is_new = _is_new(sorted_rows)
    firsts = places(node, is_new, "count")
    count = shape_of(firsts)[0]
    firsts = reshaped(firsts, [count])
    group = plus(CumsumOp(convert(is_new, i64), axis=0).result, -1)
    inverse = _scattered(shape[axis], order, group)
    counts = _counted(count, group)
    first = _rows_at(order, firsts)
    if not node.flag("sorted"):
        # In the order in which they are met.
        sorted_first = SortOp(first, axis=0, descending=False)
        first, met = sorted_first.results
        counts = _rows_at(counts, met)
        rank = _scattered(count, met, counted(count, 0, 1))
        inverse = _rows_at(rank, inverse)
    values = IndexSelectOp(x, first, axis=axis, wraps=False).result
    return [values, first, inverse, counts]


def _order(rows: SSAValue) -> SSAValue:
    """Builds the indices that stably sort rows, by their first elements first."""
    length, columns = shape_of(rows)
    assert isinstance(columns, int), "as many columns as are known"
    order = counted(length, 0, 1)
    for column in reversed(range(columns)):
        key = _rows_at(taken(rows, 1, column), order)
        order = _rows_at(order, SortOp(key, axis=0, descending=False).indices)
    return order


def _is_new(rows: SSAValue) -> SSAValue:
    """Builds whether each sorted row differs from the one before; NaN equals NaN."""
    numbers = counted(shape_of(rows)[0], 0, 1)
    zero = quantity(0, i64)
    before = _rows_at(rows, MaximumOp(plus(numbers, -1), zero).result)
    differs = NeOp(rows, before).result
    if is_float(tensor_type(rows)):
        is_number = LogicalOrOp(EqOp(rows, rows), EqOp(before, before))
        differs = LogicalAndOp(differs, is_number).result
    some = SumOp(convert(differs, i64), axes=(1,), keepdims=False).result
    return LogicalOrOp(truths(some), EqOp(numbers, zero)).result


def _rows_at(x: SSAValue, indices: SSAValue) -> SSAValue:
    """Builds the rows of a tensor at indices."""
    return IndexSelectOp(x, indices, axis=0, wraps=False).result


def _scattered(size: Dim, indices: SSAValue, values: SSAValue) -> SSAValue:
    """Builds a vector with each value at its index."""
    room = filled(np.array(0), [size])
    return ScatterOp(
        room, indices, values, axis=0, wraps=False, reduction="none"
    ).result


def _counted(size: Dim, group: SSAValue) -> SSAValue:
    """Builds how often each number from 0 on occurs."""
    ones = filled(np.array(1), shape_of(group))
    room = filled(np.array(0), [size])
    return ScatterOp(room, group, ones, axis=0, wraps=False, reduction="add").result


HANDLERS: dict[str, Handler] = {"Unique": _unique}
