"""The signature of an ONNX op: inputs, outputs, attributes and their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from onnx import AttributeProto, defs
from onnx.defs import OpSchema

_Kind = OpSchema.FormalParameterOption


@dataclass(frozen=True)
class Parameter:
    """One input or output of an op."""

    name: str

    types: frozenset[str]
    """The allowed types, such as `tensor(float)`."""

    is_optional: bool

    kind: str = ""
    """The name of its type, which inputs and outputs of one type share, such as `T`."""


@dataclass(frozen=True)
class Attribute:
    """One attribute of an op."""

    type: int
    """The type as a number of `AttributeProto`."""

    is_required: bool

    default: AttributeProto | None


@dataclass(frozen=True)
class Signature:
    """The form of an op from one opset version until its next change."""

    since: int
    """The opset version that introduced this form."""

    inputs: tuple[Parameter, ...]

    least_inputs: int
    most_inputs: int
    """The most inputs, more than `inputs` has when the last one is variadic."""

    outputs: tuple[str, ...]

    most_outputs: int
    """The most outputs, more than `outputs` has when the last one is variadic."""

    attributes: Mapping[str, Attribute]

    output_kinds: tuple[str, ...] = ()
    """The names of the types of outputs."""

    def output_kind(self, place: int) -> str:
        """The name of the type of an output; the last one may be variadic."""
        kinds = self.output_kinds
        return kinds[min(place, len(kinds) - 1)] if kinds else ""

    def input(self, place: int) -> Parameter:
        """The input at this position; the last one may be variadic."""
        return self.inputs[min(place, len(self.inputs) - 1)]


@cache
def signature(op: str, opset: int, domain: str = "") -> Signature | None:
    """
    The form of an op in a version of its domain; None when it does not exist there.
    """
    if not defs.has(op, opset, domain):
        return None
    schema = defs.get_schema(op, opset, domain)
    if schema.deprecated:
        return None
    return Signature(
        schema.since_version,
        tuple(
            Parameter(
                each.name,
                frozenset(each.types),
                each.option != _Kind.Single,
                each.type_str,
            )
            for each in schema.inputs
        ),
        schema.min_input,
        schema.max_input,
        tuple(each.name for each in schema.outputs),
        schema.max_output,
        {
            name: Attribute(
                each.type.value,
                each.required,
                each.default_value if each.default_value.type else None,
            )
            for name, each in schema.attributes.items()
        },
        tuple(each.type_str for each in schema.outputs),
    )
