"""Operators that combine the elements, or the rows, with the same index."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.ir import SSAValue

from ....dialects import (
    ELEMENT_TYPES,
    Dim,
    Element,
    is_float,
    normalize_axis,
    tensor_type,
)
from ....dialects.graph import (
    Combiner,
    DivOp,
    FloorDivOp,
    ScatterNdOp,
    ScatterOp,
)
from ....dialects.graph.compose import (
    expanded,
    number,
    permuted,
    reshaped,
    shape_of,
)
from .call import Call, Operand, Reader, Result
from .indexing import at_least_one_axis

_COMBINERS: dict[str, Combiner] = {
    **{"add": "add", "sum": "add", "mean": "add"},
    **{"multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"},
}
"""How elements are combined, by torch's names."""

Scatter: TypeAlias = Callable[[SSAValue, SSAValue, str], SSAValue]
"""Builds a scatter: input, updates and the name of the reduction."""


def full(value: float, element: Element, *shape: Dim) -> SSAValue:
    """A tensor filled with one number."""
    return expanded(number(value, element), shape)


def _identity(combiner: Combiner, value: SSAValue) -> float:
    """The identity of a combiner for the element type of `value`."""
    if combiner in ("add", "mul"):
        return 0 if combiner == "add" else 1
    least, most = ELEMENT_TYPES[tensor_type(value).element_type].limits
    return least if combiner == "max" else most


def _reduce_into(
    x: SSAValue,
    updates: SSAValue,
    reduction: str,
    include_self: bool,
    scatter: Scatter,
) -> SSAValue:
    """The tensor with updates combined, with or without its own elements."""
    how, type = _COMBINERS[reduction], tensor_type(x)
    before = x
    if not include_self:
        start = full(_identity(how, x), type.element_type, *shape_of(updates))
        before = scatter(x, start, "none")
    total = scatter(before, updates, how)
    if reduction != "mean":
        return total
    one = full(1, type.element_type, *shape_of(updates))
    counts = full(1, type.element_type, *shape_of(x))
    if not include_self:
        counts = scatter(counts, full(0, type.element_type, *shape_of(updates)), "none")
    divide = DivOp if is_float(type) else FloorDivOp
    return divide(total, scatter(counts, one, "add")).result


def _scattered(combiner: Combiner | None, is_number: bool = False) -> Reader:
    """
    The reader of a scatter with this combiner, or that of its last argument: of a
    tensor, or of one number to all places.
    """

    def read(
        call: Call,
        x: SSAValue,
        axis: int,
        indices: SSAValue,
        source: Operand,
        reduction: str | None = None,
    ) -> Result:
        flat, at = at_least_one_axis(x), at_least_one_axis(indices)
        updates = call.as_tensor(source, call.element)
        if is_number:
            updates = expanded(updates, shape_of(at))
        else:
            updates = at_least_one_axis(updates)
        how = combiner if reduction is None else _COMBINERS[reduction]
        result = ScatterOp(
            flat, at, updates, axis=axis, wraps=False, reduction=how or "none"
        )
        return reshaped(result.result, call.shape)

    return read


def _scatter_reduce(
    call: Call,
    x: SSAValue,
    axis: int,
    indices: SSAValue,
    source: SSAValue,
    reduction: str,
    include_self: bool = True,
) -> Result:
    """The tensor with the elements of equal index combined."""
    flat, at = at_least_one_axis(x), at_least_one_axis(indices)

    def scatter(into: SSAValue, updates: SSAValue, how: str) -> SSAValue:
        return ScatterOp(
            into, at, updates, axis=axis, wraps=False, reduction=how
        ).result

    updates = at_least_one_axis(source)
    result = _reduce_into(flat, updates, reduction, include_self, scatter)
    return reshaped(result, call.shape)


def index_reduce(
    call: Call,
    x: SSAValue,
    axis: int,
    indices: SSAValue,
    source: SSAValue,
    reduction: str,
    include_self: bool = True,
) -> Result:
    """The tensor with the slices of equal index combined."""
    x, source = at_least_one_axis(x), at_least_one_axis(source)
    place = normalize_axis(axis, len(shape_of(x)))
    rows = reshaped(indices, [*shape_of(at_least_one_axis(indices)), 1])
    rest = [each for each in range(len(shape_of(x))) if each != place]

    def scatter(into: SSAValue, updates: SSAValue, how: str) -> SSAValue:
        return ScatterNdOp(
            into, rows, updates, axes=(place,), wraps=False, reduction=how
        ).result

    updates = permuted(source, [place, *rest])
    result = _reduce_into(x, updates, reduction, include_self, scatter)
    return reshaped(result, call.shape)


READERS: dict[str, Reader] = {
    "aten.index_reduce.default": index_reduce,
    "aten.scatter.src": _scattered(None),
    "aten.scatter.value": _scattered(None, is_number=True),
    "aten.scatter.reduce": _scattered(None),
    "aten.scatter.value_reduce": _scattered(None, is_number=True),
    "aten.scatter_add.default": _scattered("add"),
    "aten.scatter_reduce.two": _scatter_reduce,
}
