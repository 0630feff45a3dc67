"""The arguments of a call: values of other nodes, and numbers computed from sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import fx
from torch._ops import OpOverload
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from ....dialects import Polynomial
from ..unsupported import Unsupported
from .call import Pair
from .float_numbers import computed, holds, whole
from .sizes import Sizes


class Missing(Exception):
    """Raised when an argument of a call is the result of an unsupported node."""


@dataclass(frozen=True)
class _Unreadable:
    """
    A number without a form in the graph dialect, which is an error once it is used.
    """

    reason: Unsupported


@dataclass(frozen=True)
class Item:
    """A number that is computed at run time and used in tensor arithmetic."""

    tensor: SSAValue
    """The rank-0 tensor that holds it."""

    reason: Unsupported
    """The reason why it cannot be used otherwise, such as for a size."""


Value: TypeAlias = (
    SSAValue
    | Pair
    | Item
    | Sequence[SSAValue | Pair | None]
    | bool
    | int
    | float
    | str
    | Polynomial
    | _Unreadable
    | None
)
"""The value of a node."""

_ON_NUMBERS = re.compile(
    r"aten\.(\w+\.\w*Scalar\w*|scatter\.value\w*"
    r"|(full|full_like|scalar_tensor|clamp\w*)\.default)"
)
"""
Operators whose number arguments become tensors, so that they may be computed at run
time.
"""

NUMBERS = (bool, int, float, torch.SymInt, torch.SymFloat, torch.SymBool)
"""The result types of nodes that compute with sizes, not with tensors."""


def number_of(value: Any, sizes: Sizes) -> Value:
    """The number that a node computes from sizes."""
    if isinstance(value, (bool, int, float)):
        return value
    reason = Unsupported(f"a number computed from sizes, {value}")
    try:
        if isinstance(value, torch.SymInt):
            return _integer(value, sizes)
        if isinstance(value, torch.SymBool):
            return Item(holds(value.node.expr, sizes), reason)
        return Item(computed(value.node.expr, sizes), reason)
    except Unsupported as why:
        return _Unreadable(why)


def _integer(value: torch.SymInt, sizes: Sizes) -> Value:
    """A size, or an integer of data that has no range by which it could be one."""
    try:
        return sizes.dim(value)
    except Unsupported as why:
        return Item(whole(value.node.expr, sizes), why)


def arguments_of(node: fx.Node, values: Mapping[fx.Node, Value]) -> list[Any]:
    """
    The resolved arguments in the order of the operator's schema, defaults included;
    raises as `resolve` does.
    """
    assert isinstance(node.target, OpOverload), "only operators have readers"
    arguments: list[Any] = []
    parameters: Sequence[Any] = node.target._schema.arguments  # pyright: ignore[reportPrivateUsage]
    for place, parameter in enumerate(parameters):
        if place < len(node.args):
            argument = node.args[place]
        else:
            argument = node.kwargs.get(parameter.name, parameter.default_value)
        read = operand if _takes_item(node.target, str(parameter.type)) else resolve
        arguments.append(read(argument, values))
    return arguments


def _takes_item(operator: OpOverload, parameter: str) -> bool:
    """
    Whether a number that is computed at run time may be an argument of this parameter.
    """
    if parameter == "Tensor":
        return True
    return "number" in parameter and _ON_NUMBERS.fullmatch(str(operator)) is not None


def resolve(argument: Any, values: Mapping[fx.Node, Value]) -> Any:
    """
    An argument with nodes replaced by their values.

    Raises `Missing` when a node has no value, and `Unsupported` for an unreadable
    number.
    """
    if isa(argument, list[Any] | tuple[Any, ...]):
        return [resolve(each, values) for each in argument]
    if not isinstance(argument, fx.Node):
        return argument
    if argument not in values:
        raise Missing
    value = values[argument]
    if isinstance(value, _Unreadable | Item):
        raise value.reason
    return value


def operand(argument: Any, values: Mapping[fx.Node, Value]) -> Any:
    """The resolved argument where a tensor may stand for a number."""
    known = values.get(argument) if isinstance(argument, fx.Node) else None
    return known.tensor if isinstance(known, Item) else resolve(argument, values)
