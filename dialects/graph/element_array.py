"""
Arrays of elements as numbers, and numbers as elements: what a cast of arrays means.

numpy computes with floats of 16 bits in f32 and rounds each result, and knows no bf16
and nothing narrower: so references take and make f32 in their place (`op.py`), and
bytes in the place of integers of 4 and 2 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, bf16, f16, f32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ..element_type import ELEMENT_TYPES
from ..shape import Array, tensor_type
from . import narrow_float
from .bf16 import narrow, widen


def to_numbers(array: Array, element: Attribute) -> Array:
    """
    The numbers that elements are; a float of 16 bits or fewer is the f32 of its value,
    an integer of fewer than 8 a byte.
    """
    if element == bf16:
        return widen(array)
    if element == f16:
        return array.astype(np.float32)
    row = ELEMENT_TYPES.get(element)
    if row is None or not row.is_stored:
        return array
    if row.format is not None:
        return narrow_float.widen(array, row.format)
    kind = np.int8 if row.is_signed else np.uint8
    unused = kind(8 - row.bits)
    return (np.ascontiguousarray(array).view(kind) << unused) >> unused


def to_elements(numbers: Any, element: Attribute) -> Array:
    """
    Numbers as elements of a type. A float is rounded once; as an integer it is
    truncated, saturates, and NaN is zero; of an integer the low bits are kept.
    """
    row, array = ELEMENT_TYPES[element], np.asarray(numbers)
    if element == bf16:
        return narrow(_to_odd(array))
    if row.format is not None:
        return narrow_float.narrow(_to_odd(array), row.format).view(row.dtype)
    if row.is_stored:
        whole = _to_whole(array, np.dtype(np.int8), row.limits).view(np.uint8)
        return (whole & np.uint8((1 << row.bits) - 1)).view(row.dtype)
    if row.dtype.kind in "iu":
        return _to_whole(array, row.dtype, row.limits)
    with np.errstate(over="ignore"):
        return array.astype(row.dtype)


def _to_whole(array: Array, kind: np.dtype[Any], limits: tuple[float, float]) -> Array:
    """
    Numbers as integers: floats within these limits, of integers the low bits.
    """
    if array.dtype.kind != "f":
        return array.astype(kind)
    least, most = limits
    whole = np.nan_to_num(np.trunc(array), nan=0, posinf=np.inf, neginf=-np.inf)
    low, high = float(least), float(most)
    inside = (whole >= low) & (whole < high)
    converted = np.where(inside, whole, 0).astype(kind)
    converted = np.where(whole < low, np.array(least, kind), converted)
    return np.where(whole >= high, np.array(most, kind), converted)


def computed(
    reference: Callable[..., Array | tuple[Array, ...]],
    arrays: Sequence[Array],
    values: Mapping[str, Any],
    op: Operation | None,
) -> tuple[Array, ...]:
    """
    What a reference computes: of elements as they are stored, or where it is that of an
    `op` of f32 in the place of floats of 16 bits, and rounded.
    """
    if op is not None:
        arrays = [*map(to_numbers, arrays, map(_element_of, op.operands))]
    found = reference(*arrays, **values)
    results = found if isinstance(found, tuple) else (found,)
    if op is None:
        return results
    return tuple(map(_rounded, results, map(_element_of, op.results)))


def stored_type(operands: Sequence[SSAValue]) -> Attribute | None:
    """The type of the first tensor whose elements are only stored, if there is one."""
    for each in operands:
        row = ELEMENT_TYPES.get(_element_of(each))
        if row is not None and row.is_stored:
            return each.type
    return None


def as_computed(type: Attribute) -> Attribute:
    """A type of elements that are only stored, with such as are computed with."""
    if not isa(type, TensorType):
        return type
    row = ELEMENT_TYPES.get(type.element_type)
    if row is None or not row.is_stored:
        return type
    element = i64 if row.format is None else f32
    return TensorType(element, type.shape, type.encoding)


def _rounded(array: Array, element: Attribute) -> Array:
    """What a reference computed, as elements where these are floats of 16 bits."""
    row = ELEMENT_TYPES.get(element)
    if row is None or not row.is_half or array.dtype == row.dtype:
        return array
    return to_elements(array, element)


def _element_of(value: SSAValue) -> Attribute:
    """The element type of a tensor; what is no tensor has its own type."""
    type: Attribute = value.type
    if not isinstance(type, TensorType):
        return type
    return tensor_type(cast(Attribute, type)).element_type


def _to_odd(array: Array) -> Array:
    """
    Numbers as f32, which are rounded again: of the two f32 beside an f64 the one whose
    last bit is set, so that both roundings are one. Integers are rounded twice, as
    frameworks do.
    """
    with np.errstate(over="ignore"):
        near = np.asarray(array, np.float32)
    if array.dtype != np.float64:
        return near
    back, bits = near.astype(np.float64), near.view(np.int32)
    lower = bits - (np.abs(back) > np.abs(array)).astype(np.int32)
    off = (back != array) & ~np.isnan(array)
    return np.where(off, lower | 1, bits).astype(np.int32).view(np.float32)
