"""
The ops that the package onnx describes: of its own domain and of the domains beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onnx import AttributeProto, NodeProto

from ..unsupported import Unsupported
from .model_file import OLDEST, ONNX
from .signature import Signature, signature

BESIDE = ("ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
"""The domains beside ONNX's own."""


def reader_name(node: NodeProto) -> str:
    """The name that the reader of a node has in the table."""
    own = node.domain in ONNX
    return node.op_type if own else f"{node.domain}.{node.op_type}"


def form_of(
    node: NodeProto, opset: int, versions: Mapping[str, int]
) -> Signature | None:
    """
    The form of the op of a node in the version of its domain; None when the package
    onnx describes none. `opset` is the version of ONNX's own domain.

    Raises `Unsupported` for a form that changed before the oldest version that is read.
    """
    if node.domain in ONNX:
        form = signature(node.op_type, opset)
        if form is not None and form != signature(node.op_type, max(opset, OLDEST)):
            raise Unsupported(f"its form of opset {opset}, before opset {OLDEST}")
        return form
    if node.domain in BESIDE:
        return signature(node.op_type, versions.get(node.domain, 1), node.domain)
    return None


def given_attributes(
    proto: NodeProto, form: Signature, error: Callable[[str], Exception]
) -> Mapping[str, AttributeProto]:
    """The attributes of a node; raises an `error` for one of another op, or again."""
    known = form.attributes
    given: dict[str, AttributeProto] = {}
    for each in proto.attribute:
        if each.name not in known:
            wanted = ", ".join(known) or "none"
            raise error(f"expected attributes {wanted}, got {each.name!r}")
        if each.ref_attr_name:
            raise error(
                f"expected a value of the attribute {each.name}, got a reference "
                f"to {each.ref_attr_name!r} outside of a function"
            )
        if each.name in given:
            raise error(f"expected one attribute {each.name}, got two")
        if each.type != (type := known[each.name].type):
            wanted, got = _kind(type), _kind(each.type)
            raise error(f"expected the attribute {each.name} as {wanted}, got {got}")
        given[each.name] = each
    for name, attribute in known.items():
        if attribute.is_required and name not in given:
            raise error(f"expected the attribute {name}, got none")
    return given


def _kind(type: int) -> str:
    """ONNX's name of an attribute type."""
    names = {number: name for name, number in AttributeProto.AttributeType.items()}
    return names.get(type, str(type))
