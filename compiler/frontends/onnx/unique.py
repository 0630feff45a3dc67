"""ONNX's `Unique`: the different elements of a tensor, or slices along an axis."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from ....dialects import product
from ....dialects.graph import CumsumOp, IndexSelectOp, SortOp
from ....dialects.graph.compose import (
    convert,
    counted,
    distinct,
    permuted,
    plus,
    reshaped,
    shape_of,
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
    order = distinct.order_of_rows(rows)
    sorted_rows = distinct.rows_at(rows, order)
    is_new = distinct.is_new(sorted_rows, nan_is_one=True)
    firsts = places(node, is_new, "count")
    count = shape_of(firsts)[0]
    firsts = reshaped(firsts, [count])
    group = plus(CumsumOp(convert(is_new, i64), axis=0).result, -1)
    inverse = distinct.scattered(shape[axis], order, group)
    counts = distinct.occurrences(count, group)
    first = distinct.rows_at(order, firsts)
    if not node.flag("sorted"):
        # In the order in which they are met.
        sorted_first = SortOp(first, axis=0, descending=False)
        first, met = sorted_first.results
        counts = distinct.rows_at(counts, met)
        rank = distinct.scattered(count, met, counted(count, 0, 1))
        inverse = distinct.rows_at(rank, inverse)
    values = IndexSelectOp(x, first, axis=axis, wraps=False).result
    return [values, first, inverse, counts]


HANDLERS: dict[str, Handler] = {"Unique": _unique}
