"""Bags of rows of a table, each reduced to one row."""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Element, tensor_type
from ....dialects.graph import (
    Combiner,
    CumsumOp,
    DivOp,
    EmbeddingOp,
    EqOp,
    IndexSelectOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    MaximumOp,
    MulOp,
    NeOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    distinct,
    expanded,
    joined,
    number,
    number_like,
    part,
    quantity,
    reshaped,
    shape_of,
)
from .call import Call, Reader, Result
from .pooling import is_used
from .scattering import full

_SUM, _MEAN, _MAX = range(3)
"""Torch's numbers of the modes of an embedding bag."""


class _Bags:
    """The bags of some indices, by the places in which each begins."""

    def __init__(self, indices: SSAValue, offsets: SSAValue, padding: int):
        """The last of the bags begins at the last offset."""
        self.indices = indices
        (self.count,), (self.bags,) = shape_of(indices), shape_of(offsets)
        none, ones = full(0, i64, self.count + 1), full(1, i64, self.bags)
        begins = distinct.combined_at(none, convert(offsets, i64), ones, "add")
        begun = part(CumsumOp(begins, axis=0).result, 0, 0, self.count)
        self.numbers = SubOp(begun, number(1, i64)).result
        self.skipped: SSAValue | None = None
        """Whether each index is that of padding, which does not count."""
        if padding >= 0:
            self.skipped = EqOp(indices, number_like(padding, indices)).result

    def combined(self, updates: SSAValue, start: float, how: Combiner) -> SSAValue:
        """Rows, or numbers, one for each index, reduced to one for each bag."""
        whole = expanded(
            number_like(start, updates), [self.bags, *shape_of(updates)[1:]]
        )
        return distinct.combined_at(whole, self.numbers, updates, how)

    def without_skipped(self, values: SSAValue, instead: float) -> SSAValue:
        """Rows, or numbers, one for each index, with another number for padding."""
        if self.skipped is None:
            return values
        ones = [1] * (len(shape_of(values)) - 1)
        skipped = reshaped(self.skipped, [self.count, *ones])
        return WhereOp(skipped, number_like(instead, values), values).result

    def sizes(self, element: Element) -> SSAValue:
        """How many indices of each bag count."""
        ones = self.without_skipped(full(1, element, self.count), 0)
        return self.combined(ones, 0, "add")

    def first_equal(self, rows: SSAValue, most: SSAValue) -> SSAValue:
        """
        The index of the first row of each bag with the element that is the greatest of
        the bag, i64 for each column; 0 of a bag without rows.
        """
        beside = IndexSelectOp(most, self.numbers, axis=0, wraps=False).result
        found = EqOp(rows, beside).result
        found = LogicalOrOp(found, NeOp(rows, rows)).result
        if self.skipped is not None:
            counts = LogicalNotOp(reshaped(self.skipped, [self.count, 1]))
            found = LogicalAndOp(found, counts).result
        none = quantity(self.count, i64)
        places = WhereOp(found, counted(self.count, 0, 2), none).result
        whole = expanded(none, shape_of(most))
        first = distinct.combined_at(whole, self.numbers, places, "min")
        held = joined([convert(self.indices, i64), full(0, i64, 1)], 0)
        return IndexSelectOp(held, first, axis=0, wraps=False).result


def _but_last(x: SSAValue) -> SSAValue:
    """A tensor without the last of its rows."""
    return part(x, 0, 0, shape_of(x)[0] - 1)


def _ends_early(call: Call, padding: int) -> bool:
    """
    Whether torch adds up rows by one routine, for which the last of the offsets ends
    the last bag; it counts its indices to the end all the same.
    """
    table: Any = call.node.args[0]
    foreseen = table.meta["val"]
    is_short = foreseen.dtype in (torch.float32, torch.float16, torch.bfloat16)
    return padding < 0 and is_short and foreseen.stride()[1] == 1


def _embedding_bag(
    call: Call,
    table: SSAValue,
    indices: SSAValue,
    offsets: SSAValue,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    weights: SSAValue | None = None,
    include_last_offset: bool = False,
    padding: int = -1,
) -> Result:
    """
    The sum, mean or maximum of the rows of a table for each bag of indices; and what
    training needs: the bag of each index, the size of each bag, the greatest rows.
    """
    begins = _but_last(offsets) if include_last_offset else offsets
    bags = _Bags(indices, begins, padding)  # the last has all indices that are left
    element, nothing = tensor_type(table).element_type, -inf if mode == _MAX else 0
    rows = EmbeddingOp(table, indices).result
    if weights is not None:
        rows = MulOp(rows, reshaped(weights, [bags.count, 1])).result
    rows = bags.without_skipped(rows, nothing)
    how: Combiner = "max" if mode == _MAX else "add"
    if include_last_offset and mode != _MAX and _ends_early(call, padding):
        every = _Bags(indices, offsets, padding)
        found = most = _but_last(every.combined(rows, nothing, how))
    else:
        found = most = bags.combined(rows, nothing, how)
    if mode != _SUM:
        sizes = reshaped(bags.sizes(element), [bags.bags, 1])
        if mode == _MEAN:
            found = DivOp(found, MaximumOp(sizes, number(1, element))).result
        else:
            empty = EqOp(sizes, number(0, element))
            found = WhereOp(empty, number(0, element), found).result
    greatest = None
    if mode == _MAX and is_used(call, 3):
        greatest = bags.first_equal(rows, most)
    return [found, *_for_training(call, bags, mode, greatest)]


def _for_training(
    call: Call, bags: _Bags, mode: int, greatest: SSAValue | None
) -> list[SSAValue | None]:
    """
    The bag of each index, the size of each bag, and the greatest rows, where anything
    uses them. Of sums torch fills none of them but the first, and that only where
    padding is skipped; of means the last is the sizes again.
    """
    found: list[SSAValue | None] = [None, None, None]
    for place in (each for each in range(3) if is_used(call, each + 1)):
        type = call.types[place + 1]
        if place == 0 and not (mode == _SUM and bags.skipped is None):
            value = bags.numbers
        elif mode == _SUM:
            sizes = call.sizes.shape(call.node.meta["val"][place + 1])
            value = full(0, i64, *sizes)
        else:
            value = bags.sizes(i64) if greatest is None or place == 1 else greatest
        found[place] = convert(value, type.element_type)
    return found


READERS: dict[str, Reader] = {
    "aten._embedding_bag.default": _embedding_bag,  # of a weight that could be trained
    "aten._embedding_bag_forward_only.default": _embedding_bag,
}
