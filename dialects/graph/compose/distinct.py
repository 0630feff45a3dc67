"""The different rows of a tensor: their order, where a new one begins, how many."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...dims import Dim
from ...shape import is_float, tensor_type
from ..ops.binary import MaximumOp
from ..ops.compare import EqOp, NeOp
from ..ops.index_select import IndexSelectOp
from ..ops.logical import LogicalAndOp, LogicalOrOp
from ..ops.reduce import SumOp
from ..ops.scatter import ScatterOp
from ..ops.scatter_nd import ScatterNdOp
from ..ops.sort import SortOp
from .counting import counted, truths
from .number import convert, number, plus
from .parts import at_index
from .shaping import filled, permuted, reshaped, shape_of


def order_of_rows(rows: SSAValue) -> SSAValue:
    """Builds the indices that stably sort rows, by their first elements first."""
    length, columns = shape_of(rows)
    assert isinstance(columns, int), "as many columns as are known"
    order = counted(length, 0, 1)
    for column in reversed(range(columns)):
        key = rows_at(at_index(rows, 1, column), order)
        order = rows_at(order, SortOp(key, axis=0, descending=False).indices)
    return order


def is_new(rows: SSAValue, nan_is_one: bool) -> SSAValue:
    """
    Builds whether each sorted row differs from the one before.

    With `nan_is_one` all NaN are one element; else each differs from all.
    """
    numbers = counted(shape_of(rows)[0], 0, 1)
    zero = number(0, i64)
    before = rows_at(rows, MaximumOp(plus(numbers, -1), zero).result)
    differs = NeOp(rows, before).result
    if nan_is_one and is_float(tensor_type(rows)):
        is_number = LogicalOrOp(EqOp(rows, rows), EqOp(before, before))
        differs = LogicalAndOp(differs, is_number).result
    some = SumOp(convert(differs, i64), axes=(1,), keepdims=False).result
    return LogicalOrOp(truths(some), EqOp(numbers, zero)).result


def rows_at(x: SSAValue, indices: SSAValue) -> SSAValue:
    """Builds the rows of a tensor at indices."""
    return IndexSelectOp(x, indices, axis=0, wraps=False).result


def combined_at(
    into: SSAValue, indices: SSAValue, rows: SSAValue, how: str, axis: int = 0
) -> SSAValue:
    """Builds a tensor with rows combined at indices, that are in it, along an axis."""
    others = [each for each in range(len(shape_of(rows))) if each != axis]
    return ScatterNdOp(
        into,
        reshaped(indices, [*shape_of(indices), 1]),
        permuted(rows, [axis, *others]),
        axes=(axis,),
        wraps=False,
        reduction=how,
    ).result


def scattered(size: Dim, indices: SSAValue, values: SSAValue) -> SSAValue:
    """Builds a vector with each value at its index."""
    room = filled(np.array(0), [size])
    return ScatterOp(
        room, indices, values, axis=0, wraps=False, reduction="none"
    ).result


def occurrences(size: Dim, group: SSAValue) -> SSAValue:
    """Builds how often each number from 0 on occurs."""
    ones = filled(np.array(1), shape_of(group))
    room = filled(np.array(0), [size])
    return ScatterOp(room, group, ones, axis=0, wraps=False, reduction="add").result
