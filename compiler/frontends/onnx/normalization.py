"""ONNX ops that normalize: by statistics, by exponentials, by a norm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation, SSAValue

from ....dialects import Dim, product
from ....dialects.graph import (
    AddOp,
    ArgmaxOp,
    BatchNormOp,
    CastOp,
    ClampOp,
    DivOp,
    DropoutOp,
    EqOp,
    ExpOp,
    LogOp,
    LogSoftmaxOp,
    MeanOp,
    MulOp,
    ReciprocalOp,
    SoftmaxOp,
    SqrtOp,
    SumOp,
    SumPoolOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    filled,
    normalization,
    plus,
    raised,
    reshaped,
    root,
    shape_of,
    times,
)
from ....dialects.graph.compose.random import dropped
from ..unsupported import Training
from .element import element
from .length import length_power
from .node import Handler, Node, Result, Results
from .random import seed_of


def _trains(node: Node) -> bool:
    """Whether an attribute puts the node in training mode."""
    known = node.signature.attributes
    return ("training_mode" in known and node.flag("training_mode")) or (
        "is_test" in known and not node.flag("is_test")
    )


def _batch_normalization(node: Node) -> Results:
    """Each channel normalized by statistics that the model stores, or by its own."""
    if "training_mode" in node.signature.attributes and _trains(node):
        return _normalized_batch(node)
    if _trains(node) or any(node.gives(place) for place in range(1, node.output_count)):
        raise Training("statistics of the batch, as in training")
    if "spatial" in node.signature.attributes and not node.flag("spatial"):
        return _normalized_places(node)
    return BatchNormOp(*node.operands(), epsilon=node.number("epsilon"))


def _normalized_places(node: Node) -> Result:
    """Each place of an image normalized by statistics of its own, up to opset 8."""
    if node.rank(0) < 2:
        raise node.error(f"expected NxC..., got {node.type(0)}")
    batch, *image = node.shape(0)
    for place in range(1, 5):
        if list(node.shape(place)) != image:
            raise node.error(
                "expected statistics for each place of the input "
                f"{node.type(0)}, got {node.type(place)}"
            )
    count = product(image)
    rows = reshaped(node.operand(0), [batch, count])
    statistics = [reshaped(node.operand(place), [count]) for place in range(1, 5)]
    found = BatchNormOp(rows, *statistics, epsilon=node.number("epsilon"))
    return reshaped(found.result, node.shape(0))


def _normalized_batch(node: Node) -> Results:
    """
    Each channel normalized by its statistics in the batch, and means of these and of
    the ones that were given.
    """
    x, rank = node.operand(0), node.rank(0)
    if rank < 2:
        raise node.error(f"expected NxC..., got {node.type(0)}")
    axes = (0, *range(2, rank))
    distance, mean = normalization.centered(x, axes)
    variance = MeanOp(MulOp(distance, distance), axes=axes, keepdims=True).result
    deviation = SqrtOp(plus(variance, node.number("epsilon")))
    factor = ReciprocalOp(deviation).result
    unit = MulOp(distance, factor).result
    kept = node.number("momentum")
    means: list[Result] = [
        AddOp(
            times(node.operand(place), kept),
            times(reshaped(convert(own, node.element(place)), shape), 1 - kept),
        )
        for place, own in ((3, mean), (4, variance))
        for shape in [node.shape(place)]
    ]
    return [normalization.with_channels(unit, node.operand(1), node.operand(2)), *means]


def _instance_normalization(node: Node) -> Result:
    """Each channel of each image normalized by its own statistics."""
    shape = node.shape(0)
    if len(shape) < 3:
        raise node.error(f"expected NxCx..., got {node.type(0)}")
    axes = tuple(range(2, len(shape)))
    unit, _, _ = normalization.standardized(
        node.operand(0), axes, node.number("epsilon")
    )
    return normalization.with_channels(unit, node.operand(1), node.operand(2))


def _normalized_mean_variance(node: Node) -> Result:
    """
    The elements with mean 0 and variance 1 along axes.

    The variance is the mean of squared deviations: ONNX's body has a difference of two
    means, which may be below zero.
    """
    given = node.integers("axes") or ()
    axes = tuple(node.normalize(each, node.rank(0)) for each in given)
    distance, _ = normalization.centered(node.operand(0), axes)
    variance = MeanOp(MulOp(distance, distance), axes=axes, keepdims=True).result
    return DivOp(distance, plus(SqrtOp(variance).result, 1e-9))


def _layer_normalization(node: Node) -> Results:
    """The elements along the last axes normalized by their own statistics."""
    rank, kind = node.rank(0), node.element(0)
    axis = node.normalize(node.integer("axis"), rank)
    x = convert(node.operand(0), element(node.integer("stash_type")))
    axes = tuple(range(axis, rank))
    unit, mean, factor = normalization.standardized(x, axes, node.number("epsilon"))
    scale, bias = node.operand(1), node.operand(2) if node.has(2) else None
    result = normalization.scaled_and_shifted(convert(unit, kind), scale, bias)
    return [result, mean, factor]


def softmax(node: Node) -> Result:
    """The exponentials along an axis, divided by their sum."""
    return _along_axis(node, SoftmaxOp)


def log_softmax(node: Node) -> Result:
    """The logarithm of the softmax along an axis."""
    return _along_axis(node, LogSoftmaxOp)


def _hard_max(node: Node) -> Result:
    """One at the first of the greatest elements along an axis, zero elsewhere."""

    def of(x: SSAValue, *, axis: int) -> Operation:
        shape = shape_of(x)
        greatest = ArgmaxOp(x, axis=axis, keepdims=True)
        places = counted(shape[axis], axis, len(shape))
        return CastOp(EqOp(greatest, places), to=node.element(0))

    return _along_axis(node, of)


def _along_axis(node: Node, build: Callable[..., Operation]) -> Result:
    """
    What `build` makes of a tensor and its `axis`, or, before opset 13, of that axis and
    all after it as if they were one.
    """
    x, shape = node.operand(0), node.shape(0)
    axis = node.normalize(node.integer("axis"), len(shape))
    if node.since >= 13 or axis == len(shape) - 1:
        return build(x, axis=axis).results[0]
    rows = [product(shape[:axis]), product(shape[axis:])]
    flat = build(reshaped(x, rows), axis=1).results[0]
    return reshaped(flat, shape)


def _local_response(node: Node) -> Result:
    """
    Each element divided by a power of the sum of squares in neighbouring channels.
    """
    x, shape = node.operand(0), node.shape(0)
    if len(shape) < 3:
        raise node.error(f"expected NxCx..., got {node.type(0)}")
    size = node.integer("size")
    image: list[Dim] = [shape[0], 1, shape[1], product(shape[2:])]
    before, after = (size - 1) // 2, size // 2
    squares = reshaped(raised(x, 2), image)
    sums = SumPoolOp(
        squares,
        kernel=(size, 1),
        strides=(1, 1),
        padding=(before, 0, after, 0),
        dilation=(1, 1),
    )
    around = reshaped(sums.result, shape)
    base = plus(times(around, node.number("alpha") / size), node.number("bias"))
    # The base is positive: `base ** beta` is `exp(beta * log(base))`.
    scale = ExpOp(times(LogOp(base).result, -node.number("beta")))
    return MulOp(x, scale)


_TINY = float(np.finfo(np.float32).smallest_normal)
"""The least positive number that is normal in every float type."""


def _length_normalization(node: Node) -> Result:
    """The elements divided by their L1 or L2 norm along an axis."""
    x, power = node.operand(0), length_power(node)
    axes = (node.normalize(node.integer("axis"), node.rank(0)),)
    scale = root(SumOp(raised(x, power), axes=axes, keepdims=True).result, power)
    # Zeros stay zero, as the divisor is positive.
    return DivOp(x, ClampOp(scale, min=_TINY))


def dropout(node: Node) -> Results:
    """The input, and a mask that keeps all of it."""
    ratio = 0.5
    if "ratio" in node.signature.attributes:
        ratio = node.number("ratio")
    elif node.has(1):
        ratio = float(node.scalar(1) or 0)
    if _trains(node) or (node.has(2) and node.require_known(2).array.any()):
        if node.has(1):
            ratio = float(node.require_known(1).array)
        if ratio:
            return _dropped(node, ratio)
    result = DropoutOp(node.operand(0), ratio=ratio)
    if not node.gives(1):
        return result
    return [result, _mask(node, filled(np.array(True), node.shape(0)))]


def _mask(node: Node, kept: SSAValue) -> SSAValue:
    """The mask of what is kept, which up to opset 9 has elements as the input."""
    return convert(kept, node.element(0)) if node.since < 10 else kept


def _dropped(node: Node, ratio: float) -> Results:
    """The input without some elements, and the mask of those that are kept."""
    if not node.draws and not node.gives_attribute("seed"):
        raise Training("elements dropped at random, as in training")
    if not 0 <= ratio < 1:
        raise node.error(f"expected a ratio from 0 on and below 1, got {ratio}")
    kept, result = dropped(node.operand(0), ratio, seed_of(node))
    return [result, _mask(node, kept)] if node.gives(1) else result


HANDLERS: dict[str, Handler] = {
    "BatchNormalization": _batch_normalization,
    "Dropout": dropout,
    "Hardmax": _hard_max,
    "InstanceNormalization": _instance_normalization,
    "LRN": _local_response,
    "LayerNormalization": _layer_normalization,
    "LogSoftmax": log_softmax,
    "LpNormalization": _length_normalization,
    "MeanVarianceNormalization": _normalized_mean_variance,
    "Softmax": softmax,
}
