"""How messages name a node of an ONNX model."""

from __future__ import annotations

from ...errors import CompileError

_MOST_SHOWN = 200
"""The most characters of a name in messages; a name contains its callers' names."""


def clipped(name: str) -> str:
    """The name, or its end when it is long."""
    return name if len(name) <= _MOST_SHOWN else f"...{name[-_MOST_SHOWN:]}"


def error_at(node: str, op: str, problem: str) -> CompileError:
    """The error that describes a problem with a node."""
    return CompileError(f"onnx node {clipped(node)!r} ({clipped(op)}): {problem}")
