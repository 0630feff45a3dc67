"""A number of steps over stacks of matrices, as a loop of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ....dims import Dim
from ....shape import sizes, tensor, tensor_type
from ...ops.binary import MulOp
from ...ops.control_flow import LoopOp
from ...ops.fusion import YieldOp
from ...ops.index_select import IndexSelectOp
from ..counting import counted
from ..shaping import reshaped, shape_of

Values: TypeAlias = Sequence[SSAValue]

Body: TypeAlias = Callable[
    [SSAValue, Values, Values, Values], tuple[Sequence[SSAValue], Sequence[SSAValue]]
]
"""
Builds a step of its number, the states, the rows of tables and what is captured; the
states after it, and rows that are stacked.
"""


def stepped(
    count: Dim,
    body: Body,
    states: Values,
    captured: Values = (),
    tables: Values = (),
    backward: bool = False,
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Builds `count` steps, or as many from the last; their states and their stacks."""
    scanned = [counted(count, 0, 1), *tables]
    rows = [
        tensor(tensor_type(each).element_type, *sizes(tensor_type(each))[1:])
        for each in scanned
    ]
    types = [each.type for each in states], rows, [each.type for each in captured]
    block = Block(arg_types=[each for kind in types for each in kind])
    inside, first = [*block.args], len(states)
    last = first + len(scanned)
    with ImplicitBuilder(block):
        after, made = body(
            inside[first], inside[:first], inside[first + 1 : last], inside[last:]
        )
        YieldOp(*after, *made)
    directions = [backward] * (len(scanned) + len(made))
    loop = LoopOp.of(block, count, None, [*states], scanned, [*captured], directions)
    return list(loop.results[:first]), list(loop.results[first:])


def at(x: SSAValue, index: SSAValue, axis: int) -> SSAValue:
    """Builds the slice at one index, which is a tensor, without the axis."""
    return IndexSelectOp(x, index, axis=axis, wraps=False).result


def outer(column: SSAValue, row: SSAValue) -> SSAValue:
    """Builds the products of each element of a vector with each of another."""
    *stack, height = shape_of(column)
    *_, width = shape_of(row)
    tall, wide = (
        reshaped(column, [*stack, height, 1]),
        reshaped(row, [*stack, 1, width]),
    )
    return MulOp(tall, wide).result


def as_column(vector: SSAValue) -> SSAValue:
    """Builds a vector as a matrix of one column."""
    return reshaped(vector, [*shape_of(vector), 1])


def as_row(vector: SSAValue) -> SSAValue:
    """Builds a vector as a matrix of one row."""
    *stack, size = shape_of(vector)
    return reshaped(vector, [*stack, 1, size])


def rows_of(size: Dim) -> SSAValue:
    """Builds the number of each row of a stack of matrices."""
    return counted(size, 1, 3)


def columns_of(size: Dim) -> SSAValue:
    """Builds the number of each column of a stack of matrices."""
    return counted(size, 2, 3)


def entries_of(size: Dim) -> SSAValue:
    """Builds the number of each element of a stack of vectors."""
    return counted(size, 1, 2)
