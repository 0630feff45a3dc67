"""
Tensor types: their element types and dimensions.

The type has a `?` for every symbolic dimension, and lists the dimensions that the `?`
stand for, in order, after the element type:

    tensor<?x768xf32, ["batch"]>
    tensor<?x?xf32, ["batch", "2 * seq + 1"]>

Two dimensions are equal when their text is, so types are compared directly. A `?`
without a listed dimension would equal nothing, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from .dims import Dim, SizeError, dim, terms_of
from .element_type import ELEMENT_TYPES, Element
from .magnitude import bound_of

Tensor: TypeAlias = TensorType[Element]

Array: TypeAlias = npt.NDArray[Any]

DTYPES = {row.type: row.dtype for row in ELEMENT_TYPES.values()}
"""The element types, and the dtypes of their arrays."""

ELEMENTS = {dtype: element for element, dtype in DTYPES.items()}

MOST_AXES = 64
"""The most axes of a tensor, as in numpy."""

MOST_BYTES = 2**62
"""
The most bytes of a tensor, where a size of zero counts as one. So any product of sizes
fits into 64 bits, and so does the sum of two of them.
"""

_STATIC = NoneAttr()
"""The encoding of a type that has only numbers as sizes."""

_SIZES = "known_sizes"
"""A type has its sizes under this name, once they were asked for."""

KNOWN = ", ".join(str(each) for each in DTYPES)
"""The names of the element types, for messages."""


def tensor(element: Element, *sizes: Dim) -> Tensor:
    """The type of a tensor with these dimensions; raises `SizeError` when too large."""
    return _tensor(element, sizes)


@lru_cache(1 << 14)
def _tensor(element: Element, sizes: tuple[Dim, ...]) -> Tensor:
    check_sizes(element, sizes)
    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    names = [StringAttr(str(size)) for size in sizes if not isinstance(size, int)]
    return TensorType(element, shape, ArrayAttr(names) if names else _STATIC)


def tensor_type(value: SSAValue | Attribute) -> Tensor:
    """The type of `value`; raises `VerifyException` when it is not a tensor."""
    # By the class itself: each op asks for each operand, in each pass.
    is_value = value.__class__ in (OpResult, BlockArgument)
    type = cast(SSAValue, value).type if is_value else value
    if type.__class__ is not TensorType:
        raise VerifyException(f"expected a tensor, got {type}")
    result = cast(Tensor, type)
    if result.element_type not in DTYPES:
        raise VerifyException(f"expected elements of {KNOWN}, got {type}")
    return result


def check_sizes(element: Element, sizes: Sequence[Dim]) -> None:
    """
    Raises `SizeError` when a tensor with these dimensions is too large even if every
    symbol is at most one.
    """
    if len(sizes) > MOST_AXES:
        raise SizeError(
            f"expected a tensor of at most {MOST_AXES} axes, got one of {len(sizes)}"
        )
    bytes = DTYPES[element].itemsize if element in DTYPES else 1
    for size in sizes:
        if isinstance(size, int) and size < 0:
            raise SizeError(f"expected sizes of zero or more, got {shown(sizes)}")
        bytes *= max(1, _least_bound(size))
    if bytes >= MOST_BYTES:
        raise SizeError(
            "expected a tensor of less than 2**62 bytes, where a size of zero counts "
            f"as one, got the sizes {shown(sizes)}"
        )


def _least_bound(size: Dim) -> int:
    """The bound of a dimension when every symbol is one."""
    if isinstance(size, int):
        return size
    return sum(factor for _, factor in terms_of(bound_of(size)))


def shown(sizes: Sequence[Dim], between: str = "x") -> str:
    """Dimensions as text, shortened for a message."""
    texts = [shorter(str(each)) for each in sizes[:8]]
    return between.join([*texts, *(["..."] if len(sizes) > 8 else [])])


def shorter(text: str) -> str:
    """A text shortened for a message, which a wrong model must not make long."""
    return text if len(text) <= 80 else f"{text[:77]}..."


def sizes(type: Tensor) -> tuple[Dim, ...]:
    """
    The dimensions of a tensor; raises `VerifyException` when a `?` has no listed
    dimension, and `SizeError` when they are too large.
    """
    # A type keeps them, as to hash one takes longer than most that is done with sizes.
    found: tuple[Dim, ...] | None = vars(type).get(_SIZES)
    if found is None:
        found = vars(type)[_SIZES] = _sizes(type)
    return found


@lru_cache(1 << 14)
def _sizes(type: Tensor) -> tuple[Dim, ...]:
    """The same for a type that does not have them."""
    names: Sequence[StringAttr] = ()
    if type.encoding != _STATIC and isa(type.encoding, ArrayAttr[StringAttr]):
        names = type.encoding.data
    if type.get_shape().count(DYNAMIC_INDEX) != len(names):
        raise VerifyException(f"expected a name for every ?, got {type}")
    rest = iter(names)
    try:
        found = tuple(
            dim(next(rest).data) if size == DYNAMIC_INDEX else size
            for size in type.get_shape()
        )
    except ValueError as error:
        raise VerifyException(str(error)) from error
    check_sizes(type.element_type, found)
    return found


def dtype(type: Tensor) -> np.dtype[Any]:
    """The numpy dtype in which the elements are stored."""
    return DTYPES[type.element_type]


def is_float(type: Tensor) -> bool:
    """Whether the elements are floating-point numbers."""
    return isinstance(type.element_type, AnyFloat)


def with_element(type: Tensor, element: Element) -> Tensor:
    """The type of a tensor with the dimensions of `type` and other elements."""
    return TensorType(element, type.get_shape(), type.encoding)


def normalize_axis(axis: int, rank: int) -> int:
    """
    `axis` counted from the front; raises `VerifyException` when it is out of range.
    """
    if rank == 0:
        raise VerifyException(f"expected a tensor with axes, got axis {axis} of none")
    if not -rank <= axis < rank:
        raise VerifyException(
            f"expected an axis from {-rank} to {rank - 1}, got {axis}"
        )
    return axis % rank


def verified_dim(text: str) -> Dim:
    """The dimension that a text says; raises `VerifyException` when it is none."""
    try:
        return dim(text)
    except ValueError as error:
        raise VerifyException(str(error)) from error
