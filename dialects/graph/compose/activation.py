"""
Activations that are several ops, defined for every input.

At signed zeros, infinities and NaN each has the value of its definition, if there is
one; `softplus` and `hard_swish` do not overflow where the result is finite.
`hard_swish` is -0.0 for large negative numbers and NaN for minus infinity, as in
PyTorch and in the text of ONNX.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ..ops.activation import ReluOp
from ..ops.arithmetic import AbsOp, NegOp
from ..ops.binary import AddOp, DivOp, MulOp
from ..ops.clamp import ClampOp
from ..ops.compare import GtOp
from ..ops.exponential import Expm1Op, ExpOp, Log1pOp
from ..ops.hyperbolic import TanhOp
from ..ops.where import WhereOp
from .number import affine, number_like, plus, times


def exponential_unit(
    x: SSAValue, alpha: float, scale: float = 1.0, inner: float = 1.0
) -> SSAValue:
    """
    Builds `scale * x` above zero, `scale * alpha * (exp(inner * x) - 1)` elsewhere.

    One of the two is selected, instead of adding both: so -0.0 stays, and an infinite
    factor is never multiplied by zero.
    """
    above = GtOp(x, number_like(0, x))
    below = times(Expm1Op(times(x, inner)).result, alpha * scale)
    return WhereOp(above, times(x, scale), below).result


def hard_sigmoid(x: SSAValue, factor: float, term: float) -> SSAValue:
    """Builds `factor * x + term`, clamped to [0, 1]."""
    return ClampOp(affine(x, factor, term), min=0.0, max=1.0).result


def sixths(x: SSAValue) -> SSAValue:
    """
    Builds a sixth of `x + 3`, clamped to [0, 1].

    The sum is exact near -3, where `x / 6 + 0.5` cancels. It multiplies by 1/6: a
    division would be more precise by half an ulp, and ten times as slow. Six times that
    constant rounds to one in every float type, so that the value is one from 3 on.
    """
    held = ClampOp(plus(x, 3), min=0.0, max=6.0).result
    return times(held, 1 / 6)


def hard_swish(x: SSAValue) -> SSAValue:
    """Builds `x` times its `sixths`, which cannot overflow as `x * (x + 3)` could."""
    return MulOp(x, sixths(x)).result


def softplus(x: SSAValue) -> SSAValue:
    """
    Builds `log(1 + exp(x))` from the exponential of `-abs(x)`, which cannot overflow.
    """
    tail = Log1pOp(ExpOp(NegOp(AbsOp(x))))
    return AddOp(ReluOp(x), tail).result


def scaled_softplus(x: SSAValue, beta: float, threshold: float) -> SSAValue:
    """Builds `softplus(beta * x) / beta`, and `x` where `beta * x > threshold`."""
    product = times(x, beta)
    curve = softplus(product)
    if beta != 1:
        curve = DivOp(curve, number_like(beta, x)).result
    is_line = GtOp(product, number_like(threshold, x))
    return WhereOp(is_line, x, curve).result


def softsign(x: SSAValue) -> SSAValue:
    """Builds `x` divided by one plus its magnitude."""
    return DivOp(x, plus(AbsOp(x).result, 1)).result


def _tanh_of_softplus(x: SSAValue) -> SSAValue:
    """
    Builds the hyperbolic tangent of the softplus of `x`.

    With `e = exp(x)` and `n = e * (e + 2)` that is `n / (n + 2)`: one exponential and a
    division. From 20 on it rounds to one, in f64 too.
    """
    e = ExpOp(ClampOp(x, max=20.0)).result
    n = MulOp(e, plus(e, 2)).result
    return DivOp(n, plus(n, 2)).result


def _under_softplus(value: SSAValue) -> SSAValue | None:
    """The tensor that a value is the `softplus` of; None for any other value."""
    match value.owner:
        case AddOp(operands=(line, tail)) if isinstance(line.owner, ReluOp):
            (x,) = line.owner.operands
        case _:
            return None
    for kind in (Log1pOp, ExpOp, NegOp, AbsOp):
        if not isinstance(tail.owner, kind):
            return None
        (tail,) = tail.owner.operands
    return x if tail is x else None


def tanh(x: SSAValue) -> SSAValue:
    """Builds the hyperbolic tangent; of a `softplus` in fewer ops than both take."""
    inner = _under_softplus(x)
    return TanhOp(x).result if inner is None else _tanh_of_softplus(inner)


def mish(x: SSAValue) -> SSAValue:
    """Builds `x` times the hyperbolic tangent of its softplus."""
    return MulOp(x, _tanh_of_softplus(x)).result


def scaled_tanh(x: SSAValue, outside: float, inside: float) -> SSAValue:
    """Builds `outside * tanh(inside * x)`."""
    return times(TanhOp(times(x, inside)).result, outside)


def thresholded(x: SSAValue, limit: float) -> SSAValue:
    """Builds `x` where it is above a limit, and zero elsewhere."""
    above = GtOp(x, number_like(limit, x))
    return WhereOp(above, x, number_like(0, x)).result
