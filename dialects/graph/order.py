"""
Axis orders, and how an op is computed on tensors whose axes are permuted.

    order    for each axis of the tensor in memory, its axis in the logical tensor
             (0, 2, 3, 1): an image NxCxHxW stored as NxHxWxC

A tensor in an order is the result of `graph.permute` with that order. An op that can be
computed on permuted operands returns a `Carried`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from ..dims import Dim, Polynomial
from .nest import Linear, Nest, Position, Read

Order: TypeAlias = tuple[int, ...]

T = TypeVar("T")


@dataclass(frozen=True)
class Carried:
    """
    How an op is computed on permuted operands: their orders, and the order of its
    result.
    """

    operands: tuple[Order | None, ...]
    """
    The order of each operand; None for an operand that is not permuted. An operand with
    fewer axes than its order gets leading axes of size one.
    """

    result: Order
    properties: Mapping[str, Any]

    unmoved: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """
    Properties with which the op computes the same bits on operands as they are, where
    it does not by itself.
    """


def ordered(values: Sequence[T], order: Order) -> tuple[T, ...]:
    """The values of each axis, permuted to this order."""
    return tuple(values[each] for each in order)


def inverse(order: Order) -> Order:
    """The order that undoes this one."""
    return tuple(order.index(each) for each in range(len(order)))


def is_view(shape: Sequence[Dim], order: Order) -> bool:
    """
    Whether an order moves only axes of size one; the shape may lack leading axes.
    """
    more = len(order) - len(shape)
    wide = [each - more for each in order if each >= more and shape[each - more] != 1]
    return wide == sorted(wide)


def then(first: Order, second: Order) -> Order:
    """
    The composition of two orders; the first gets the leading axes that only the second
    has.
    """
    return ordered(widened(first, len(second)), second)


def without(order: Order, axes: Sequence[int]) -> Order:
    """The order of the remaining axes when some are removed."""
    kept = [each for each in order if each not in axes]
    return tuple(sorted(kept).index(each) for each in kept)


def widened(order: Order, rank: int) -> Order:
    """The order of a tensor with leading axes added, up to this rank."""
    more = rank - len(order)
    return (*range(more), *(each + more for each in order))


def carry_elements(
    nests: Sequence[Nest] | None,
    operands: Sequence[int],
    operand: int,
    order: Order,
    properties: Mapping[str, Any],
) -> Carried | None:
    """
    How an elementwise op is carried; None for another op.

    `operands` are the ranks of its operands, which broadcast.
    """
    if nests is None or len(nests) != 1 or not _is_elementwise(nests[0]):
        return None
    read = {each.operand for each in nests[0].sources if isinstance(each, Read)}
    if not read >= {number for number, rank in enumerate(operands) if rank}:
        return None
    wide = widened(order, len(nests[0].bounds))
    return Carried(tuple(wide if rank else None for rank in operands), wide, properties)


def _is_elementwise(nest: Nest) -> bool:
    """
    Whether a nest only reads its operands, at the positions where numpy broadcasts
    them.
    """
    rank = len(nest.bounds)
    return nest.is_pointwise and all(
        isinstance(source, Read)
        and all(
            _stays(position, rank - len(source.at) + number)
            for number, position in enumerate(source.at)
        )
        for source in nest.sources
    )


def _stays(position: Position, number: int) -> bool:
    """
    Whether a position is the coordinate along an axis, or the first where the size may
    be 1.
    """
    if not isinstance(position, Linear) or position.offset != 0:
        return False
    return all(
        axis == number and (factor == 1 or isinstance(factor, Polynomial))
        for axis, factor in position.factors
    )
