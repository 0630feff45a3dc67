"""
What a Loop of ONNX carries, and no trip changes.

TensorFlow's loops carry all that they read, as sizes and strides.
"""

from __future__ import annotations

from onnx import GraphProto

_NOT_STATES = 2
"""The inputs of a body before the states: the number of the trip, and a condition."""


def invariants(graph: GraphProto) -> frozenset[int]:
    """The places of the states that a body hands on as it gets them."""
    same = {
        node.output[0]: node.input[0]
        for node in graph.node
        if node.op_type == "Identity" and not node.domain and node.input
    }
    states = [each.name for each in graph.input][_NOT_STATES:]
    ends = [each.name for each in graph.output][1:]
    found: set[int] = set()
    for place, (state, end) in enumerate(zip(states, ends, strict=False)):
        for _ in same:
            if end == state or end not in same:
                break
            end = same[end]
        if end == state:
            found.add(place)
    return frozenset(found)
