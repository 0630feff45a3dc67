"""Conversion between attributes and values of Python and numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from ..dims import Dim, SizeError
from ..shape import DTYPES, ELEMENTS, Array, sizes, tensor, tensor_type

Literal: TypeAlias = DenseIntOrFPElementsAttr

_Number: TypeAlias = bool | int | float | np.integer[Any] | np.floating[Any]
Value: TypeAlias = _Number | str | tuple[Any, ...] | Array | Attribute
"""The Python value of a property of an op."""


def to_array(literal: Literal) -> Array:
    """The elements of a literal, as a read-only array of its shape and dtype."""
    type = tensor_type(literal.get_type())
    shape = tuple(int(str(size)) for size in sizes(type))
    if type.element_type == i1:
        return (np.frombuffer(literal.data.data, np.uint8) != 0).reshape(shape)
    return np.frombuffer(literal.data.data, DTYPES[type.element_type]).reshape(shape)


def _to_literal(array: Array) -> Literal:
    """The literal with the elements, the shape and the dtype of `array`."""
    bits = array.astype(np.uint8) * 255 if array.dtype == np.bool_ else array
    data = np.ascontiguousarray(bits).tobytes()
    type = tensor(ELEMENTS[array.dtype], *array.shape)
    return DenseIntOrFPElementsAttr(type, BytesAttr(data))


def to_attribute(value: Value) -> Attribute:
    """
    The attribute that holds `value`: i64, f64, i1, string, array or literal.

    Raises `SizeError` for a number that does not fit into 64 bits.
    """
    match value:
        case Attribute():
            return value
        case bool():
            return IntegerAttr(int(value), i1)
        case int() | np.integer():
            return IntegerAttr(checked(int(value)), i64)
        case float() | np.floating():
            return FloatAttr(float(value), f64)
        case str():
            return StringAttr(value)
        case tuple():
            if all(isinstance(each, int) for each in value):
                return DenseArrayBase.from_list(i64, list(map(checked, value)))
            return ArrayAttr([to_attribute(each) for each in value])
        case _:
            return _to_literal(value)


def checked(number: int) -> int:
    """The number; raises `SizeError` when it does not fit into 64 bits."""
    if not -(2**63) <= number < 2**63:
        raise SizeError(f"expected a number of 64 bits, got {number}")
    return number


def _number(attribute: IntegerAttr[Any]) -> int | bool:
    number = attribute.value.data
    return bool(number) if attribute.type == i1 else number


_READERS: dict[type[Attribute], Callable[[Any], Any]] = {
    IntegerAttr: _number,
    FloatAttr: lambda attribute: attribute.value.data,
    StringAttr: lambda attribute: attribute.data,
    UnitAttr: lambda attribute: True,
    DenseArrayBase: lambda attribute: attribute.get_values(),
    ArrayAttr: lambda attribute: tuple(map(_to_value, attribute.data)),
    DenseIntOrFPElementsAttr: to_array,
}
"""How each attribute is read, by its class; none of these has subclasses."""


def _to_value(attribute: Attribute) -> Any:
    """The Python value of `attribute`, or the attribute itself when it has none."""
    read = _READERS.get(attribute.__class__)
    return attribute if read is None else read(attribute)


def to_names(dims: Iterable[Dim]) -> ArrayAttr[StringAttr]:
    """The attribute that holds dimensions as text."""
    return ArrayAttr([StringAttr(str(each)) for each in dims])


def to_values(attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    """The Python values of `attributes`."""
    return {name: _to_value(attribute) for name, attribute in attributes.items()}


def texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """The dimension texts of a property: one, or several."""
    return (value,) if isinstance(value, str) else value
