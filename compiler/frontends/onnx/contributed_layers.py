"""Ops of `com.microsoft` that are several layers at once: with activations, norms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from onnx import TensorProto
from xdsl.ir import Operation, SSAValue

from ....dialects.graph import (
    AddOp,
    GeluOp,
    IndexSelectOp,
    LeakyReluOp,
    MeanOp,
    MulOp,
    ReciprocalOp,
    SigmoidOp,
    SqrtOp,
    SumOp,
)
from ....dialects.graph.compose import (
    activation,
    bounds,
    convert,
    filled,
    normalization,
    part,
    plus,
    shape_of,
    times,
)
from ..unsupported import Unsupported
from .activation import continuous_unit
from .contraction import HANDLERS as PRODUCTS
from .element import element
from .node import Handler, Node, Result, Results
from .normalization import HANDLERS as NORMS
from .window import conv

_Activation: TypeAlias = Callable[..., SSAValue]


def _itself(x: SSAValue) -> SSAValue:
    return x


def _leaky(x: SSAValue, slope: float) -> SSAValue:
    return LeakyReluOp(x, slope=slope).result


def _relu(x: SSAValue) -> SSAValue:
    return bounds.clamped(x, 0.0, None)


def _sigmoid(x: SSAValue) -> SSAValue:
    return SigmoidOp(x).result


def _tanh(x: SSAValue) -> SSAValue:
    return activation.scaled_tanh(x, 1.0, 1.0)


_ACTIVATIONS: dict[str, tuple[_Activation, Mapping[str, float]]] = {
    "": (_itself, {}),
    "Celu": (continuous_unit, {"alpha": 1.0}),
    "Clip": (bounds.clamped, {"low": -3.4e38, "high": 3.4e38}),
    "Elu": (activation.exponential_unit, {"alpha": 1.0}),
    "HardSigmoid": (activation.hard_sigmoid, {"alpha": 0.2, "beta": 0.5}),
    "HardSwish": (activation.hard_swish, {}),
    "LeakyRelu": (_leaky, {"alpha": 0.01}),
    "Relu": (_relu, {}),
    "Selu": (
        activation.exponential_unit,
        {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875},
    ),
    "Sigmoid": (_sigmoid, {}),
    "Softplus": (activation.softplus, {}),
    "Softsign": (activation.softsign, {}),
    "Tanh": (_tanh, {}),
    "ThresholdedRelu": (activation.thresholded, {"alpha": 1.0}),
}
"""What builds each activation, and its numbers in order where the node gives none."""


def _activation_of(node: Node) -> tuple[_Activation, Mapping[str, float]]:
    """What builds the activation that a node names, and the numbers of that."""
    name = node.text("activation")
    if name not in _ACTIVATIONS:
        raise Unsupported(f"an activation {name}")
    return _ACTIVATIONS[name]


def _fused_conv(node: Node) -> Result:
    """A convolution, a sum with another tensor, and an activation."""
    build, defaults = _activation_of(node)
    result = _value(conv(node))
    if node.has(3):
        result = AddOp(result, node.operand(3)).result
    found = node.attribute("activation_params")
    given = [] if found is None else list(found.floats)[: len(defaults)]
    return build(result, *given, *list(defaults.values())[len(given) :])


def _fused_gemm(node: Node) -> Result:
    """A product of matrices with a bias, and an activation."""
    build, defaults = _activation_of(node)
    given: list[float] = []
    for name, default in defaults.items():
        attribute = f"activation_{name}"
        is_given = node.gives_attribute(attribute)
        given.append(node.number(attribute) if is_given else default)
    return build(_value(PRODUCTS["Gemm"](node)), *given)


def _value(result: Results) -> SSAValue:
    """The value of the only result."""
    assert isinstance(result, SSAValue | Operation), "a product is no known value"
    return SSAValue.get(result)


def _quick_gelu(node: Node) -> Result:
    """`x` times the logistic function of `alpha * x`."""
    x = node.operand(0)
    return MulOp(x, SigmoidOp(times(x, node.number("alpha"))))


def _gelu(node: Node) -> Result:
    """The Gaussian error linear unit."""
    return GeluOp(node.operand(0), approximate="none")


def _bias_gelu(node: Node) -> Result:
    """The Gaussian error linear unit of a sum."""
    return GeluOp(AddOp(node.operand(0), node.operand(1)), approximate="none")


def _fast_gelu(node: Node) -> Result:
    """The Gaussian error linear unit by its approximation with tanh."""
    x = node.operand(0)
    if node.has(1):
        x = AddOp(x, node.operand(1)).result
    return GeluOp(x, approximate="tanh")


def _skip_norm(node: Node) -> Results:
    """The sum of two tensors and a bias, normalized along the last axis."""
    total = AddOp(node.operand(0), node.operand(1)).result
    if node.has(4):
        total = AddOp(total, node.operand(4)).result
    return [*_normalized(node, total, 2, 3), total]


def _normalized(node: Node, x: SSAValue, scale: int, bias: int) -> list[SSAValue]:
    """Builds `x` normalized along its last axis, the mean and the factor used."""
    axes = (node.normalize(-1, len(shape_of(x))),)
    unit, mean, factor = normalization.standardized(x, axes, node.number("epsilon"))
    beta = node.operand(bias) if node.has(bias) else None
    return [
        normalization.scaled_and_shifted(unit, node.operand(scale), beta),
        mean,
        factor,
    ]


def _skip_simple_norm(node: Node) -> Results:
    """The sum of two tensors and a bias, divided by its root mean square."""
    total = AddOp(node.operand(0), node.operand(1)).result
    if node.has(3):
        total = AddOp(total, node.operand(3)).result
    squares, factor = _root_mean_square(node, total, -1)
    result = MulOp(MulOp(total, factor), node.operand(2)).result
    return [result, squares, factor, total]


def _simple_norm(node: Node) -> Results:
    """The input divided by its root mean square along an axis and all after it."""
    x = node.operand(0)
    _, factor = _root_mean_square(node, x, node.integer("axis"))
    return [MulOp(MulOp(x, factor), node.operand(1)).result, factor]


def _root_mean_square(node: Node, x: SSAValue, axis: int) -> tuple[SSAValue, SSAValue]:
    """Builds the mean of the squares from an axis on, and one over its root."""
    rank = len(shape_of(x))
    axes = tuple(range(node.normalize(axis, rank), rank))
    squares = MeanOp(MulOp(x, x), axes=axes, keepdims=True).result
    return squares, ReciprocalOp(SqrtOp(plus(squares, node.number("epsilon")))).result


def _embed_norm(node: Node) -> Results:
    """The sum of embeddings of words, places and segments, normalized."""
    if node.rank(0) != 2:
        raise node.error(f"expected batches of words, got {node.type(0)}")
    batch, length = node.shape(0)
    words = _rows(node, 2, 0)
    if node.has(8):
        places = _rows(node, 3, 8)
    else:
        places = part(node.operand(3), 0, 0, length)
    total = AddOp(words, places).result
    if node.has(1) and node.has(4):
        total = AddOp(total, _rows(node, 4, 1)).result
    (result, *_) = _normalized(node, total, 5, 6)
    if node.has(7):
        counts = SumOp(node.operand(7), axes=(1,), keepdims=False).result
    else:
        counts = filled(np.zeros((), np.int32), [batch])
    return [result, counts, total]


def _rows(node: Node, table: int, indices: int) -> SSAValue:
    """Builds the rows of one input at the indices that another has."""
    where = convert(node.operand(indices), element(TensorProto.INT64))
    return IndexSelectOp(node.operand(table), where, axis=0, wraps=False).result


HANDLERS: dict[str, Handler] = {
    "BiasGelu": _bias_gelu,
    "EmbedLayerNormalization": _embed_norm,
    "FastGelu": _fast_gelu,
    "FusedConv": _fused_conv,
    "FusedGemm": _fused_gemm,
    "Gelu": _gelu,
    "LayerNormalization": NORMS["LayerNormalization"],
    "QuickGelu": _quick_gelu,
    "SimplifiedLayerNormalization": _simple_norm,
    "SkipLayerNormalization": _skip_norm,
    "SkipSimplifiedLayerNormalization": _skip_simple_norm,
}
