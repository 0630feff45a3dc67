"""Operators that move elements: reshape, permute, concatenate, unfold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects import Dim, normalize_axis, product
from ....dialects.graph import ConcatListOp, DiagonalOp, ListConstructOp, UnfoldOp
from ....dialects.graph.compose import (
    expanded,
    flipped,
    permuted,
    repeated,
    reshaped,
    shape_of,
)
from .call import Call, Reader, Result


def view(call: Call, x: SSAValue, *_: object) -> Result:
    """The elements with the shape of the result."""
    return reshaped(x, call.shape)


def permute(call: Call, x: SSAValue, order: Sequence[int]) -> Result:
    """The tensor with its axes permuted."""
    rank = len(shape_of(x))
    return permuted(x, [normalize_axis(each, rank) for each in order])


def transpose(call: Call, x: SSAValue, a: int, b: int) -> Result:
    """The tensor with two axes exchanged."""
    rank = len(shape_of(x))
    order = list(range(rank))
    if rank:
        order[a], order[b] = order[b], order[a]
    return permuted(x, order)


def _turn(call: Call, x: SSAValue) -> Result:
    """The transpose of a matrix; a vector is itself."""
    return permuted(x, list(reversed(range(len(shape_of(x))))))


def expand(call: Call, x: SSAValue, *_: object) -> Result:
    """The tensor broadcast to the shape of the result."""
    return expanded(x, call.shape)


def repeat(call: Call, x: SSAValue, counts: Sequence[Dim]) -> Result:
    """The tensor repeated `counts` times along each axis."""
    return reshaped(repeated(x, counts), call.shape)


def copy(call: Call, x: SSAValue, source: SSAValue, *_: object) -> Result:
    """The second tensor broadcast and converted to the shape and type of the first."""
    return expanded(call.as_tensor(source, call.element), call.shape)


def concat(call: Call, tensors: Sequence[SSAValue], axis: int = 0) -> Result:
    """The concatenation of tensors along an axis; empty vectors are skipped."""
    kept = [each for each in tensors if shape_of(each) != (0,)] or tensors[:1]
    return _concat_list(call, kept, axis)


def stack(call: Call, tensors: Sequence[SSAValue], axis: int = 0) -> Result:
    """The tensors stacked along a new axis."""
    place = normalize_axis(axis, len(call.shape))
    one = (*call.shape[:place], 1, *call.shape[place + 1 :])
    return _concat_list(call, [reshaped(each, one) for each in tensors], place)


def _concat_list(call: Call, tensors: Sequence[SSAValue], axis: int) -> SSAValue:
    """The concatenation of the tensors of a list."""
    same = [call.as_tensor(each, call.element) for each in tensors]
    return ConcatListOp(ListConstructOp(*same), axis=axis).result


def flip(call: Call, x: SSAValue, axes: Sequence[int]) -> Result:
    """The elements in the reverse order along some axes."""
    rank = len(shape_of(x))
    return flipped(x, {normalize_axis(each, rank) for each in axes})


def unfold(call: Call, x: SSAValue, axis: int, size: int, step: int) -> SSAValue:
    """The windows of `size` elements at a stride of `step`, along a new last axis."""
    if not (shape := shape_of(x)):
        return reshaped(unfold(call, reshaped(x, [1]), 0, size, step), [size])
    place = normalize_axis(axis, len(shape))
    before, after = shape[:place], shape[place + 1 :]
    flat = reshaped(x, [product(before), 1, shape[place], product(after)])
    rows = UnfoldOp(flat, kernel=(size, 1), strides=(step, 1), dilation=(1, 1)).result
    return reshaped(rows, [*before, shape_of(rows)[2], *after, size])


def diagonal(
    call: Call, x: SSAValue, offset: int = 0, first: int = 0, second: int = 1
) -> Result:
    """A diagonal of two axes, as the last axis."""
    return DiagonalOp(x, axes=(first, second), offset=offset).result


READERS: dict[str, Reader] = {
    "aten.view.default": view,
    "aten._unsafe_view.default": view,
    "aten.unsqueeze.default": view,
    "aten.squeeze.default": view,
    "aten.squeeze.dim": view,
    "aten.squeeze.dims": view,
    "aten.permute.default": permute,
    "aten.transpose.int": transpose,
    "aten.t.default": _turn,
    "aten.expand.default": expand,
    "aten.repeat.default": repeat,
    "aten.diagonal.default": diagonal,
    "aten.copy.default": copy,
    "aten.cat.default": concat,
    "aten.stack.default": stack,
    "aten.flip.default": flip,
    "aten.unfold.default": unfold,
}
