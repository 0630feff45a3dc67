"""Calls of operators that a user registered, such as those of `torch.library`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from torch import fx
from torch._ops import HigherOrderOperator, OpOverload
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects import Polynomial
from ....dialects.graph import to_attribute, to_names
from ...ir import Registered, find_spelled
from ..schema import Schema, schema_of
from ..unsupported import TakesGraphs, Unregistered, Unsupported, Varies
from .call import Result

_OURS = ("aten", "prims", "prim", "higher_order", "_operator")
"""The namespaces of torch's own operators."""


def find_custom(target: Any) -> Registered | None:
    """The op that somebody registered for an operator of torch."""
    if not isinstance(target, OpOverload):
        return None
    namespace: str = target.namespace
    return None if namespace in _OURS else find_spelled(str(target))


def is_own(target: Any) -> bool:
    """Whether an operator is one of torch, and not of a library."""
    return not isinstance(target, OpOverload) or target.namespace in _OURS


def unknown(target: Any) -> Unsupported:
    """What says that no reader and no user knows an operator, or another function."""
    if isinstance(target, HigherOrderOperator):
        return TakesGraphs("")
    return Unsupported("") if is_own(target) else Unregistered("")


def build_custom(known: Registered, node: fx.Node, arguments: Sequence[Any]) -> Result:
    """
    Builds the op of a call with these arguments, in the order of torch's schema: those
    that are tensors are operands by name, all others properties.

    Raises `VerifyException` where torch's schema does not fit the op.
    """
    assert isinstance(node.target, OpOverload), "only operators are registered"
    schema = schema_of(known.op)
    parameters: Sequence[Any] = node.target._schema.arguments  # pyright: ignore[reportPrivateUsage]
    given = {
        each.name: _converted(value, str(each.type))
        for each, value in zip(parameters, arguments, strict=True)
    }
    names = [each.name for each in schema.operands]
    for each in given:
        if each not in names and each not in schema.properties:
            wanted = ", ".join([*names, *schema.properties]) or "none"
            raise VerifyException(
                f"expected arguments {wanted} as {known.op.name} has them, got {each}"
            )
    properties = {
        name: _property(schema, name, given[name])
        for name in schema.properties
        if given.get(name) is not None
    }
    made = schema.build(_operands(schema, given), properties)
    several = isa(node.meta["val"], list[Any] | tuple[Any, ...])
    return list(made.results) if several else made.results[0]


def _converted(value: Any, type: str) -> Any:
    """A whole number as the float that a parameter of this type takes."""
    if type.startswith(("float", "Optional[float")) and isinstance(value, int):
        return float(value)
    return value


def _operands(schema: Schema, given: dict[str, Any]) -> list[SSAValue]:
    """The tensors of a call, in the order of the op."""
    found: list[SSAValue] = []
    for each in schema.operands:
        value = given.get(each.name)
        several = _listed(value)
        tensors = list[SSAValue]()
        tensors += (one for one in several if isinstance(one, SSAValue))
        is_right = len(tensors) == len(several) or (value is None and each.is_optional)
        if not is_right or (len(tensors) > 1 and not each.is_variadic):
            got = "none" if value is None else type(value).__name__
            raise VerifyException(
                f"expected a tensor {each.name} as {schema.op.name} takes it, got {got}"
            )
        found += tensors
    return found


def _listed(value: Any) -> Sequence[Any]:
    """The values of a list, or the only value."""
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _property(schema: Schema, name: str, value: Any) -> Attribute:
    """An argument that is no tensor, as a property."""
    several = _listed(value)
    if name in schema.op.DIM_PROPERTIES:
        return to_names(several) if isinstance(value, list) else StringAttr(str(value))
    if varying := [each for each in several if isinstance(each, Polynomial)]:
        raise Varies(f"an argument {name} that varies", *varying)
    plain = (bool, int, float, str)
    if not all(isinstance(each, plain) for each in several):
        raise VerifyException(
            f"expected a number, a text or a list of these as {name}, got "
            f"{type(several[0]).__name__}"
        )
    return to_attribute(tuple(several) if isinstance(value, list) else value)
