"""Equations whose matrices are triangles, and parts of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dims import Dim
from ....element_type import Element
from ...ops.binary import DivOp, SubOp
from ...ops.compare import EqOp, GeOp, GtOp, LeOp, LtOp
from ...ops.where import WhereOp
from ..number import convert, number_like
from ..shaping import expanded, permuted, shape_of
from .stepping import (
    as_column,
    as_row,
    at,
    columns_of,
    entries_of,
    outer,
    rows_of,
    stepped,
)


def transposed(x: SSAValue) -> SSAValue:
    """Builds matrices with rows as columns."""
    rank = len(shape_of(x))
    return permuted(x, [*range(rank - 2), rank - 1, rank - 2])


def identity(stack: Dim, size: Dim, element: Element) -> SSAValue:
    """Builds a stack of matrices of ones on the diagonal."""
    is_there = EqOp(rows_of(size), columns_of(size)).result
    return expanded(convert(is_there, element), [stack, size, size])


def lower(x: SSAValue, is_unit: bool = False) -> SSAValue:
    """Builds the triangle of a matrix below its diagonal, and that or ones."""
    _, height, width = shape_of(x)
    rows, columns = rows_of(height), columns_of(width)
    zero = number_like(0, x)
    if is_unit:
        below = WhereOp(GtOp(rows, columns), x, zero).result
        return WhereOp(EqOp(rows, columns), number_like(1, x), below).result
    return WhereOp(GeOp(rows, columns), x, zero).result


def upper(x: SSAValue) -> SSAValue:
    """Builds the triangle of a matrix from its diagonal up."""
    _, height, width = shape_of(x)
    keeps = LeOp(rows_of(height), columns_of(width))
    return WhereOp(keeps, x, number_like(0, x)).result


def solved(a: SSAValue, b: SSAValue, is_upper: bool, is_unit: bool) -> SSAValue:
    """
    Builds the x of `a x = b` for stacks of matrices, by one triangle of `a`.

    A step finds one row of x and subtracts what it has of the others.
    """
    _, size, _ = shape_of(b)

    def step(
        k: SSAValue, states: Sequence[SSAValue], _: object, captured: Sequence[SSAValue]
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        (x,), (matrix,) = states, captured
        row, column = at(x, k, 1), at(matrix, k, 2)
        if not is_unit:
            row = DivOp(row, as_column(at(column, k, 1))).result
        is_left = (LtOp if is_upper else GtOp)(entries_of(size), k)
        rest = WhereOp(is_left, column, number_like(0, column)).result
        without = SubOp(x, outer(rest, row))
        return [WhereOp(EqOp(rows_of(size), k), as_row(row), without).result], []

    (x,), _ = stepped(size, step, [b], [a], backward=is_upper)
    return x
