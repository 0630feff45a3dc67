"""What scalars are called in LLVM's text: types in registers and in memory, numbers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute

from ....dialects import ELEMENT_TYPES

_FLOATS: Mapping[type[Attribute], tuple[str, str]] = {
    each.__class__: (row.memory, f"f{each.bitwidth}")
    for each, row in ELEMENT_TYPES.items()
    if isinstance(each, AnyFloat)
}
"""
What floats are in registers, and in the names of intrinsics, by their classes, which
have no parameters.
"""


def type_text(type: Attribute, lanes: int = 1) -> str:
    """The type of a value in a register: one element, or a vector of several."""
    # By the class itself: each value that is written asks, and `isinstance` of xDSL's
    # abstract classes takes longer than the rest.
    kind = type.__class__
    if kind is IntegerType:
        name = f"i{cast(IntegerType, type).width.data}"
    elif kind is IndexType:
        name = "i64"
    elif kind in _FLOATS:
        name, _ = _FLOATS[kind]
    else:
        name = ELEMENT_TYPES[type].memory
    return name if lanes == 1 else f"<{lanes} x {name}>"


def memory_text(type: Attribute, lanes: int = 1) -> str:
    """The type of an element in memory, where a boolean takes a byte."""
    name = ELEMENT_TYPES[type].memory
    return name if lanes == 1 else f"<{lanes} x {name}>"


def suffix(type: Attribute, lanes: int = 1) -> str:
    """How an intrinsic's name says that it is of this type."""
    kind = type.__class__
    name = _FLOATS[kind][1] if kind in _FLOATS else type_text(type)
    return name if lanes == 1 else f"v{lanes}{name}"


def memory_suffix(type: Attribute, lanes: int) -> str:
    """How an intrinsic's name says that it accesses vectors of such elements."""
    name = ELEMENT_TYPES[type].memory
    return f"v{lanes}{name if name.startswith('i') else type}"


def number_text(value: Attribute) -> str:
    """A number, exactly."""
    match value:
        case FloatAttr():
            number = value.value.data
            if isinstance(value.type, Float32Type):
                number = _to_single(number)
            (bits,) = struct.unpack("<Q", struct.pack("<d", number))
            return f"0x{bits:016X}"
        case IntegerAttr():
            if value.type == i1:
                return "true" if value.value.data else "false"
            return str(value.value.data)
        case _:
            raise AssertionError(f"kernels compute with numbers, got {value}")


def _to_single(number: float) -> float:
    """The nearest single-precision number, infinity where it is too large."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


class Value(NamedTuple):
    """A value in the text: one scalar, or a vector of `lanes` of them."""

    # A tuple, since kernels have hundreds of thousands: it is made in a third of the
    # time that a frozen dataclass takes.

    text: str
    type: Attribute
    lanes: int = 1

    @property
    def is_literal(self) -> bool:
        """Whether the text is a number."""
        return not self.text.startswith("%")

    @property
    def typed(self) -> str:
        """The type and the text, as an argument is written."""
        return f"{type_text(self.type, self.lanes)} {self.text}"
