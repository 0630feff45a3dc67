"""The element types that ONNX and the compiler share."""

from __future__ import annotations

from onnx import TensorProto

from ....dialects import DTYPES, ELEMENT_TYPES, Element
from ..unsupported import WrongElement

NUMBERS = {type: ELEMENT_TYPES[type].onnx for type in DTYPES}
"""The number of each element type in ONNX."""

_NAMES: dict[int, str] = {
    number: name.lower() for name, number in TensorProto.DataType.items()
}
"""ONNX's names of its element types."""

TYPES = {element: f"tensor({_NAMES[number]})" for element, number in NUMBERS.items()}
"""The names of tensor types in ONNX's signatures."""

ANY_TYPE = frozenset(TYPES.values())
"""The names of all of them."""

_ELEMENTS = {number: element for element, number in NUMBERS.items()}


def element(number: int) -> Element:
    """The element type with this number in ONNX; raises `Unsupported` for others."""
    if number not in _ELEMENTS:
        known = (_NAMES[each] for each in _ELEMENTS)
        raise WrongElement(_NAMES.get(number, str(number)), known)
    return _ELEMENTS[number]
