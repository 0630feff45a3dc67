"""Numbers, and sums and products with them."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir import SSAValue

from ...dims import Polynomial
from ...element_type import Element
from ...shape import tensor_type
from ..element_array import to_elements
from ..ops.binary import AddOp, MulOp
from ..ops.cast import CastOp
from ..ops.constant import ConstantOp
from ..ops.dim import DimOp

Number: TypeAlias = float | Polynomial
"""A number, or one that is computed from sizes."""


def element_of(x: SSAValue) -> Element:
    """The element type of a tensor."""
    return tensor_type(x).element_type


def number(value: float, element: Element) -> SSAValue:
    """
    Builds a tensor of rank 0 that holds one number; too large a float becomes inf.
    """
    return ConstantOp(value=to_elements(value, element)).result


def quantity(value: Number, element: Element) -> SSAValue:
    """Builds a tensor of rank 0 that holds a number, or one computed from sizes."""
    if isinstance(value, Polynomial):
        return convert(DimOp(value=str(value)).result, element)
    return number(value, element)


def number_like(value: Number, x: SSAValue) -> SSAValue:
    """Builds a tensor of rank 0 that holds one number of the element type of `x`."""
    return quantity(value, element_of(x))


def times(x: SSAValue, factor: Number) -> SSAValue:
    """Builds `x` times a number; `x` itself when the number is one."""
    return x if factor == 1 else MulOp(x, number_like(factor, x)).result


def plus(x: SSAValue, term: Number) -> SSAValue:
    """Builds `x` plus a number; `x` itself when the number is zero."""
    return x if term == 0 else AddOp(x, number_like(term, x)).result


def affine(x: SSAValue, factor: float, term: float) -> SSAValue:
    """Builds `factor * x + term`."""
    return plus(times(x, factor), term)


def convert(x: SSAValue, to: Element) -> SSAValue:
    """Builds `x` with elements of another type, or `x` itself when it has them."""
    return x if element_of(x) == to else CastOp(x, to=to).result
