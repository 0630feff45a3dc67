"""Losses that torch keeps whole: the cross entropy of a linear layer."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects import is_float, tensor_type
from ....dialects.graph import (
    AddOp,
    DivOp,
    EqOp,
    GatherOp,
    IndexSelectOp,
    LinearOp,
    LogSoftmaxOp,
    MulOp,
    NegOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    expanded,
    number_like,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result


def _losses(
    x: SSAValue,
    classes: SSAValue,
    target: SSAValue,
    bias: SSAValue | None,
    weight: SSAValue | None,
    ignored: int,
) -> tuple[SSAValue, SSAValue]:
    """The loss of each sample, and its weight; both are zero of those ignored."""
    if is_float(tensor_type(target)):
        raise Unsupported("a cross entropy of probabilities")
    scores = LinearOp(x, classes).result
    if bias is not None:
        scores = AddOp(scores, bias).result
    count, _ = shape_of(scores)
    logs = LogSoftmaxOp(scores, axis=1).result
    skipped = EqOp(target, number_like(ignored, target)).result
    known = WhereOp(skipped, number_like(0, target), target).result
    column = reshaped(known, [count, 1])
    picked = GatherOp(logs, column, axis=1, wraps=False).result
    share = expanded(number_like(1, picked), [count])
    if weight is not None:
        share = IndexSelectOp(weight, known, axis=0, wraps=False).result
    zero = number_like(0, share)
    loss = NegOp(MulOp(reshaped(picked, [count]), share)).result
    # Of what is ignored the logarithm may be infinite.
    loss, share = (WhereOp(skipped, zero, each).result for each in (loss, share))
    return loss, share


def _cross_entropy(
    call: Call,
    x: SSAValue,
    classes: SSAValue,
    target: SSAValue,
    bias: SSAValue | None,
    weight: SSAValue | None,
    reduction: str,
    ignored: int,
    smoothing: float,
    *_: object,
) -> Result:
    """The loss of all samples; the other results are gradients, which training uses."""
    if smoothing:
        raise Unsupported("a cross entropy of smoothed labels")
    loss, share = _losses(x, classes, target, bias, weight, ignored)
    total = SumOp(loss, axes=(0,), keepdims=False).result
    if reduction == "mean":
        shares = SumOp(share, axes=(0,), keepdims=False)
        total = DivOp(total, shares).result
    return [total, *[None] * (len(call.node.meta["val"]) - 1)]


def _each_cross_entropy(
    call: Call,
    x: SSAValue,
    classes: SSAValue,
    target: SSAValue,
    bias: SSAValue | None,
    weight: SSAValue | None,
    ignored: int,
    *_: object,
) -> Result:
    """The loss of each sample."""
    return _losses(x, classes, target, bias, weight, ignored)[0]


_NAME = "torch_nn._linear_cross_entropy_batch_chunked"

READERS: dict[str, Reader] = {
    f"{_NAME}.default": _cross_entropy,
    f"{_NAME}_no_reduction.default": _each_cross_entropy,
}
