"""Powers computed without a logarithm: by products, a root or a quotient."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from ...shape import is_float, tensor_type
from ..ops.arithmetic import ReciprocalOp, RsqrtOp, SqrtOp
from ..ops.binary import MulOp


def square(x: SSAValue) -> SSAValue:
    """Builds `x` times itself."""
    return MulOp(x, x).result


POWERS: dict[float, Callable[[SSAValue], SSAValue]] = {
    # Not one divided by the square, which overflows or underflows before the power
    # does.
    -2.0: lambda x: square(ReciprocalOp(x).result),
    -1.0: lambda x: ReciprocalOp(x).result,
    -0.5: lambda x: RsqrtOp(x).result,
    0.5: lambda x: SqrtOp(x).result,
    1.0: lambda x: x,
    2.0: square,
    3.0: lambda x: MulOp(square(x), x).result,
    4.0: lambda x: square(square(x)),
}
"""Builders of powers, by exponent."""


def near_power(x: SSAValue, exponent: float) -> SSAValue | None:
    """Builds a power that takes few ops; None when there is no such form."""
    if exponent < 1 and not is_float(tensor_type(x)):
        return None
    build = POWERS.get(exponent)
    return None if build is None else build(x)
