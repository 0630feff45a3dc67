"""
Layers of `com.microsoft` with a state that a call gets and returns.

A causal convolution sees the positions before it. Of calls before, the state has as
many as its window reaches back.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph import ConcatOp, ConvOp, SiluOp
from ....dialects.graph.compose import (
    expanded,
    number_like,
    part,
    with_bias,
)
from ..unsupported import Unsupported
from .fitted import fitted
from .node import Handler, Node, Results


def _causal_convolution(node: Node) -> Results:
    """The convolution of each channel with its own window, and the state after it."""
    for name, wanted in (("ndim", 1), ("channels_last", 0), ("state_window", 0)):
        if (got := node.integer(name)) != wanted:
            raise Unsupported(f"{name} = {got}")
    match node.shape(0), node.shape(1):
        case (batch, channels, length), (int() as filters, 1, int() as taps):
            node.agreed(channels, filters)
        case _:
            raise node.error(
                "expected batch x channels x positions and channels x 1 x taps, got "
                f"{node.type(0)} and {node.type(1)}"
            )
    dilation = node.integer("dilation")
    if taps < 1 or dilation < 1:
        raise node.error(f"expected a window, got {taps} taps and dilation {dilation}")
    x, reach = node.operand(0), (taps - 1) * dilation
    state = [batch, filters, reach]
    if node.has(3):
        before = fitted(node, node.operand(3), state, "a state")
    else:
        before = expanded(number_like(0, x), state)
    joined = ConcatOp(before, x, axis=2).result
    how = {"strides": (1,), "padding": (0, 0), "dilation": (dilation,)}
    found = ConvOp(joined, node.operand(1), **how, groups=filters).result
    found = with_bias(found, node.operand(2) if node.has(2) else None)
    return [_activated(node, found), part(joined, 2, length, reach)]


def _activated(node: Node, x: SSAValue) -> SSAValue:
    """Builds the activation that the node names."""
    match node.text("activation"):
        case "none":
            return x
        case "silu" | "swish":
            return SiluOp(x).result
        case other:
            raise node.error(f"expected activation silu, swish or none, got {other}")


HANDLERS: dict[str, Handler] = {"CausalConvWithState": _causal_convolution}
