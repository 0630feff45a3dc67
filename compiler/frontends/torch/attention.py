"""Scaled dot-product attention, which torch would take apart while it infers shapes."""

from __future__ import annotations

from math import inf, sqrt

from xdsl.dialects.builtin import UnitAttr, f64, i1
from xdsl.ir import SSAValue

from ....dialects import Dim, floordiv, tensor_type
from ....dialects.graph import (
    AddOp,
    DivOp,
    EqOp,
    LeOp,
    MatmulOp,
    MulOp,
    ReduceMaxOp,
    SoftmaxOp,
    SqrtOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    number,
    number_like,
    permuted,
    quantity,
    reshaped,
    shape_of,
    times,
)
from ..unsupported import Training, Unsupported
from .call import Call, Reader, Result


def attention(
    call: Call,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    mask: SSAValue | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    in_groups: bool = False,
) -> Result:
    """
    The mean of the values, weighted by the softmax of scaled products of queries and
    keys; weights are zero in a row that the mask hides.

    With `in_groups` several heads of queries share one head of keys and values: these
    heads are an axis of their own, so that nothing is repeated.
    """
    if dropout:
        raise Training("elements dropped at random, as in training")
    if in_groups:
        query, key, value, mask = with_groups(query, key, value, mask)
    scores = scores_of(query, key, scale)
    if is_causal:
        scores = WhereOp(_not_after(scores), scores, number_like(-inf, scores)).result
    if mask is not None:
        scores = masked(scores, mask)
    weights = weights_of(scores, mask is not None)
    return reshaped(MatmulOp(weights, value).result, call.shape)


def scores_of(query: SSAValue, key: SSAValue, scale: float | None) -> SSAValue:
    """
    The scaled products of queries and keys; without a scale, that is one by the root of
    their width.
    """
    rank, width = len(shape_of(key)), shape_of(query)[-1]
    turned = permuted(key, [*range(rank - 2), rank - 1, rank - 2])
    if scale is None and isinstance(width, int):
        scale = 1 / sqrt(width) if width else 1.0
    if scale is not None:
        return MatmulOp(times(query, scale), turned).result
    root = SqrtOp(quantity(width, f64))
    part = convert(DivOp(number(1, f64), root).result, tensor_type(query).element_type)
    return MatmulOp(MulOp(query, part), turned).result


def weights_of(scores: SSAValue, is_masked: bool) -> SSAValue:
    """
    The softmax of scores; where some are masked, as minus infinity, a row that has no
    others has weights of zero.
    """
    weights = SoftmaxOp(scores, axis=-1).result
    return _unless_all_masked(scores, weights) if is_masked else weights


def with_groups(
    query: SSAValue, key: SSAValue, value: SSAValue, mask: SSAValue | None
) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue | None]:
    """The operands with heads in groups: an axis of groups, and one of their heads."""
    *_, heads, _, _ = shape_of(query)
    *_, groups, _, _ = shape_of(key)
    if groups == 0:
        raise Unsupported(f"{heads} heads that share 0 heads of keys")
    size = floordiv(heads, groups)
    if mask is not None and len(shape_of(mask)) > 2:
        *_, masks, _, _ = shape_of(mask)
        mask = _split(mask, *((1, 1) if masks == 1 else (groups, size)))
    alone = _split(key, groups, 1), _split(value, groups, 1)
    return _split(query, groups, size), *alone, mask


def _split(x: SSAValue, groups: Dim, size: Dim) -> SSAValue:
    """A tensor with the axis before the last two as two axes."""
    *outer, _, rows, columns = shape_of(x)
    return reshaped(x, [*outer, groups, size, rows, columns])


def _not_after(scores: SSAValue) -> SSAValue:
    """Whether the key of each score is at the place of the query, or before it."""
    *_, rows, columns = shape_of(scores)
    return LeOp(counted(columns, 1, 2), counted(rows, 0, 2)).result


def masked(scores: SSAValue, mask: SSAValue) -> SSAValue:
    """The scores where a mask is true, or with the numbers of a mask added."""
    if tensor_type(mask).element_type == i1:
        return WhereOp(mask, scores, number_like(-inf, scores)).result
    return AddOp(scores, convert(mask, tensor_type(scores).element_type)).result


def _unless_all_masked(scores: SSAValue, weights: SSAValue) -> SSAValue:
    """The weights, but for rows without any score, which are NaN, zero."""
    last = len(shape_of(scores)) - 1
    greatest = ReduceMaxOp(
        scores, axes=(last,), keepdims=True, or_identity=UnitAttr()
    ).result
    is_empty = EqOp(greatest, number_like(-inf, greatest))
    return WhereOp(is_empty, number_like(0, weights), weights).result


READERS: dict[str, Reader] = {
    "aten.scaled_dot_product_attention.default": attention,
}
