"""Arithmetic progressions, and the indices of the true elements of a tensor."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ...dims import Dim, product
from ...element_type import Element
from ..ops.binary import AddOp
from ..ops.cast import CastOp
from ..ops.compare import NeOp
from ..ops.iota import IotaOp
from ..ops.nonzero import NonzeroOp
from ..ops.reduce import SumOp
from .number import Number, convert, element_of, number_like, times
from .shaping import along, shape_of


def counted(size: Dim, axis: int, rank: int, element: Element = i64) -> SSAValue:
    """Builds the integers from 0 to `size` - 1 along one of `rank` axes."""
    row = convert(IotaOp(size=str(size)).result, element)
    return along(row, axis, rank)


def progression(first: SSAValue, step: Number, count: Dim) -> SSAValue:
    """Builds `count` numbers: `first`, `first + step`, and so on."""
    indices = convert(IotaOp(size=str(count)).result, element_of(first))
    return AddOp(times(indices, step), first).result


def truths(x: SSAValue) -> SSAValue:
    """Builds whether each element is not zero."""
    if element_of(x) == i1:
        return x
    return NeOp(x, number_like(0, x)).result


def true_indices(mask: SSAValue, define: Callable[[SSAValue, Dim], Dim]) -> SSAValue:
    """
    Builds the indices of the true elements, one row for each.

    `define` makes a symbolic size of their number, given that number and its upper
    bound.
    """
    shape = shape_of(mask)
    every = tuple(range(len(shape)))
    count = SumOp(CastOp(mask, to=i64), axes=every, keepdims=False).result
    return NonzeroOp(mask, count=str(define(count, product(shape)))).result
