"""
The element types of tensors: a row for each, which all others ask.

What a tensor stores is not always what a kernel computes with: an element is *widened*
to the compute type of its row when it is loaded, and narrowed when it is stored. The
body of an op has compute types only. A narrow integer is computed as a signed one that
has all of its values, so that its signedness is in its row, and in no op; u64 has no
wider type, and is computed as itself, by the unsigned forms of scalar ops
(`graph/scalar.py`). A float of 16 bits is computed as an f32.

Floats of 8 bits and fewer and integers of 4 and 2 bits are *stored*: ops move, convert
and quantise them, and compute nothing else with them. Each has a byte of its own: its
low bits, and zeros, as arrays of the package ml_dtypes have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute

from .float_format import E2M1, E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ, E8M0, FloatFormat

Element: TypeAlias = AnyFloat | IntegerType

_si2, _si4, si8, si16 = (IntegerType(bits, Signedness.SIGNED) for bits in (2, 4, 8, 16))
_ui2, _ui4, ui8, ui16, ui32, ui64 = (
    IntegerType(bits, Signedness.UNSIGNED) for bits in (2, 4, 8, 16, 32, 64)
)

BFLOAT16 = np.dtype([("bfloat16", "<u2")])
"""The dtype of arrays of bf16, which numpy lacks: their bits, told from numbers."""


@dataclass(frozen=True)
class ElementType:
    """One element type, and its names in MLIR, numpy, LLVM, ONNX and PyTorch."""

    type: Element
    numpy: str
    """The name of the dtype of its arrays, or what that would be called."""

    memory: str
    """LLVM's type of an element in memory."""

    compute: Element
    """What the bodies of ops compute with."""

    onnx: int
    """Its number in ONNX's `TensorProto.DataType`."""

    torch: str
    """The name of its `torch.dtype`; empty where that has several in a byte."""

    scalar_type: str
    """The name of its `ScalarType` in PyTorch."""

    scalar_number: int
    """The number of its `ScalarType`."""

    format: FloatFormat | None = None
    """How it is written, where it is a float of 8 bits or fewer."""

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its arrays within the compiler."""
        if self.is_stored:
            return np.dtype([(self.numpy, "u1")])
        return BFLOAT16 if self.type == bf16 else np.dtype(self.numpy)

    @cached_property
    def is_stored(self) -> bool:
        """Whether ops move, convert and quantise it, and do nothing else with it."""
        is_boolean = self.type == i1
        return self.format is not None or (self.bits < 8 and not is_boolean)

    @property
    def bits(self) -> int:
        """How many bits an element has, which in memory is at least a byte."""
        return self.type.bitwidth

    @cached_property
    def is_widened(self) -> bool:
        """Whether its compute type has values that an element cannot have."""
        return self.compute != self.type

    @cached_property
    def loaded(self) -> Element:
        """
        What a load gives and a store takes. A float is widened and narrowed by an op of
        its own, so that kernels show what is rounded, and what is widened late.
        """
        return self.type if isinstance(self.type, AnyFloat) else self.compute

    @cached_property
    def is_half(self) -> bool:
        """Whether it is a float that is computed as a wider one."""
        return isinstance(self.type, AnyFloat) and self.is_widened

    @cached_property
    def is_signed(self) -> bool:
        """Whether an element may be below zero."""
        return isinstance(self.type, AnyFloat) or (
            self.type != i1 and self.type.signedness.data is not Signedness.UNSIGNED
        )

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value."""
        if isinstance(self.type, AnyFloat):
            return -np.inf, np.inf
        bits = self.bits - self.is_signed
        return (-(1 << bits) if self.is_signed else 0), (1 << bits) - 1


ELEMENT_TYPES: dict[Attribute, ElementType] = {
    each.type: each
    for each in (
        ElementType(f32, "float32", "float", f32, 1, "float32", "Float", 6),
        ElementType(f64, "float64", "double", f64, 11, "float64", "Double", 7),
        ElementType(i32, "int32", "i32", i32, 6, "int32", "Int", 3),
        ElementType(i64, "int64", "i64", i64, 7, "int64", "Long", 4),
        ElementType(i1, "bool", "i8", i1, 9, "bool", "Bool", 11),
        ElementType(si8, "int8", "i8", i32, 3, "int8", "Char", 1),
        ElementType(ui8, "uint8", "i8", i32, 2, "uint8", "Byte", 0),
        ElementType(si16, "int16", "i16", i32, 5, "int16", "Short", 2),
        ElementType(ui16, "uint16", "i16", i32, 4, "uint16", "UInt16", 27),
        ElementType(ui32, "uint32", "i32", i64, 12, "uint32", "UInt32", 28),
        ElementType(ui64, "uint64", "i64", ui64, 13, "uint64", "UInt64", 29),
        ElementType(f16, "float16", "i16", f32, 10, "float16", "Half", 5),
        ElementType(bf16, "bfloat16", "i16", f32, 16, "bfloat16", "BFloat16", 15),
        *(
            ElementType(type, name, "i8", f32, onnx, name, name.capitalize(), at, form)
            for type, name, onnx, at, form in (
                (Float8E4M3FNType(), "float8_e4m3fn", 17, 24, E4M3FN),
                (Float8E4M3FNUZType(), "float8_e4m3fnuz", 18, 26, E4M3FNUZ),
                (Float8E5M2Type(), "float8_e5m2", 19, 23, E5M2),
                (Float8E5M2FNUZType(), "float8_e5m2fnuz", 20, 25, E5M2FNUZ),
                (Float8E8M0FNUType(), "float8_e8m0fnu", 24, 44, E8M0),
            )
        ),
        ElementType(
            *(Float4E2M1FNType(), "float4_e2m1fn", "i8", f32, 23),
            *("", "Float4_e2m1fn_x2", 45, E2M1),
        ),
        ElementType(_si4, "int4", "i8", i32, 22, "int4", "Int4", 40),
        ElementType(_ui4, "uint4", "i8", i32, 21, "uint4", "UInt4", 33),
        ElementType(_si2, "int2", "i8", i32, 26, "int2", "Int2", 38),
        ElementType(_ui2, "uint2", "i8", i32, 25, "uint2", "UInt2", 31),
    )
}
"""The row of each element type."""


def compute_type(type: Attribute) -> Attribute:
    """What bodies make of an element; other scalars keep their type."""
    row = ELEMENT_TYPES.get(type)
    return type if row is None else row.compute


def loaded_type(type: Attribute) -> Attribute:
    """What a load gives of an element; other scalars keep their type."""
    row = ELEMENT_TYPES.get(type)
    return type if row is None else row.loaded
