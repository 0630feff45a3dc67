"""Clamping between bounds, and tests for NaN and infinity."""

from __future__ import annotations

from math import inf

from xdsl.ir import SSAValue

from ...shape import is_float, tensor_type
from ..ops.arithmetic import AbsOp
from ..ops.binary import MaximumOp, MinimumOp
from ..ops.clamp import ClampOp
from ..ops.compare import EqOp, NeOp
from .number import number_like


def clamped(x: SSAValue, low: float | None, high: float | None) -> SSAValue:
    """Builds `x` clamped to the given bounds, which are numbers."""
    bounds = {"min": low, "max": high}
    given = {name: float(each) for name, each in bounds.items() if each is not None}
    return ClampOp(x, **given).result if given else x


def is_bound(value: float | None) -> bool:
    """Whether a number may be a bound: not NaN, and held exactly by a float of f64."""
    return value is None or float(value) == value


def between(x: SSAValue, low: SSAValue | None, high: SSAValue | None) -> SSAValue:
    """
    Builds `x` clamped to the given bounds, which are tensors; `high` is applied last.
    """
    if low is not None:
        x = MaximumOp(x, low).result
    return x if high is None else MinimumOp(x, high).result


def is_nan(x: SSAValue) -> SSAValue:
    """Builds whether each element is not equal to itself."""
    return NeOp(x, x).result


def is_infinite(x: SSAValue) -> SSAValue:
    """Builds whether each element is infinite, of either sign; no integer is."""
    if not is_float(tensor_type(x)):
        return NeOp(x, x).result
    return EqOp(AbsOp(x), number_like(inf, x)).result
