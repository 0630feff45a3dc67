"""How messages name a node of an ONNX model."""

from __future__ import annotations

from onnx import NodeProto

from ....runtime.files import shortened
from ...session import MOST_OF_NAME, CompileError


def clipped(name: str) -> str:
    """A name as messages show it."""
    return shortened(name, MOST_OF_NAME)


def label(node: NodeProto, number: int) -> str:
    """The name of a node, or what stands for it when it has none."""
    first = next(filter(None, node.output), "")
    return clipped(node.name or first or f"{node.op_type}_{number}")


def error_at(node: str, op: str, problem: str) -> CompileError:
    """The error that describes a problem with a node."""
    return CompileError(f"onnx node {clipped(node)!r} ({clipped(op)}): {problem}")
