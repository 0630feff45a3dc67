"""
Composite operators that programs of torch.export have in each layer, and that PyTorch
would decompose. They are read by name where a program is read as it was exported.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph import DropoutOp
from ....dialects.graph.compose import Number
from ..unsupported import Training
from . import creation, movement, normalization, pointwise, selection
from .call import Call, Reader, Result


def _batch_norm(
    call: Call,
    x: SSAValue,
    scale: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue | None,
    variance: SSAValue | None,
    training: bool,
    momentum: float,
    epsilon: float,
    *_: object,
) -> Result:
    """Each channel normalized by stored statistics."""
    if training or mean is None or variance is None:
        raise Training("statistics of the batch, as in training")
    known = (scale, bias, mean, variance, momentum, epsilon)
    return normalization.batch_norm(call, x, *known)[0]


def _dropout(call: Call, x: SSAValue, ratio: float, training: bool) -> Result:
    """The tensor itself, as in inference."""
    if training:
        raise Training("elements dropped at random, as in training")
    return DropoutOp(x, ratio=float(ratio)).result


def _arange(call: Call, end: Number, *_: object) -> Result:
    """The numbers from 0 to before `end`."""
    return creation.arange(call, 0, end, 1)


def _masked_fill(call: Call, x: SSAValue, mask: SSAValue, value: Number) -> Result:
    """The tensor with one number where a mask is true."""
    return pointwise.where(call, mask, value, x)


READERS: dict[str, Reader] = {
    **{
        f"aten.__{name}__.{form}": pointwise.READERS[f"aten.bitwise_{name}.{form}"]
        for name in ("and", "or", "xor")
        for form in ("Tensor", "Scalar")
    },
    "aten.arange.default": _arange,
    "aten.batch_norm.default": _batch_norm,
    "aten.chunk.default": selection.pieces(1),
    "aten.contiguous.default": pointwise.converted,
    "aten.dropout.default": _dropout,
    "aten.empty_like.default": creation.filled_with(0),
    "aten.expand_as.default": movement.expand,
    "aten.feature_dropout.default": _dropout,
    "aten.flatten.using_ints": movement.view,
    "aten.masked_fill.Scalar": _masked_fill,
    "aten.new_ones.default": creation.filled_with(1),
    "aten.new_zeros.default": creation.filled_with(0),
    "aten.reshape.default": movement.view,
    "aten.reshape_as.default": movement.view,
    "aten.to.device": pointwise.converted,
    "aten.to.dtype": pointwise.converted,
    "aten.to.dtype_layout": pointwise.converted,
    "aten.type_as.default": pointwise.converted,
    "aten.unflatten.int": movement.view,
    "aten.view_as.default": movement.view,
    "aten.where.ScalarOther": pointwise.where,
    "aten.where.ScalarSelf": pointwise.where,
}
"""None of these is among the operators that `run_decompositions` keeps whole."""
