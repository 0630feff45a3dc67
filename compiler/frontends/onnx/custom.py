"""Nodes whose op is one that a user registered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onnx import AttributeProto, NodeProto

from ....dialects import Array
from ....dialects.graph import GraphOp, to_attribute
from ...ir import Registered, find_spelled, versions_of
from ..schema import schema_of
from ..unsupported import Unsupported
from .element import ANY_TYPE
from .model_file import ONNX
from .node import Handler, Node, Results
from .signature import Attribute, Parameter, Signature

_MAX_INPUTS = 1 << 20
"""The most inputs of an op that takes any number."""


def find_custom(node: NodeProto, versions: Mapping[str, int]) -> Registered | None:
    """
    The op that somebody registered for a node, of the version of its domain.

    Raises `Unsupported` where all that there are begin with a later version.
    """
    domain = "" if node.domain in ONNX else f"{node.domain}."
    spelling, version = f"onnx.{domain}{node.op_type}", versions.get(node.domain, 1)
    if (found := find_spelled(spelling, version)) is not None:
        return found
    if later := versions_of(spelling):
        raise Unsupported(
            f"expected version {later[0]} or later of the domain {node.domain}, got "
            f"{version}"
        )
    return None


def signature_of(known: Registered, node: NodeProto) -> Signature:
    """The signature of an op; its attributes are of the kinds that the node gives."""
    schema = schema_of(known.op)
    kinds = {each.name: each.type for each in node.attribute}
    least = sum(not each.is_optional for each in schema.operands)
    count = len(schema.operands)
    return Signature(
        0,
        tuple(
            Parameter(each.name, ANY_TYPE, each.is_optional) for each in schema.operands
        ),
        least,
        _MAX_INPUTS if schema.is_variadic else count,
        schema.results,
        len(schema.results),
        {
            name: Attribute(kinds.get(name, 0), is_required, None)
            for name, is_required in schema.properties.items()
        },
    )


def handler_of(op: type[GraphOp]) -> Handler:
    """What builds the op of a node: inputs by place, attributes by name."""
    schema = schema_of(op)

    def handler(node: Node) -> Results:
        given = [each for each in node.values if each is not None]
        operands = [node.tensor(each) for each in given]
        properties = {
            each.name: to_attribute(_value(node, each)) for each in node.proto.attribute
        }
        return schema.build(operands, properties).results

    return handler


def _value(node: Node, attribute: AttributeProto) -> Any:
    """The value of an attribute as a property of an op has it."""
    name = attribute.name
    match attribute.type:
        case AttributeProto.INT:
            return attribute.i
        case AttributeProto.FLOAT:
            return attribute.f
        case AttributeProto.STRING:
            return node.text(name)
        case AttributeProto.INTS:
            return tuple(attribute.ints)
        case AttributeProto.FLOATS:
            return tuple(attribute.floats)
        case AttributeProto.STRINGS:
            return tuple(each.decode(errors="replace") for each in attribute.strings)
        case AttributeProto.TENSOR:
            array: Array = node.stored(name)
            return array
        case _:
            kind = AttributeProto.AttributeType.Name(attribute.type).lower()
            raise node.error(
                f"expected the attribute {name} as a number, a text, a list of these "
                f"or a tensor, got {kind}"
            )
