"""
Orders of axes, and how an op is computed on tensors whose axes are in another order.

    order    for each axis of the tensor as it lies, its axis in the tensor meant
             (0, 2, 3, 1): an image NxCxHxW that lies as NxHxWxC

A tensor in an order is what `graph.permute` with that order makes of it. An op that can
be computed on such operands as they are says so by a `Carried`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .nest import Linear, Nest, Read, axis

Order: TypeAlias = tuple[int, ...]

T = TypeVar("T")


@dataclass(frozen=True)
class Carried:
    """An op on operands in other orders, and the order that its result then has."""

    operands: tuple[Order | None, ...]
    """
    The order of each operand, None for one that stays as it is. An operand with fewer
    axes than its order gets axes of one element before its own.
    """

    result: Order
    properties: Mapping[str, Any]


def ordered(values: Sequence[T], order: Order) -> tuple[T, ...]:
    """What belongs to each axis, for a tensor in this order."""
    return tuple(values[each] for each in order)


def inverse(order: Order) -> Order:
    """The order that undoes this one."""
    return tuple(order.index(each) for each in range(len(order)))


def then(first: Order, second: Order) -> Order:
    """The order of a tensor that is put in one order and then in another."""
    return ordered(first, second)


def without(order: Order, axes: Sequence[int]) -> Order:
    """The order of what is left of a tensor when these axes are gone."""
    kept = [each for each in order if each not in axes]
    return tuple(sorted(kept).index(each) for each in kept)


def widened(order: Order, rank: int) -> Order:
    """The order of a tensor with axes put before its own, up to this rank."""
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
    How an op that computes each element by itself is carried; None if it does not.

    `operands` are the ranks of its operands, which broadcast.
    """
    if nests is None or len(nests) != 1 or not is_elementwise(nests[0]):
        return None
    wide = widened(order, len(nests[0].bounds))
    return Carried(tuple(wide if rank else None for rank in operands), wide, properties)


def is_elementwise(nest: Nest) -> bool:
    """Whether each operand is read where numpy broadcasts it, and nothing else is."""
    rank = len(nest.bounds)
    return nest.is_pointwise and all(
        isinstance(source, Read)
        and all(
            position in (Linear(), axis(rank - len(source.at) + number))
            for number, position in enumerate(source.at)
        )
        for source in nest.sources
    )
