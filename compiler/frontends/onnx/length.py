"""Lp norms of ONNX: roots of sums of powers."""

from __future__ import annotations

from .node import Node


def length_power(node: Node) -> float:
    """The power of a norm: an integer, or a float in the first opsets."""
    found = node.attribute("p")
    assert found is not None, "the power has a default"
    power = found.f if found.type == found.FLOAT else float(found.i)
    if power <= 0:
        raise node.error(f"expected a power above zero, got {power}")
    return power
