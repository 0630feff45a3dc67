"""
Operators that read or write elements by their places in memory.

Where a tensor lies in memory torch says with the exported program. What is read or
written must be elements of it; then it is a look-up with constant indices.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from torch import fx
from xdsl.ir import SSAValue

from ....dialects import Array, Dim
from ....dialects.graph import IndexSelectOp
from ....dialects.graph.compose import (
    convert,
    distinct,
    expanded,
    part,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported, Varies
from .call import Call, Reader, Result

_MOST_PLACES = 1 << 27
"""Places in memory that are looked up, at most: their indices take 1 GiB."""


def _known(numbers: Sequence[Dim]) -> list[int]:
    """Sizes and strides that are numbers."""
    found = [each for each in numbers if isinstance(each, int)]
    if len(found) < len(numbers):
        raise Varies("places in memory that depend on sizes that vary", *numbers)
    return found


def _places(sizes: Sequence[int], strides: Sequence[int], first: int) -> Array:
    """The place of each element in memory."""
    if (count := prod(sizes)) > _MOST_PLACES:
        raise Unsupported(f"{count} places in memory, of {_MOST_PLACES} at most")
    if not count:
        return np.zeros(0, np.int64)
    places = np.array(first)
    for size, stride in zip(sizes, strides, strict=True):
        places = places[..., None] + np.arange(size) * stride
    return places


def _elements(
    call: Call, sizes: Sequence[Dim], strides: Sequence[Dim], first: Dim | None
) -> Array:
    """The index, in order, of that element of the operand that lies at each place."""
    node: Any = call.node.args[0]
    assert isinstance(node, fx.Node), "the operand is a tensor"
    operand: Any = node.meta["val"]
    shape = _known(call.sizes.shape(operand))
    begin = operand.storage_offset()
    wanted = _places(
        _known(sizes), _known(strides), *_known([begin if first is None else first])
    )
    there = _places(shape, _known(operand.stride()), *_known([begin])).reshape(-1)
    order = np.argsort(there, kind="stable")
    at = np.searchsorted(there[order], wanted)
    inside = at < len(order)
    index = order[np.where(inside, at, 0)] if len(order) else np.zeros_like(at)
    if not (inside & (there[index] == wanted)).all() if len(order) else wanted.size:
        raise Unsupported("elements of memory that are not those of its operand")
    return index


def as_strided(
    call: Call,
    x: SSAValue,
    sizes: Sequence[Dim],
    strides: Sequence[Dim],
    first: Dim | None = None,
) -> Result:
    """The elements of a tensor that lie at some places in memory."""
    # Of an axis along which all places are one, that is looked up once.
    pairs = zip(_known(sizes), _known(strides), strict=True)
    apart = [min(size, 1) if stride == 0 else size for size, stride in pairs]
    index = _elements(call, apart, strides, first).reshape(-1)
    flat = reshaped(x, [prod(_known(shape_of(x)))])
    begin = int(index[0]) if index.size else 0
    if np.array_equal(index, np.arange(begin, begin + index.size)):
        found = part(flat, 0, begin, index.size)
    else:
        indices = call.constant(index)
        found = IndexSelectOp(flat, indices, axis=0, wraps=False).result
    return expanded(reshaped(found, apart), call.shape)


def as_strided_scatter(
    call: Call,
    x: SSAValue,
    source: SSAValue,
    sizes: Sequence[Dim],
    strides: Sequence[Dim],
    first: Dim | None = None,
) -> Result:
    """The tensor with the elements at some places in memory replaced."""
    index = _elements(call, sizes, strides, first).reshape(-1)
    updates = reshaped(convert(source, call.element), [len(index)])
    flat = reshaped(x, [prod(_known(shape_of(x)))])
    result = distinct.combined_at(flat, call.constant(index), updates, "none")
    return reshaped(result, call.shape)


READERS: dict[str, Reader] = {
    "aten.as_strided.default": as_strided,
    "aten.as_strided_copy.default": as_strided,
    "aten.as_strided_scatter.default": as_strided_scatter,
}
