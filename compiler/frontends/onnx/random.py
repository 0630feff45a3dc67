"""ONNX ops that draw numbers at random, by the seed of the model or their own."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import Dim, Element
from ....dialects.graph import ExpOp, ReduceMaxOp, SubOp
from ....dialects.graph.compose import convert
from ....dialects.graph.compose.random import (
    choices,
    happens,
    normal,
    uniform_between,
)
from ..unsupported import Random
from .element import element
from .node import Handler, Node, Result
from .rounded import element_like


def seed_of(node: Node) -> int | None:
    """
    The bits of the seed that a node has; None where it draws by that of the model.
    Raises `Random` where neither has one.
    """
    if node.gives_attribute("seed"):
        return int(np.float32(node.number("seed")).view(np.int32))
    if not node.draws:
        raise Random("numbers at random, of no seed")
    return None


def _kind_of(node: Node) -> Element:
    """The element type that the node names, or else the default of the attribute."""
    return element(node.integer("dtype"))


def _shape(node: Node) -> tuple[Dim, ...]:
    """The shape in an attribute."""
    shape = node.integers("shape")
    if shape is None or any(each < 0 for each in shape):
        raise node.error(f"expected a shape of sizes from zero on, got {shape}")
    return shape


def _uniform(node: Node, shape: tuple[Dim, ...], kind: Element) -> SSAValue:
    low, high = node.number("low"), node.number("high")
    return uniform_between(shape, low, high, kind, seed_of(node))


def _normal(node: Node, shape: tuple[Dim, ...], kind: Element) -> SSAValue:
    mean, scale = node.number("mean"), node.number("scale")
    return normal(shape, mean, scale, kind, seed_of(node))


def _bernoulli(node: Node) -> Result:
    """Ones with the probabilities of the input, and zeros."""
    found = happens(node.operand(0), seed_of(node))
    return convert(found, element_like(node))


def _multinomial(node: Node) -> Result:
    """Columns that are chosen by the logarithms of their weights."""
    x, count = node.operand(0), node.integer("sample_size")
    if node.rank(0) != 2:
        raise node.error(f"expected a row of logarithms for each, got {node.type(0)}")
    greatest = ReduceMaxOp(x, axes=(1,), keepdims=True).result
    weights = ExpOp(SubOp(x, greatest).result).result
    return choices(weights, count, _kind_of(node), seed_of(node))


HANDLERS: dict[str, Handler] = {
    "Bernoulli": _bernoulli,
    "Multinomial": _multinomial,
    "RandomNormal": lambda node: _normal(node, _shape(node), _kind_of(node)),
    "RandomNormalLike": lambda node: _normal(node, node.shape(0), element_like(node)),
    "RandomUniform": lambda node: _uniform(node, _shape(node), _kind_of(node)),
    "RandomUniformLike": lambda node: _uniform(node, node.shape(0), element_like(node)),
}
