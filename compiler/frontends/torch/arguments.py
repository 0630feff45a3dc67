"""The arguments of a call: values of other nodes, and numbers that sizes make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import fx
from torch._ops import OpOverload
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from ....dialects.dims import Polynomial
from .sizes import Sizes
from .unsupported import Unsupported


class Missing(Exception):
    """The argument of a call is the result of a node that is unsupported."""


@dataclass(frozen=True)
class Unreadable:
    """A number for which there is no form here, which matters when it is used."""

    reason: str


Value: TypeAlias = (
    SSAValue
    | Sequence[SSAValue | None]
    | bool
    | int
    | float
    | str
    | Polynomial
    | Unreadable
    | None
)
"""What a node stands for."""

NUMBERS = (bool, int, float, torch.SymInt, torch.SymFloat, torch.SymBool)
"""Results of nodes that compute with sizes, not with tensors."""


def number_of(value: Any, sizes: Sizes) -> Value:
    """The number that a node of sizes makes."""
    if isinstance(value, (bool, int, float)):
        return value
    try:
        if isinstance(value, torch.SymInt):
            return sizes.dim(value)
    except Unsupported as why:
        return Unreadable(str(why))
    return Unreadable(f"a number computed from sizes, {value}")


def arguments_of(node: fx.Node) -> list[Any]:
    """The arguments in the order of the operator's schema, defaults included."""
    assert isinstance(node.target, OpOverload), "only operators have readers"
    arguments: list[Any] = []
    parameters: Sequence[Any] = node.target._schema.arguments  # pyright: ignore[reportPrivateUsage]
    for place, parameter in enumerate(parameters):
        if place < len(node.args):
            arguments.append(node.args[place])
        else:
            arguments.append(node.kwargs.get(parameter.name, parameter.default_value))
    return arguments


def resolve(argument: Any, values: Mapping[fx.Node, Value]) -> Any:
    """
    An argument with what nodes stand for in place of them.

    Raises `Missing` when a node has no value, and `Unsupported` when it has no form.
    """
    if isa(argument, list[Any] | tuple[Any, ...]):
        return [resolve(each, values) for each in argument]
    if not isinstance(argument, fx.Node):
        return argument
    if argument not in values:
        raise Missing
    value = values[argument]
    if isinstance(value, Unreadable):
        raise Unsupported(value.reason)
    return value
