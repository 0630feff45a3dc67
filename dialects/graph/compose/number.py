"""Numbers, and sums and products with them."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from ..ops.binary import AddOp, MulOp
from ..ops.cast import CastOp
from ..ops.constant import ConstantOp
from ..shape import DTYPES, Element, tensor_type


def element_of(x: SSAValue) -> Element:
    """The element type of a tensor."""
    return tensor_type(x).element_type


def number(value: float, element: Element) -> SSAValue:
    """Builds a tensor without axes that holds one number; too large a one is inf."""
    with np.errstate(over="ignore"):
        return ConstantOp(value=np.array(value, DTYPES[element])).result


def number_like(value: float, x: SSAValue) -> SSAValue:
    """Builds a tensor without axes that holds one number of the type of `x`."""
    return number(value, element_of(x))


def times(x: SSAValue, factor: float) -> SSAValue:
    """Builds `x` times a number, which is `x` itself for one."""
    return x if factor == 1 else MulOp(x, number_like(factor, x)).result


def plus(x: SSAValue, term: float) -> SSAValue:
    """Builds `x` plus a number, which is `x` itself for zero."""
    return x if term == 0 else AddOp(x, number_like(term, x)).result


def affine(x: SSAValue, factor: float, term: float) -> SSAValue:
    """Builds `factor * x + term`."""
    return plus(times(x, factor), term)


def convert(x: SSAValue, to: Element) -> SSAValue:
    """Builds `x` with elements of another type, or `x` itself when it has them."""
    return x if element_of(x) == to else CastOp(x, to=to).result
