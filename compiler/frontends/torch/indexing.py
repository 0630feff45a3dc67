"""Operators that read or update elements of a tensor at indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects import Dim, broadcast, normalize_axis, product, tensor_type
from ....dialects.graph import (
    AddOp,
    ConcatOp,
    CumsumOp,
    GatherNdOp,
    GatherOp,
    IndexSelectOp,
    ScatterNdOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    at_index,
    convert,
    distinct,
    expanded,
    number,
    number_like,
    part,
    permuted,
    progression,
    quantity,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result
from .data_dependent import places, size_beside_masks, without_masks
from .selection import first_place


@dataclass(frozen=True)
class _Lookup:
    """Advanced indexing along some axes of a tensor, as in numpy and torch."""

    shape: tuple[Dim, ...]
    """The dimensions of the tensor."""

    axes: tuple[int, ...]
    numbers: tuple[SSAValue, ...]
    """The indices along each of these axes; they broadcast."""

    @classmethod
    def of(cls, x: SSAValue, indices: Sequence[SSAValue | None]) -> _Lookup:
        """The lookup of `x` by indices, where None means a whole axis."""
        given = [(axis, each) for axis, each in enumerate(indices) if each is not None]
        if any(tensor_type(each).element_type == i1 for _, each in given):
            raise Unsupported("a mask, which makes a size depend on data")
        axes, numbers = zip(*given, strict=True) if given else ((), ())
        return cls(shape_of(x), axes, numbers)

    @property
    def outer(self) -> tuple[Dim, ...]:
        """The dimensions that the indices broadcast to."""
        return broadcast(*map(tensor_type, self.numbers))

    @property
    def rest(self) -> tuple[Dim, ...]:
        """The dimensions along the axes without indices."""
        return tuple(n for axis, n in enumerate(self.shape) if axis not in self.axes)

    @property
    def before(self) -> int:
        """
        The number of axes of the result before the axes of the indices.

        The axes of the indices are at the first indexed axis, or first when the indexed
        axes are not adjacent.
        """
        first, last = self.axes[0], self.axes[-1]
        return first if last - first == len(self.axes) - 1 else 0

    @property
    def result(self) -> tuple[Dim, ...]:
        """The dimensions of the result."""
        at = self.before
        return (*self.rest[:at], *self.outer, *self.rest[at:])

    @property
    def order(self) -> list[int]:
        """
        The permutation to the result from a tensor with the axes of the indices first.
        """
        count, at = len(self.outer), self.before
        rest = [count + each for each in range(len(self.rest))]
        return [*rest[:at], *range(count), *rest[at:]]

    def rows(self) -> SSAValue:
        """The indices as one tensor of index tuples along its last axis."""
        columns = [
            reshaped(expanded(convert(each, i64), self.outer), [*self.outer, 1])
            for each in self.numbers
        ]
        if len(columns) == 1:
            return columns[0]
        return ConcatOp(*columns, axis=len(self.outer)).result


def index(call: Call, x: SSAValue, indices: Sequence[SSAValue | None]) -> Result:
    """The elements at indices along some axes; negative indices count from the end."""
    lookup = _Lookup.of(x, without_masks(call, indices))
    if not lookup.axes:
        return x
    if len(lookup.axes) == 1:
        return IndexSelectOp(
            x, lookup.numbers[0], axis=lookup.axes[0], wraps=True
        ).result
    found = GatherNdOp(x, lookup.rows(), axes=lookup.axes, batch_dims=0, wraps=True)
    return permuted(found.result, lookup.order)


def index_put(
    call: Call,
    x: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
    accumulate: bool = False,
    *_: object,
) -> Result:
    """The tensor with values stored at indices, or added to its elements."""
    masks = [
        (axis, each)
        for axis, each in enumerate(indices)
        if each is not None and tensor_type(each).element_type == i1
    ]
    if masks and len([each for each in indices if each is not None]) == 1:
        axis, mask = masks[0]
        place = _axis_of_true(x, axis, mask, values)
        if place is None:
            return _put_masked(x, axis, mask, values, accumulate)
        given: Any = call.node.args[2]
        rows = places(call, mask, given.meta["val"].shape[place])
        each_axis = range(len(shape_of(mask)))
        indices = [*indices[:axis], *(at_index(rows, 1, each) for each in each_axis)]
    elif masks and (count := size_beside_masks(call)) is not None:
        indices = without_masks(call, indices, count)
    lookup = _Lookup.of(x, indices)
    if not lookup.axes:
        raise Unsupported("no indices")
    order = lookup.order
    back = [order.index(each) for each in range(len(order))]
    updates = permuted(
        expanded(call.as_tensor(values, call.element), lookup.result), back
    )
    return ScatterNdOp(
        x,
        lookup.rows(),
        updates,
        axes=lookup.axes,
        wraps=True,
        reduction="add" if accumulate else "none",
    ).result


def _axis_of_true(
    x: SSAValue, axis: int, mask: SSAValue, values: SSAValue
) -> int | None:
    """The axis along which values have one for each true element, if there is one."""
    shape = shape_of(values)
    place = len(shape) - 1 - (len(shape_of(x)) - axis - len(shape_of(mask)))
    return place if place >= 0 and shape[place] != 1 else None


def _put_masked(
    x: SSAValue, axis: int, mask: SSAValue, values: SSAValue, accumulate: bool
) -> SSAValue:
    """The tensor with values where a mask over the axes from `axis` on is true."""
    masked, shape = len(shape_of(mask)), list(shape_of(values))
    after = len(shape_of(x)) - axis - masked
    if len(shape) > after:
        place = len(shape) - after - 1
        shape[place : place + 1] = [1] * masked
    where = reshaped(mask, [*shape_of(mask), *([1] * after)])
    updates = reshaped(values, shape)
    return WhereOp(where, AddOp(x, updates) if accumulate else updates, x).result


def index_select(call: Call, x: SSAValue, axis: int, indices: SSAValue) -> Result:
    """The slices along an axis at indices."""
    if not shape_of(x):
        return x
    result = IndexSelectOp(x, indices, axis=axis, wraps=False).result
    return reshaped(result, call.shape)


def take(call: Call, x: SSAValue, indices: SSAValue) -> Result:
    """The elements at indices into all of them, which count from the end below zero."""
    flat = reshaped(x, [product(shape_of(x))])
    return IndexSelectOp(flat, indices, axis=0, wraps=True).result


def at_least_one_axis(value: SSAValue) -> SSAValue:
    """The tensor; one of rank 0 becomes a vector of one element, as in torch."""
    return value if shape_of(value) else reshaped(value, [1])


def gather(call: Call, x: SSAValue, axis: int, indices: SSAValue, *_: object) -> Result:
    """The elements at indices along one axis; torch takes none of them of any rank."""
    if 0 in shape_of(indices):
        return expanded(number_like(0, x), call.shape)
    x, indices = at_least_one_axis(x), at_least_one_axis(indices)
    return reshaped(GatherOp(x, indices, axis=axis, wraps=False).result, call.shape)


def put(
    call: Call,
    x: SSAValue,
    indices: SSAValue,
    values: SSAValue,
    accumulate: bool = False,
) -> Result:
    """The tensor with values at linear indices."""
    count = product(shape_of(indices))
    row = ScatterNdOp(
        reshaped(x, [product(shape_of(x))]),
        reshaped(indices, [count, 1]),
        reshaped(values, [count]),
        axes=(0,),
        wraps=True,
        reduction="add" if accumulate else "none",
    )
    return reshaped(row.result, call.shape)


def slice_scatter(
    call: Call,
    x: SSAValue,
    source: SSAValue,
    axis: int = 0,
    start: Dim | None = None,
    end: Dim | None = None,
    step: int = 1,
) -> Result:
    """The tensor with a slice replaced by another tensor."""
    shape = shape_of(x)
    place = normalize_axis(axis, len(shape))
    size = shape_of(source)[place]
    if size == 0:
        return x
    source = convert(source, call.element)
    first = first_place(start, shape[place], size)
    if step == 1:
        last = first + size
        return ConcatOp(
            part(x, place, 0, first),
            source,
            part(x, place, last, shape[place] - last),
            axis=place,
        ).result
    places = progression(quantity(first, i64), step, size)
    return distinct.combined_at(x, places, source, "none", place)


def masked_scatter(call: Call, x: SSAValue, mask: SSAValue, source: SSAValue) -> Result:
    """The tensor with elements of another, in order, where a mask is true."""
    count = product(call.shape)
    chosen = reshaped(expanded(mask, call.shape), [count])
    so_far = CumsumOp(convert(chosen, i64), axis=0)
    zero, one = number(0, i64), number(1, i64)
    places = WhereOp(chosen, SubOp(so_far, one), zero)
    row = reshaped(source, [product(shape_of(source))])
    found = IndexSelectOp(row, places, axis=0, wraps=False)
    inside = expanded(x, call.shape)
    return WhereOp(
        reshaped(chosen, call.shape), reshaped(found.result, call.shape), inside
    ).result


READERS: dict[str, Reader] = {
    "aten.gather.default": gather,
    "aten.index.Tensor": index,
    "aten.index_put.default": index_put,
    "aten._index_put_impl.default": index_put,
    "aten.index_select.default": index_select,
    "aten.masked_scatter.default": masked_scatter,
    "aten.put.default": put,
    "aten.slice_scatter.default": slice_scatter,
    "aten.take.default": take,
}
