"""What ONNX says of an op: inputs, outputs, attributes and their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from onnx import AttributeProto, defs
from onnx.defs import OpSchema

Kind = OpSchema.FormalParameterOption


@dataclass(frozen=True)
class Parameter:
    """One input or output of an op."""

    name: str

    types: frozenset[str]
    """The types that it may have, such as `tensor(float)`."""

    is_optional: bool


@dataclass(frozen=True)
class Attribute:
    """One attribute of an op."""

    type: int
    """As in `AttributeProto`."""

    is_required: bool

    default: AttributeProto | None


@dataclass(frozen=True)
class Signature:
    """An op in the form that it has from one opset version to the next change."""

    since: int
    """The opset version that brought this form."""

    inputs: tuple[Parameter, ...]

    least_inputs: int
    most_inputs: int
    """More than `inputs` when the last one repeats."""

    outputs: tuple[str, ...]

    most_outputs: int
    """More than `outputs` when the last one repeats."""

    attributes: Mapping[str, Attribute]

    def input(self, place: int) -> Parameter:
        """The input in this place; the last one may repeat."""
        return self.inputs[min(place, len(self.inputs) - 1)]


@cache
def signature(op: str, opset: int) -> Signature | None:
    """The form of an op of ONNX in an opset version, None when it has none there."""
    if not defs.has(op, opset):
        return None
    schema = defs.get_schema(op, opset)
    if schema.deprecated:
        return None
    return Signature(
        schema.since_version,
        tuple(
            Parameter(each.name, frozenset(each.types), each.option != Kind.Single)
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
    )
