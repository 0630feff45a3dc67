"""
Tensor types: what they hold, and how big each dimension is.

The type holds a `?` for every dimension that is not a number, and after the element
type what each `?` stands for, in order:

    tensor<?x768xf32, ["batch"]>
    tensor<?x?xf32, ["batch", "2 * seq + 1"]>

Two dimensions are equal when their text is, so types compare as they are. A `?` without
a name would equal nothing, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    TensorType,
    bf16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ..dims import Dim, dim

Element: TypeAlias = AnyFloat | IntegerType
Tensor: TypeAlias = TensorType[Element]

Array: TypeAlias = npt.NDArray[Any]

DTYPES: dict[Element, np.dtype[Any]] = {
    f32: np.dtype(np.float32),
    f64: np.dtype(np.float64),
    i32: np.dtype(np.int32),
    i64: np.dtype(np.int64),
    i1: np.dtype(np.bool_),
}
"""The element types that the compiler computes with, and numpy's names for them."""

STORED = {**DTYPES, bf16: np.dtype(np.uint16)}
"""
Those that weights may have, and what the store has of them: of a bf16 its bits, since
numpy knows no such number.
"""

ELEMENTS = {dtype: element for element, dtype in DTYPES.items()}

KNOWN = ", ".join(str(each) for each in DTYPES)
"""The element types in words."""


def tensor(element: Element, *sizes: Dim) -> Tensor:
    """The type of a tensor with these dimensions."""
    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    names = [StringAttr(str(size)) for size in sizes if not isinstance(size, int)]
    return TensorType(element, shape, ArrayAttr(names) if names else NoneAttr())


def tensor_type(value: SSAValue | Attribute) -> Tensor:
    """The type of `value`; raises `VerifyException` when that is not a tensor."""
    type = value.type if isinstance(value, SSAValue) else value
    if not isinstance(type, TensorType):
        raise VerifyException(f"expected a tensor, got {type}")
    result = cast(Tensor, type)
    if result.element_type not in STORED:
        raise VerifyException(f"expected elements of {KNOWN}, got {type}")
    return result


def computed_type(value: SSAValue | Attribute) -> Tensor:
    """
    The type of `value`; raises `VerifyException` for elements that are only stored.
    """
    result = tensor_type(value)
    if result.element_type not in DTYPES:
        raise VerifyException(f"expected elements of {KNOWN}, got {result}")
    return result


@cache
def sizes(type: Tensor) -> tuple[Dim, ...]:
    """The dimensions of a tensor; raises `VerifyException` when a `?` has no name."""
    names: Sequence[StringAttr] = ()
    if isa(type.encoding, ArrayAttr[StringAttr]):
        names = type.encoding.data
    if type.get_shape().count(DYNAMIC_INDEX) != len(names):
        raise VerifyException(f"expected a name for every ?, got {type}")
    rest = iter(names)
    try:
        return tuple(
            dim(next(rest).data) if size == DYNAMIC_INDEX else size
            for size in type.get_shape()
        )
    except ValueError as error:
        raise VerifyException(str(error)) from error


def dtype(type: Tensor) -> np.dtype[Any]:
    """The numpy dtype of the elements, as they are stored."""
    return STORED[type.element_type]


def is_float(type: Tensor) -> bool:
    """Whether the elements are floating-point numbers."""
    return isinstance(type.element_type, AnyFloat)


def with_element(type: Tensor, element: Element) -> Tensor:
    """The type of a tensor with the dimensions of `type` and other elements."""
    return TensorType(element, type.get_shape(), type.encoding)


def broadcast(*types: Tensor) -> tuple[Dim, ...]:
    """The dimensions that tensors of these types broadcast to, by numpy's rule."""
    result: list[Dim] = []
    shapes = [sizes(type) for type in types]
    for back in range(1, max(map(len, shapes)) + 1):
        here = {shape[-back] for shape in shapes if len(shape) >= back}
        if len(wide := here - {1}) > 1:
            raise VerifyException(
                "expected operands that broadcast, got "
                + " and ".join(str(type) for type in types)
            )
        result.append(wide.pop() if wide else 1)
    return tuple(reversed(result))


def normalize_axis(axis: int, rank: int) -> int:
    """`axis` counted from the front; raises `VerifyException` out of the range."""
    if rank == 0:
        raise VerifyException(f"expected a tensor with axes, got axis {axis} of none")
    if not -rank <= axis < rank:
        raise VerifyException(
            f"expected an axis from {-rank} to {rank - 1}, got {axis}"
        )
    return axis % rank
