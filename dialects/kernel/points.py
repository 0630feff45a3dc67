"""Elements of values at points of nests, and what is known of them without a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ..graph import Body, ConstantOp, GraphOp, Linear, Nest, axes, to_array, to_numbers
from ..shape import tensor_type
from .expression import Constant, Expression


@dataclass(frozen=True)
class Element:
    """The element of a value at a position."""

    value: SSAValue
    at: tuple[Linear, ...]


@dataclass(frozen=True)
class Opened:
    """The body of an op with its operands; some are not yet expressions."""

    body: Body
    parts: tuple[Expression | Element, ...]


def inline_constant(value: SSAValue) -> Constant | None:
    """The number that `value` is, when it is a constant of one element."""
    if not isinstance(value.owner, ConstantOp):
        return None
    array = to_array(value.owner.value)
    if array.size != 1:
        return None
    element = tensor_type(value).element_type
    return Constant(to_numbers(array, element).item(), element)


def in_turn(nest: Nest) -> frozenset[int]:
    """The reduced axes of a nest whose points are combined in order."""
    first = len(nest.bounds) - nest.reductions
    return frozenset(range(first, first + nest.in_turn))


def identity(nest: Nest) -> tuple[Linear, ...]:
    """The point of a nest as the identity function, with clamped coordinates."""
    return axes(len(nest.bounds) + len(nest.clamped))


def written(nest: Nest) -> list[tuple[Linear, ...]]:
    """Where a nest of tiles writes its scalars, in order."""
    first = tuple(each for each in nest.write if isinstance(each, Linear))
    return [first, *nest.also]


def only_nest(op: GraphOp, found: Sequence[Nest]) -> Nest:
    """The nest of an op inside of a kernel; raises `VerifyException` if it has more."""
    if len(found) != 1:
        raise VerifyException(
            f"expected {op.name} outside of a fusion that reads parts of its result, "
            "got it inside: leave fusions to the pass `fuse`"
        )
    return found[0]


def nests(op: GraphOp) -> Sequence[Nest]:
    """The nests of an op; raises `VerifyException` if it has none."""
    found = op.nests()
    if found is None:
        raise not_fused(op.results[0])
    return found


def not_fused(value: SSAValue) -> VerifyException:
    """The error of a fusion that has a value which no loops compute."""
    owner = value.owner
    made = owner.name if isinstance(owner, Operation) else "an argument of another op"
    return VerifyException(
        f"expected ops that loops compute in a fusion, got {made}: leave fusions to "
        "the pass `fuse`"
    )
