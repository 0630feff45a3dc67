"""Tensors whose sizes are those that an op needs, which a run checks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects import Dim, tensor_type
from ....dialects.graph.compose import reshaped, shape_of
from .node import Node


def fitted(node: Node, x: SSAValue, shape: Sequence[Dim], what: str) -> SSAValue:
    """
    Builds `x`, which is `what`, with sizes in the form of `shape`, which they must
    equal in every run; raises `CompileError` if they never do.
    """
    wanted = "x".join(map(str, shape))
    problem = f"expected {what} of sizes {wanted}, got {tensor_type(x)}"
    if len(shape_of(x)) != len(shape):
        raise node.error(problem)
    for each, size in zip(shape_of(x), shape, strict=True):
        node.agreed(each, size, problem)
    return reshaped(x, shape)
