"""Sums of products whose elements are wider than those of the factors."""

from __future__ import annotations

from ...element_type import ELEMENT_TYPES, Element
from ...shape import DTYPES, Array, Tensor


def sum_element(a: Tensor, b: Tensor, to: Element | None) -> Element | None:
    """
    The element type of sums of products of two tensors; None where they have none.

    It is that of both, or, with `to`, what a load makes of the elements of each: so i32
    for bytes, whose signs may then differ.
    """
    if to is None:
        return a.element_type if a.element_type == b.element_type else None
    rows = [ELEMENT_TYPES[each.element_type] for each in (a, b)]
    return to if all(row.type != row.loaded == to for row in rows) else None


def widened(array: Array, to: Element | None) -> Array:
    """A factor with the elements of the sums."""
    return array if to is None else array.astype(DTYPES[to])
