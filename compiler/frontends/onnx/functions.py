"""
Ops defined by other ops: the functions of a model and of ONNX itself.

A node that calls a function is replaced by the nodes of its body. ONNX has bodies for
some of its own ops; some bodies depend on the types of the node's inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from onnx import AttributeProto, FunctionProto, NodeProto, TypeProto, defs, helper

from ....dialects import Tensor, sizes
from .call_graph import nodes_in
from .element import NUMBERS
from .messages import error_at
from .model_file import ONNX, opset_of
from .node import Value
from .scope import Scope
from .signature import Signature


@dataclass(frozen=True)
class Body:
    """The nodes that replace a node."""

    inputs: tuple[str, ...]

    outputs: tuple[str, ...]

    nodes: tuple[NodeProto, ...]
    """The nodes with the attributes of the caller substituted."""

    opset: int
    """The opset version of ONNX's own ops among the nodes."""


def model_body(function: FunctionProto, node: NodeProto, name: str) -> Body:
    """
    The body of a model function for the node `name` that calls it.

    Raises `CompileError` for attributes that the function does not have.
    """
    defaults = {each.name: each for each in function.attribute_proto}
    known = {*function.attribute, *defaults}
    for each in node.attribute:
        if each.name not in known or each.ref_attr_name:
            wanted = ", ".join(sorted(known)) or "none"
            got = f"{each.name!r}"
            if each.ref_attr_name:
                got += f" that refers to {each.ref_attr_name!r} outside of a function"
            raise error_at(
                name, node.op_type, f"expected attributes {wanted}, got {got}"
            )
    for inner in nodes_in(function.node):
        for each in inner.attribute:
            if each.ref_attr_name and each.ref_attr_name not in known:
                raise error_at(
                    name,
                    node.op_type,
                    f"expected attributes of the function {sorted(known)}, got a "
                    f"reference to {each.ref_attr_name!r} in a node {inner.op_type}",
                )
    return _body(function, defaults, node)


def scope_of(
    body: Body, node: NodeProto, name: str, values: Sequence[Value | None], outer: Scope
) -> Scope:
    """
    The scope of a body that is applied to these values; raises `CompileError` for more
    of them, or of results, than it has.
    """
    for what, got, known in (
        ("inputs", values, body.inputs),
        ("results", node.output, body.outputs),
    ):
        if len(got) > len(known):
            raise error_at(
                name,
                node.op_type,
                f"expected {len(known)} {what} at most, got {len(got)}",
            )
    given = [*values, *(None for _ in body.inputs[len(values) :])]
    return Scope(
        body.opset,
        body.nodes,
        dict(zip(body.inputs, given, strict=True)),
        caller=name,
        depth=outer.depth + 1,
        regions=outer.regions,
    )


def onnx_body(
    node: NodeProto, form: Signature, opset: int, types: Sequence[Tensor | None]
) -> Body | None:
    """
    The body that ONNX defines a node by; None when there is none. `opset` is the
    version of ONNX's own domain; the version of another follows from the form.
    """
    domain = node.domain
    if domain in ONNX:
        domain = ""
    else:
        opset = form.since
    schema = defs.get_schema(node.op_type, opset, domain)
    if versions := schema.function_opset_versions:
        data = schema.get_function_with_opset_version(_latest(versions, opset))
    elif versions := schema.context_dependent_function_opset_versions:
        data = schema.get_context_dependent_function_with_opset_version(
            _latest(versions, opset),
            node.SerializeToString(),
            [_type(each).SerializeToString() for each in types],
        )
    else:
        return None
    function = FunctionProto()
    function.ParseFromString(data)
    defaults = {
        name: each.default
        for name, each in form.attributes.items()
        if each.default is not None
    }
    return _body(function, defaults, node)


def _latest(versions: Iterable[int], opset: int) -> int:
    """The latest version of a body that is valid in `opset`."""
    return max((each for each in versions if each <= opset), default=min(versions))


def _type(type: Tensor | None) -> TypeProto:
    """The type of an input as ONNX's message; empty for an omitted input."""
    if type is None:
        return TypeProto()
    shape = [each if isinstance(each, int) else str(each) for each in sizes(type)]
    return helper.make_tensor_type_proto(NUMBERS[type.element_type], shape)


def _body(
    function: FunctionProto, defaults: Mapping[str, AttributeProto], node: NodeProto
) -> Body:
    """The nodes of `function` with the attributes of `node` substituted."""
    given = {**defaults, **{each.name: each for each in node.attribute}}
    return Body(
        tuple(function.input),
        tuple(function.output),
        tuple(_with_attributes(each, given) for each in function.node),
        opset_of(function.opset_import),
    )


def _with_attributes(node: NodeProto, given: Mapping[str, AttributeProto]) -> NodeProto:
    """The node with attribute references replaced by the caller's attributes."""
    result = NodeProto()
    result.CopyFrom(node)
    result.ClearField("attribute")
    for each in node.attribute:
        if each.ref_attr_name and each.ref_attr_name not in given:
            continue
        attribute = result.attribute.add()
        attribute.CopyFrom(given.get(each.ref_attr_name, each))
        attribute.name = each.name
        if inner := [_with_attributes(each, given) for each in attribute.g.node]:
            attribute.g.ClearField("node")
            attribute.g.node.extend(inner)
    return result
