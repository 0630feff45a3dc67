"""Operators that move elements: reshape, permute, concatenate, unfold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, normalize_axis, product
from ....dialects.graph import (
    ConcatListOp,
    DiagonalOp,
    EqOp,
    IndexSelectOp,
    ListConstructOp,
    MinimumOp,
    UnfoldOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    counted,
    expanded,
    flipped,
    number_like,
    part,
    permuted,
    plus,
    repeated,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported, Varies
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
    if size == 0:
        count = shape[place] // step + 1
        return expanded(number_like(0, x), [*before, count, *after, 0])
    flat = reshaped(x, [product(before), 1, shape[place], product(after)])
    rows = UnfoldOp(flat, kernel=(size, 1), strides=(step, 1), dilation=(1, 1)).result
    return reshaped(rows, [*before, shape_of(rows)[2], *after, size])


def diagonal(
    call: Call, x: SSAValue, offset: int = 0, first: int = 0, second: int = 1
) -> Result:
    """A diagonal of two axes, as the last axis."""
    return DiagonalOp(x, axes=(first, second), offset=offset).result


def _diagonal_scatter(
    call: Call,
    x: SSAValue,
    source: SSAValue,
    offset: Dim = 0,
    first: int = 0,
    second: int = 1,
) -> Result:
    """The tensor with a diagonal of two axes replaced."""
    rank = len(shape_of(x))
    pair = [normalize_axis(each, rank) for each in (first, second)]
    rest = [each for each in range(rank) if each not in pair]
    order = [*rest, *pair]
    whole = permuted(x, order)
    *_, height, width = shape_of(whole)
    if not isinstance(offset, int):
        raise Varies(f"a diagonal at {offset}, which varies", offset)
    # An element of a diagonal has the number of its row or of its column; where there
    # is none, it is a zero after the diagonal, which nothing reads.
    *rows, count = shape_of(source)
    size, column = (height, [height, 1]) if offset >= 0 else (width, [1, width])
    zeros = expanded(number_like(0, source), [*rows, 1])
    both = ListConstructOp(source, zeros).result
    longer = ConcatListOp(both, axis=rank - 2).result
    counts = call.as_tensor(count, i64)
    numbers = MinimumOp(counted(size, 0, 1), counts).result
    chosen = IndexSelectOp(longer, numbers, axis=rank - 2, wraps=False).result
    across = reshaped(chosen, [*rows, *column])
    shifted = plus(counted(height, 0, 2), offset)
    mask = EqOp(shifted, counted(width, 1, 2)).result
    replaced = WhereOp(mask, across, whole).result
    return permuted(replaced, [order.index(each) for each in range(rank)])


def _resized(call: Call, x: SSAValue, *_: object) -> Result:
    """The first elements of a tensor, in another shape."""
    have, wanted = (product(each) for each in (shape_of(x), call.shape))
    if not isinstance(have, int) or not isinstance(wanted, int) or wanted > have:
        raise Unsupported(f"{wanted} elements of memory, of which {have} are known")
    return reshaped(part(reshaped(x, [have]), 0, 0, wanted), call.shape)


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
    "aten.diagonal_scatter.default": _diagonal_scatter,
    "aten.resize.default": _resized,
    "aten.copy.default": copy,
    "aten.fill.Tensor": copy,
    "aten.cat.default": concat,
    "aten.stack.default": stack,
    "aten.flip.default": flip,
    "aten.unfold.default": unfold,
    "prims.collapse.default": view,
}
