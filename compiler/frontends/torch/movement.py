"""Operators that move elements: shapes, orders of axes, tensors put together."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects.dims import Dim, product
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.concat_list import ConcatListOp
from ....dialects.graph.ops.containers import ListConstructOp
from ....dialects.graph.ops.diagonal import DiagonalOp
from ....dialects.graph.ops.expand import ExpandOp
from ....dialects.graph.ops.permute import PermuteOp
from ....dialects.graph.ops.slice import SliceOp
from ....dialects.graph.ops.unfold import UnfoldOp
from ....dialects.shape import normalize_axis
from .call import Call, Reader, Result, reshape, shape_of


def view(call: Call, x: SSAValue, *_: object) -> Result:
    """The elements under the shape of the result."""
    return reshape(x, *call.shape)


def permute(call: Call, x: SSAValue, order: Sequence[int]) -> Result:
    """The axes in another order."""
    rank = len(shape_of(x))
    return reorder(x, [normalize_axis(each, rank) for each in order])


def transpose(call: Call, x: SSAValue, a: int, b: int) -> Result:
    """Two axes changed for each other."""
    rank = len(shape_of(x))
    order = list(range(rank))
    if rank:
        order[a], order[b] = order[b], order[a]
    return reorder(x, order)


def turn(call: Call, x: SSAValue) -> Result:
    """A matrix with its axes changed; a vector is itself."""
    return reorder(x, list(reversed(range(len(shape_of(x))))))


def reorder(x: SSAValue, order: Sequence[int]) -> SSAValue:
    """The tensor whose axis `i` is axis `order[i]`, or itself when that is the same."""
    if list(order) == sorted(order):
        return x
    return PermuteOp(x, order=tuple(order)).result


def expand(call: Call, x: SSAValue, *_: object) -> Result:
    """The tensor repeated along axes of size one to the shape of the result."""
    return expand_to(x, call.shape)


def expand_to(x: SSAValue, shape: Sequence[Dim]) -> SSAValue:
    """The tensor repeated along axes of size one, or itself when none is."""
    if shape_of(x) == tuple(shape):
        return x
    return ExpandOp(x, shape=to_names(shape)).result


def repeat(call: Call, x: SSAValue, counts: Sequence[Dim]) -> Result:
    """The tensor put after itself, `counts` times along each axis."""
    shape = (*(1 for _ in counts[len(shape_of(x)) :]), *shape_of(x))
    apart = [each for size in shape for each in (1, size)]
    wide = [each for pair in zip(counts, shape, strict=True) for each in pair]
    return reshape(expand_to(reshape(x, *apart), wide), *call.shape)


def copy(call: Call, x: SSAValue, source: SSAValue, *_: object) -> Result:
    """The second tensor with the shape and the type of the first."""
    return expand_to(call.as_tensor(source, call.element), call.shape)


def concat(call: Call, tensors: Sequence[SSAValue], axis: int = 0) -> Result:
    """The tensors one after the other along an axis, empty vectors left out."""
    kept = [each for each in tensors if shape_of(each) != (0,)] or tensors[:1]
    return concat_list(call, kept, axis)


def stack(call: Call, tensors: Sequence[SSAValue], axis: int = 0) -> Result:
    """The tensors one after the other along a new axis."""
    place = normalize_axis(axis, len(call.shape))
    one = (*call.shape[:place], 1, *call.shape[place + 1 :])
    return concat_list(call, [reshape(each, *one) for each in tensors], place)


def concat_list(call: Call, tensors: Sequence[SSAValue], axis: int) -> SSAValue:
    """The elements of a list of tensors, one after the other."""
    same = [call.as_tensor(each, call.element) for each in tensors]
    return ConcatListOp(ListConstructOp(*same), axis=axis).result


def flip(call: Call, x: SSAValue, axes: Sequence[int]) -> Result:
    """The elements in the reverse order along some axes."""
    shape = shape_of(x)
    turned = {normalize_axis(each, len(shape)) for each in axes}
    starts = [size - 1 if axis in turned else 0 for axis, size in enumerate(shape)]
    steps = tuple(-1 if axis in turned else 1 for axis in range(len(shape)))
    return SliceOp(
        x, starts=to_names(starts), sizes=to_names(shape), steps=steps
    ).result


def unfold(call: Call, x: SSAValue, axis: int, size: int, step: int) -> SSAValue:
    """Every `step` elements a row of the `size` from there on, along a last axis."""
    if not (shape := shape_of(x)):
        return reshape(unfold(call, reshape(x, 1), 0, size, step), size)
    place = normalize_axis(axis, len(shape))
    before, after = shape[:place], shape[place + 1 :]
    flat = reshape(x, product(before), 1, shape[place], product(after))
    rows = UnfoldOp(flat, kernel=(size, 1), strides=(step, 1), dilation=(1, 1)).result
    return reshape(rows, *before, shape_of(rows)[2], *after, size)


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
    "aten.t.default": turn,
    "aten.expand.default": expand,
    "aten.repeat.default": repeat,
    "aten.diagonal.default": diagonal,
    "aten.copy.default": copy,
    "aten.cat.default": concat,
    "aten.stack.default": stack,
    "aten.flip.default": flip,
    "aten.unfold.default": unfold,
}
