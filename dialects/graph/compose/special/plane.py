"""Functions of complex numbers, as formulas of the two coordinates of points."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from ...ops.arithmetic import AbsOp, NegOp, ReciprocalOp, SqrtOp
from ...ops.binary import AddOp, DivOp, MulOp
from ...ops.compare import EqOp, GeOp
from ...ops.hyperbolic import CoshOp, SinhOp, TanhOp
from ...ops.polar import CopysignOp
from ...ops.trigonometric import CosOp, SinOp, TanOp
from ...ops.where import WhereOp
from ..number import number_like, times
from .polar import distance

Point: TypeAlias = tuple[SSAValue, SSAValue]
"""Both coordinates: the real part and the imaginary one."""


def square_root(x: SSAValue, y: SSAValue) -> Point:
    """Builds the square roots whose real parts are not negative."""
    # Halves are added, whose sum does not overflow.
    halves = (times(each, 0.5) for each in (AbsOp(x).result, distance(x, y)))
    long = SqrtOp(AddOp(*halves)).result
    zero, one = (number_like(each, long) for each in (0, 1))
    by = WhereOp(EqOp(long, zero), one, long).result
    short = times(DivOp(AbsOp(y), by).result, 0.5)
    is_right = GeOp(x, zero).result
    real = WhereOp(is_right, long, short).result
    imaginary = WhereOp(is_right, short, long).result
    return real, CopysignOp(imaginary, y).result


def hyperbolic_sine(x: SSAValue, y: SSAValue) -> Point:
    """Builds the hyperbolic sines."""
    return _product(SinhOp(x), CosOp(y)), _grown(SinOp(y).result, CoshOp(x))


def hyperbolic_cosine(x: SSAValue, y: SSAValue) -> Point:
    """Builds the hyperbolic cosines."""
    return _product(CoshOp(x), CosOp(y)), _grown(SinOp(y).result, SinhOp(x))


def hyperbolic_tangent(x: SSAValue, y: SSAValue) -> Point:
    """Builds the hyperbolic tangents, without quotients of what overflows."""
    flat, steep = TanhOp(x).result, TanOp(y).result
    narrow = ReciprocalOp(CoshOp(x)).result
    one = number_like(1, x)
    grown = AddOp(one, MulOp(steep, steep)).result
    mixed = _product(flat, steep)
    by = AddOp(one, MulOp(mixed, mixed)).result
    imaginary = _product(_product(steep, narrow), narrow)
    return DivOp(_product(flat, grown), by).result, DivOp(imaginary, by).result


def sine(x: SSAValue, y: SSAValue) -> Point:
    """Builds the sines."""
    return _turned_back(*hyperbolic_sine(NegOp(y).result, x))


def cosine(x: SSAValue, y: SSAValue) -> Point:
    """Builds the cosines."""
    return hyperbolic_cosine(NegOp(y).result, x)


def tangent(x: SSAValue, y: SSAValue) -> Point:
    """Builds the tangents."""
    return _turned_back(*hyperbolic_tangent(NegOp(y).result, x))


def _product(a: SSAValue | Operation, b: SSAValue | Operation) -> SSAValue:
    """Builds the product of two values."""
    return MulOp(a, b).result


def _grown(x: SSAValue, by: Operation) -> SSAValue:
    """Builds the product with what may be infinite; zero stays."""
    return WhereOp(EqOp(x, number_like(0, x)), x, MulOp(x, by)).result


def _turned_back(x: SSAValue, y: SSAValue) -> Point:
    """Builds points divided by the imaginary unit."""
    return y, NegOp(x).result
