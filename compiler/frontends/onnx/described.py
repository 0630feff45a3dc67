"""
The ops that the package onnx describes: of its own domain and of the domains beside it.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx import NodeProto

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
