"""
The element types of tensors: a row for each, which all others ask.

What a tensor stores is not always what a kernel computes with: a load *widens* an
element to the compute type of its row, and a store narrows it again. The body of an op
has compute types only, whose signed arithmetic is right for all values of an element.
So the signedness of a narrow type is in its row, and in no op.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    Signedness,
    bf16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute

Element: TypeAlias = AnyFloat | IntegerType

si8 = IntegerType(8, Signedness.SIGNED)
ui8 = IntegerType(8, Signedness.UNSIGNED)


@dataclass(frozen=True)
class ElementType:
    """One element type, and its names in MLIR, numpy, LLVM, ONNX and PyTorch."""

    type: Element
    numpy: str
    """The dtype of its arrays; of a type that numpy lacks, that of its bits."""

    memory: str
    """LLVM's type of an element in memory."""

    compute: Element
    """What a load makes of an element, and a store takes."""

    onnx: int
    """Its number in ONNX's `TensorProto.DataType`."""

    torch: str
    """The name of its `torch.dtype`."""

    scalar_type: str
    """The name of its `ScalarType` in PyTorch."""

    scalar_number: int
    """The number of its `ScalarType`."""

    is_computed: bool = True
    """Whether all ops take it; else only casts do, and weights may have it."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its arrays."""
        return np.dtype(self.numpy)

    @property
    def is_widened(self) -> bool:
        """Whether its compute type has values that an element cannot have."""
        return self.compute != self.type

    @property
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
        bits = self.type.bitwidth - self.is_signed
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
        ElementType(bf16, "uint16", "i16", bf16, 16, "bfloat16", "BFloat16", 15, False),
    )
}
"""The row of each element type."""


def compute_type(type: Attribute) -> Attribute:
    """What a load makes of an element; other scalars keep their type."""
    row = ELEMENT_TYPES.get(type)
    return type if row is None else row.compute
