"""Normalizations: batch, layer and group norm, softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import Dim, product
from ....dialects.graph import (
    AddOp,
    AlongAxisOp,
    BatchNormOp,
    DivOp,
    DropoutOp,
    ExpandOp,
    LogSoftmaxOp,
    MulOp,
    SoftmaxOp,
    SumOp,
    to_names,
)
from ....dialects.graph.compose import (
    expanded,
    filled,
    normalization,
    number,
    number_like,
    reshaped,
    shape_of,
    times,
)
from ....dialects.graph.compose.random import dropped
from ..unsupported import Training, Varies
from .call import Call, Reader, Result


def batch_norm(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue,
    variance: SSAValue,
    momentum: float,
    epsilon: float,
) -> list[SSAValue]:
    """Each channel normalized, and vectors without statistics of the batch."""
    channels = to_names(shape_of(mean))
    if scale is None:
        scale = ExpandOp(number_like(1, x), shape=channels).result
    if bias is None:
        bias = ExpandOp(number_like(0, x), shape=channels).result
    value = BatchNormOp(x, scale, bias, mean, variance, epsilon=epsilon).result
    return [value, _nothing(x), _nothing(x)]


def _nothing(x: SSAValue) -> SSAValue:
    """A vector without elements, of the element type of a tensor."""
    return expanded(number_like(0, x), [0])


def layer_norm(
    call: Call,
    x: SSAValue,
    normalized_shape: Sequence[Dim],
    scale: SSAValue | None = None,
    bias: SSAValue | None = None,
    epsilon: float = 1e-5,
    *_: object,
) -> Result:
    """The last axes normalized, then scaled and shifted."""
    return native_layer_norm(call, x, normalized_shape, scale, bias, epsilon)[0]


def native_layer_norm(
    call: Call,
    x: SSAValue,
    normalized_shape: Sequence[Dim],
    scale: SSAValue | None,
    bias: SSAValue | None,
    epsilon: float,
) -> list[SSAValue]:
    """The layer norm, the means, and what distances from them are multiplied by."""
    rank = len(shape_of(x))
    axes = range(rank - len(normalized_shape), rank)
    unit, mean, factor = normalization.standardized(x, axes, epsilon)
    return [normalization.scaled_and_shifted(unit, scale, bias), mean, factor]


def group_norm(
    call: Call,
    x: SSAValue,
    groups: int,
    scale: SSAValue | None = None,
    bias: SSAValue | None = None,
    epsilon: float = 1e-5,
    *_: object,
) -> Result:
    """Groups of channels normalized, each channel then scaled and shifted."""
    return _in_groups(x, groups, scale, bias, epsilon)[0]


def _in_groups(
    x: SSAValue,
    groups: int,
    scale: SSAValue | None,
    bias: SSAValue | None,
    epsilon: float,
) -> list[SSAValue]:
    """The group norm, the means, and what distances from them are multiplied by."""
    n, channels, *spatial = shape_of(x)
    if not isinstance(channels, int):
        raise Varies(f"a number of channels that varies, {channels}", channels)
    elements = channels // groups * product(spatial)
    grouped = reshaped(x, [n, groups, elements])
    unit, mean, factor = normalization.standardized(grouped, (2,), epsilon)
    value = normalization.with_channels(reshaped(unit, shape_of(x)), scale, bias)
    return [value, *(reshaped(each, [n, groups]) for each in (mean, factor))]


def native_group_norm(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    n: Dim,
    channels: Dim,
    spatial: Dim,
    groups: int,
    epsilon: float,
) -> Result:
    """The group norm, the means, and what distances from them are multiplied by."""
    return _in_groups(x, groups, scale, bias, epsilon)


def instance_norm(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue | None,
    variance: SSAValue | None,
    use_input_stats: bool,
    momentum: float,
    epsilon: float,
    *_: object,
) -> Result:
    """Each channel of each image normalized by its own or by stored statistics."""
    if not use_input_stats:
        assert mean is not None, "torch asks for statistics"
        assert variance is not None, "torch asks for statistics"
        known = (scale, bias, mean, variance, momentum, epsilon)
        return batch_norm(call, x, *known)[0]
    unit = normalization.standardized(x, range(2, len(shape_of(x))), epsilon)[0]
    return normalization.with_channels(unit, scale, bias)


def _batch_norm_of_input(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    training: bool,
    momentum: float,
    epsilon: float,
) -> Result:
    """Each channel normalized by its own statistics, and these."""
    shape = shape_of(x)
    axes = [axis for axis in range(len(shape)) if axis != 1]
    unit, *statistics = normalization.standardized(x, axes, epsilon)
    per_channel = [reshaped(each, [shape[1]]) for each in statistics]
    return [normalization.with_channels(unit, scale, bias), *per_channel]


def _batch_norm_updating(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue,
    variance: SSAValue,
    training: bool,
    momentum: float,
    epsilon: float,
) -> list[SSAValue]:
    """The batch norm, its statistics, and the running ones, which training changes."""
    if not training:
        known = batch_norm(call, x, scale, bias, mean, variance, momentum, epsilon)
        return [*known, mean, variance]
    shape = shape_of(x)
    axes = [axis for axis in range(len(shape)) if axis != 1]
    unit, center, factor = normalization.standardized(x, axes, epsilon)
    distance, _ = normalization.centered(x, axes)
    spread = SumOp(MulOp(distance, distance), axes=tuple(axes), keepdims=False).result
    count = product(size for axis, size in enumerate(shape) if axis != 1)
    fresh = DivOp(spread, number_like(count - 1, x)).result
    flat = [reshaped(each, [shape[1]]) for each in (center, factor)]
    after = [
        AddOp(times(old, 1 - momentum), times(new, momentum)).result
        for old, new in ((mean, flat[0]), (variance, fresh))
    ]
    return [normalization.with_channels(unit, scale, bias), *flat, *after]


def _batch_norm_with_update(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue,
    variance: SSAValue,
    momentum: float,
    epsilon: float,
) -> Result:
    """The batch norm in training; between its results torch keeps room of its own."""
    known = (scale, bias, mean, variance, True, momentum, epsilon)
    *found, before, after = _batch_norm_updating(call, x, *known)
    room = expanded(number(0, call.types[3].element_type), [0])
    return [*found, room, before, after]


def softmax(call: Call, x: SSAValue, axis: int, *_: object) -> Result:
    """The exponentials along an axis, divided by their sum."""
    return _along_axis(SoftmaxOp, call.as_tensor(x, call.element), axis)


def log_softmax(call: Call, x: SSAValue, axis: int, *_: object) -> Result:
    """The logarithm of the softmax along an axis."""
    return _along_axis(LogSoftmaxOp, call.as_tensor(x, call.element), axis)


def _along_axis(op: type[AlongAxisOp], x: SSAValue, axis: int) -> SSAValue:
    """`op` along an axis; a tensor of rank 0 counts as a vector of one element."""
    if shape_of(x):
        return op(x, axis=axis).result
    return reshaped(op(reshaped(x, [1]), axis=0).result, ())


def native_dropout(
    call: Call, x: SSAValue, ratio: float, training: bool | None
) -> Result:
    """The tensor without the elements that are dropped, and a mask of the others."""
    # Torch takes a missing flag for training.
    if training is False or ratio == 0:
        mask = filled(np.array(True), shape_of(x))
        return [DropoutOp(x, ratio=float(ratio)).result, mask]
    if ratio == 1:
        mask = filled(np.array(False), shape_of(x))
        return [MulOp(x, number_like(0, x)).result, mask]
    if not call.draws:
        raise Training("elements dropped at random, as in training")
    kept, result = dropped(x, float(ratio))
    return [result, kept]


READERS: dict[str, Reader] = {
    "aten._native_batch_norm_legit_no_training.default": batch_norm,
    "aten._native_batch_norm_legit.no_stats": _batch_norm_of_input,
    "aten._native_batch_norm_legit_functional.default": _batch_norm_updating,
    "aten._batch_norm_with_update_functional.default": _batch_norm_with_update,
    "aten.instance_norm.default": instance_norm,
    "aten.layer_norm.default": layer_norm,
    "aten.native_layer_norm.default": native_layer_norm,
    "aten.group_norm.default": group_norm,
    "aten.native_group_norm.default": native_group_norm,
    "aten.softmax.int": softmax,
    "aten._softmax.default": softmax,
    "aten.log_softmax.int": log_softmax,
    "aten._log_softmax.default": log_softmax,
    "aten.native_dropout.default": native_dropout,
}
