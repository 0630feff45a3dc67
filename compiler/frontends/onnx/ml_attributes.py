"""Attributes of nodes of `ai.onnx.ml`, which are lists, and rows of features."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import Array
from ....dialects.graph.compose import reshaped
from .node import Node


def floats_of(node: Node, name: str) -> Array:
    """
    The numbers of an attribute, or of the tensor with that name in its `_as_tensor`
    form; none where neither is given.
    """
    if node.gives_attribute(f"{name}_as_tensor"):
        return node.stored(f"{name}_as_tensor").reshape(-1)
    found = node.attribute(name)
    return np.array([] if found is None else list(found.floats), np.float32)


def integers_of(node: Node, name: str) -> Array:
    """The whole numbers of an attribute; none where it is not given."""
    return np.array(node.integers(name) or (), np.int64)


def texts_of(node: Node, name: str) -> list[str]:
    """The texts of an attribute; none where it is not given."""
    found = node.attribute(name)
    several = () if found is None else found.strings
    return [each.decode(errors="replace") for each in several]


def rows_of(node: Node, x: SSAValue) -> SSAValue:
    """Builds the first input, converted to `x`, as rows; a vector is one row."""
    shape = node.shape(0)
    if len(shape) not in (1, 2):
        raise node.error(f"expected rows of features, got {node.type(0)}")
    return reshaped(x, [1, *shape] if len(shape) == 1 else shape)


def chosen(node: Node, name: str, known: tuple[str, ...]) -> str:
    """A text that must be one of those that are known."""
    value = node.text(name)
    if value not in known:
        raise node.error(f"expected {name} of {', '.join(known)}, got {value!r}")
    return value
