"""
Build nodes on floats of 16 bits and fewer: each computes in f32, and rounds once.

A handler that builds several ops so builds them of f32; where one op of the graph means
the node, or what it builds rounds nothing, no cast is left (`compose/rounding.py`).
"""

from __future__ import annotations

from copy import copy

from xdsl.ir import Block, Operation, SSAValue

from ....dialects import ELEMENT_TYPES, Element, tensor_type
from ....dialects.graph import to_elements
from ....dialects.graph.compose import convert, rounding
from ..known import Known
from .element import element
from .evaluated import listed
from .node import Handler, Node, Results, Value

_AS_STORED = ("BitCast", "CastLike")
"""Ops that ask for the element type itself."""


def rounded_once(handler: Handler) -> Handler:
    """The handler of nodes that may have floats of 16 bits."""

    def build(node: Node) -> Results:
        halves = _halves(node)
        if not halves or node.op in _AS_STORED:
            return handler(node)
        inside = copy(node)
        inside.is_inside = True
        found = listed(handler(inside))
        made = [*found]
        for place, each in enumerate(found):
            kind = node.signature.output_kind(place)
            if kind in halves:
                made[place] = _narrowed(each, halves[kind])
        return made

    return build


def own_element(node: Node, place: int) -> Element:
    """The element type of an input as the model has it."""
    value = node.value(place)
    return (
        value.element if isinstance(value, Known) else tensor_type(value).element_type
    )


def element_like(node: Node) -> Element:
    """The element type that the node names, or else that of its input in the model."""
    if node.gives_attribute("dtype"):
        return element(node.integer("dtype"))
    return own_element(node, 0)


def without_casts(
    results: list[Value], block: Block, last: Operation | None
) -> list[Value]:
    """The results of a node, once casts after an op that need not be are removed."""
    kept = [each for each in results if isinstance(each, SSAValue)]
    replaced = rounding.narrow_casts(rounding.ops_after(block, last), kept)

    def found(value: Value) -> Value:
        while isinstance(value, SSAValue) and value in replaced:
            value = replaced[value]
        return value

    return [*map(found, results)]


def _halves(node: Node) -> dict[str, Element]:
    """The floats of 16 bits among the inputs, by the names of the types of inputs."""
    given = [place for place in range(len(node.values)) if node.has(place)]
    return {
        node.signature.input(place).kind: node.element(place)
        for place in given
        if ELEMENT_TYPES[node.element(place)].is_half
    }


def _narrowed(value: Value, element: Element) -> Value:
    """A result as one of the model."""
    if isinstance(value, SSAValue):
        is_inside = tensor_type(value).element_type == rounding.wide(element)
        return convert(value, element) if is_inside else value
    if value.is_symbolic or value.element != rounding.wide(element):
        return value
    return Known.of(to_elements(value.array, element))
