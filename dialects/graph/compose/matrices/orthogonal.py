"""Householder's reflections: QR, and products of reflections."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dims import minimum
from ....shape import tensor_type
from ...ops.arithmetic import SqrtOp
from ...ops.binary import AddOp, DivOp, MulOp, SubOp
from ...ops.compare import EqOp, GtOp
from ...ops.matmul import MatmulOp
from ...ops.polar import CopysignOp
from ...ops.reduce import SumOp
from ...ops.where import WhereOp
from ..number import number_like
from ..parts import joined, part
from ..shaping import expanded, permuted, reshaped, shape_of
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
from .triangular import identity, lower, upper


def _reflections(x: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """
    Builds, as LAPACK has them, R, the vectors of the reflections that lead to it as
    rows of one matrix, and their factors.
    """
    _, height, width = shape_of(x)

    def step(
        k: SSAValue, states: Sequence[SSAValue], _: object, __: object
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        (whole,) = states
        column, rows = at(whole, k, 2), entries_of(height)
        zero, one = number_like(0, whole), number_like(1, whole)
        first = as_column(at(column, k, 1))
        below = WhereOp(GtOp(rows, k), column, zero).result
        rest = SumOp(MulOp(below, below), axes=(1,), keepdims=True).result
        size = SqrtOp(AddOp(rest, MulOp(first, first)))
        goal = SubOp(zero, CopysignOp(size, first)).result
        is_done = EqOp(rest, zero).result
        factor = WhereOp(is_done, zero, DivOp(SubOp(goal, first), goal)).result
        scaled = WhereOp(is_done, zero, DivOp(below, SubOp(first, goal)))
        vector = WhereOp(EqOp(rows, k), one, scaled).result
        return [_reflected(vector, factor, whole)], [vector, factor]

    (triangle,), (vectors, factors) = stepped(minimum(height, width), step, [x])
    return triangle, vectors, factors


def _reflected(vector: SSAValue, factor: SSAValue, x: SSAValue) -> SSAValue:
    """Builds the matrices after a reflection."""
    stack, _, width = shape_of(x)
    shares = reshaped(MatmulOp(as_row(vector), x).result, [stack, width])
    return SubOp(x, outer(MulOp(vector, factor).result, shares)).result


def reflected(
    vectors: SSAValue, factors: SSAValue, x: SSAValue, backward: bool = True
) -> SSAValue:
    """Builds a stack of matrices after reflections, from the last to the first."""
    count = shape_of(vectors)[0]

    def step(
        _: SSAValue, states: Sequence[SSAValue], rows: Sequence[SSAValue], __: object
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        vector, factor = rows
        return [_reflected(vector, factor, states[0])], []

    (after,), _ = stepped(count, step, [x], (), [vectors, factors], backward)
    return after


def orthogonal(x: SSAValue, is_square: bool) -> tuple[SSAValue, SSAValue]:
    """Builds Q and R of a stack of matrices; Q may have all columns of a square."""
    stack, height, width = shape_of(x)
    triangle, vectors, factors = _reflections(x)
    square = identity(stack, height, tensor_type(x).element_type)
    columns = height if is_square else minimum(height, width)
    q = reflected(vectors, factors, part(square, 2, 0, columns))
    return q, upper(part(triangle, 1, 0, columns))


def packed(x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Builds R with the vectors of its reflections below, and their factors."""
    triangle, vectors, factors = _reflections(x)
    stack, height, width = shape_of(x)
    count = minimum(height, width)
    columns = permuted(vectors, (1, 2, 0))
    if (rest := width - count) != 0:
        nothing = expanded(number_like(0, x), [stack, height, rest])
        columns = joined([columns, nothing], 2)
    is_below = GtOp(rows_of(height), columns_of(width))
    both = WhereOp(is_below, columns, triangle).result
    return both, permuted(reshaped(factors, [count, stack]), (1, 0))


def vectors_of(x: SSAValue) -> SSAValue:
    """Builds the vectors of reflections that lie below the diagonal of matrices."""
    return permuted(lower(x, is_unit=True), (2, 0, 1))
