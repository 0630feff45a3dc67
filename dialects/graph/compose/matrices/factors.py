"""Factors of matrices: LU with row exchanges, and Cholesky's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dims import Dim, minimum
from ....shape import tensor_type
from ...ops.argmax import ArgmaxOp
from ...ops.argsort import ArgsortOp
from ...ops.arithmetic import AbsOp, NegOp, SqrtOp
from ...ops.binary import DivOp, SubOp
from ...ops.compare import EqOp, GeOp, GtOp, NeOp
from ...ops.diagonal import DiagonalOp
from ...ops.division import RemOp
from ...ops.gather import GatherOp
from ...ops.logical import LogicalAndOp
from ...ops.reduce import ProdOp, SumOp
from ...ops.where import WhereOp
from ..counting import counted
from ..number import convert, number, number_like
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
from .triangular import identity, lower, solved


@dataclass(frozen=True)
class Factors:
    """A stack of matrices whose rows, in another order, are L times U."""

    both: SSAValue
    """U from the diagonal up, and what L has below its ones."""

    order: SSAValue
    """The row of the matrix that each row of the factors comes from."""

    exchanged: SSAValue
    """The row with which each row was exchanged, from the first on."""


def exchanged(x: SSAValue, order: SSAValue) -> SSAValue:
    """Builds matrices with rows in an order."""
    stack, _, width = shape_of(x)
    _, height = shape_of(order)
    index = expanded(as_column(order), [stack, height, width])
    return GatherOp(x, index, axis=1, wraps=False).result


def solution(found: Factors, b: SSAValue) -> SSAValue:
    """Builds the x that matrices, given by their factors, turn into b."""
    middle = solved(found.both, exchanged(b, found.order), is_upper=False, is_unit=True)
    return solved(found.both, middle, is_upper=True, is_unit=False)


def inverse(found: Factors) -> SSAValue:
    """Builds the inverses of square matrices, given by their factors."""
    stack, size, _ = shape_of(found.both)
    element = tensor_type(found.both).element_type
    return solution(found, identity(stack, size, element))


def _swap(size: Dim, k: SSAValue, place: SSAValue) -> SSAValue:
    """Builds the order of rows in which row `k` and another, of each matrix, change."""
    rows, other = entries_of(size), as_column(place)
    is_other = EqOp(rows, other)
    return WhereOp(EqOp(rows, k), other, WhereOp(is_other, k, rows)).result


def factored(x: SSAValue) -> Factors:
    """Builds L and U, with the greatest element of each column as its pivot."""
    stack, height, width = shape_of(x)
    first = expanded(counted(height, 1, 2), [stack, height])
    if 0 in (height, width):
        return Factors(x, first, expanded(number(0, i64), [stack, 0]))

    def step(
        k: SSAValue, states: Sequence[SSAValue], _: object, __: object
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        whole, order = states
        column = AbsOp(at(whole, k, 2)).result
        is_left = GeOp(entries_of(height), k)
        magnitudes = WhereOp(is_left, column, number_like(-1, column)).result
        place = ArgmaxOp(magnitudes, axis=1, keepdims=False).result
        swap = expanded(_swap(height, k, place), [stack, height])
        whole = exchanged(whole, swap)
        order = GatherOp(order, swap, axis=1, wraps=False).result
        row, column = at(whole, k, 1), at(whole, k, 2)
        pivot, zero = as_column(at(row, k, 1)), number_like(0, whole)
        is_below = GtOp(entries_of(height), k)
        divides = LogicalAndOp(is_below, NeOp(pivot, zero)).result
        factors = WhereOp(divides, DivOp(column, pivot), zero).result
        is_right = GtOp(columns_of(width), k)
        reduced = SubOp(whole, outer(factors, row))
        after = WhereOp(is_right, reduced, whole).result
        is_stored = LogicalAndOp(
            EqOp(columns_of(width), k), GtOp(rows_of(height), k)
        ).result
        after = WhereOp(is_stored, as_column(factors), after).result
        return [after, order], [place]

    (both, order), (places,) = stepped(minimum(height, width), step, [x, first])
    return Factors(both, order, permuted(places, (1, 0)))


def order_of(places: SSAValue, height: Dim) -> SSAValue:
    """Builds the order of rows that exchanges, one after the other, lead to."""
    stack, count = shape_of(places)
    first = expanded(counted(height, 1, 2), [stack, height])

    def step(
        k: SSAValue, states: Sequence[SSAValue], rows: Sequence[SSAValue], _: object
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        (order,), (place,) = states, rows
        swap = expanded(_swap(height, k, place), [stack, height])
        return [GatherOp(order, swap, axis=1, wraps=False).result], []

    (order,), _ = stepped(count, step, [first], (), [permuted(places, (1, 0))])
    return order


def inverse_order(order: SSAValue) -> SSAValue:
    """Builds the order that undoes another."""
    return ArgsortOp(
        order, axis=1, count=str(shape_of(order)[1]), descending=False
    ).result


def permutation(order: SSAValue, x: SSAValue) -> SSAValue:
    """Builds the matrix that puts rows of the factors where those of `x` are."""
    _, height = shape_of(order)
    is_there = EqOp(rows_of(height), as_row(order)).result
    return convert(is_there, tensor_type(x).element_type)


def is_odd(places: SSAValue) -> SSAValue:
    """Builds whether the number of rows that were exchanged is odd."""
    _, count = shape_of(places)
    moved = convert(NeOp(places, entries_of(count)).result, i64)
    total = SumOp(moved, axes=(1,), keepdims=False)
    return NeOp(RemOp(total, number(2, i64)), number(0, i64)).result


def determinant(found: Factors) -> SSAValue:
    """Builds the determinant of each matrix that was factored."""
    diagonal = DiagonalOp(found.both, axes=(1, 2), offset=0)
    total = ProdOp(diagonal, axes=(1,), keepdims=False).result
    return WhereOp(is_odd(found.exchanged), NegOp(total), total).result


def cholesky(x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """
    Builds the triangle whose product with its transpose is a matrix, which is read from
    its diagonal down, and whether each pivot is above zero.
    """
    _, size, _ = shape_of(x)

    def step(
        k: SSAValue, states: Sequence[SSAValue], _: object, __: object
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        (whole,) = states
        column = at(whole, k, 2)
        square = as_column(at(column, k, 1))
        pivot, zero = SqrtOp(square).result, number_like(0, whole)
        is_below = GtOp(entries_of(size), k)
        scaled = WhereOp(is_below, DivOp(column, pivot), zero).result
        rest = SubOp(whole, outer(scaled, scaled))
        stored = WhereOp(EqOp(entries_of(size), k), pivot, scaled).result
        is_done = LogicalAndOp(EqOp(columns_of(size), k), GeOp(rows_of(size), k)).result
        after = WhereOp(is_done, as_column(stored), rest).result
        return [after], [GtOp(square, zero).result]

    (after,), (holds,) = stepped(size, step, [lower(x)])
    count, stack, _ = shape_of(holds)
    return lower(after), permuted(reshaped(holds, [count, stack]), (1, 0))
