"""Normalizations: batch, layer and group norm, softmax."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects import Dim, product
from ....dialects.graph import (
    AlongAxisOp,
    BatchNormOp,
    DropoutOp,
    ExpandOp,
    LogSoftmaxOp,
    MulOp,
    SoftmaxOp,
    to_names,
)
from ....dialects.graph.compose import (
    number_like,
    reshaped,
    scaled_and_shifted,
    shape_of,
    standardized,
    with_channels,
)
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
) -> Sequence[SSAValue | None]:
    """Each channel normalized, and two results that only training uses."""
    channels = to_names(shape_of(mean))
    if scale is None:
        scale = ExpandOp(number_like(1, x), shape=channels).result
    if bias is None:
        bias = ExpandOp(number_like(0, x), shape=channels).result
    value = BatchNormOp(x, scale, bias, mean, variance, epsilon=epsilon).result
    return [value, None, None]


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
    rank = len(shape_of(x))
    axes = range(rank - len(normalized_shape), rank)
    unit = standardized(x, axes, epsilon)[0]
    return scaled_and_shifted(unit, scale, bias)


def native_layer_norm(call: Call, *arguments: object) -> Result:
    """The layer norm, and two results that only training uses."""
    value = layer_norm(call, *arguments)  # pyright: ignore[reportArgumentType]
    assert isinstance(value, SSAValue)
    return [value, None, None]


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
    n, channels, *spatial = shape_of(x)
    if not isinstance(channels, int):
        raise Varies(f"a number of channels that varies, {channels}", channels)
    elements = channels // groups * product(spatial)
    grouped = reshaped(x, [n, groups, elements])
    unit = standardized(grouped, (2,), epsilon)[0]
    return with_channels(reshaped(unit, shape_of(x)), scale, bias)


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
    """The group norm, and two results that only training uses."""
    value = group_norm(call, x, groups, scale, bias, epsilon)
    assert isinstance(value, SSAValue)
    return [value, None, None]


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
        value = batch_norm(call, x, *known)[0]
        assert value is not None, "the first result is the normalized image"
        return value
    unit = standardized(x, range(2, len(shape_of(x))), epsilon)[0]
    return with_channels(unit, scale, bias)


def _batch_norm_of_input(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    training: bool,
    momentum: float,
    epsilon: float,
) -> Result:
    """Each channel normalized by its own statistics; those are unsupported results."""
    axes = [axis for axis in range(len(shape_of(x))) if axis != 1]
    unit = standardized(x, axes, epsilon)[0]
    return [with_channels(unit, scale, bias), None, None]


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
    """The tensor, and a mask of dropped elements, which only training uses."""
    # Torch takes a missing flag for training.
    if training is False or ratio == 0:
        return [DropoutOp(x, ratio=float(ratio)).result, None]
    if ratio == 1:
        return [MulOp(x, number_like(0, x)).result, None]
    raise Training("elements dropped at random, as in training")


READERS: dict[str, Reader] = {
    "aten._native_batch_norm_legit_no_training.default": batch_norm,
    "aten._native_batch_norm_legit.no_stats": _batch_norm_of_input,
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
