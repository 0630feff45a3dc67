"""
Functions of the gates of recurrent nets, by name: ops to build, and their numpy.

A gate is written as text: `sigmoid`, or with numbers, as in `hard_sigmoid 0.2 0.5`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from .ops.activation import LeakyReluOp, ReluOp, SigmoidOp, logistic
from .ops.arithmetic import AbsOp, NegOp
from .ops.binary import AddOp, DivOp, MulOp
from .ops.clamp import ClampOp
from .ops.compare import GtOp
from .ops.constant import ConstantOp
from .ops.exponential import Expm1Op, ExpOp, Log1pOp
from .ops.hyperbolic import TanhOp
from .ops.where import WhereOp
from .shape import Array, dtype, tensor_type


@dataclass(frozen=True)
class Function:
    """A function of one number, which may have further numbers as parameters."""

    build: Callable[..., SSAValue]
    """Builds it of a tensor."""

    numpy: Callable[..., Array]
    """Computes it of an array."""

    parameters: int = 0
    """How many numbers follow the name."""


def number(value: float, like: SSAValue) -> SSAValue:
    """Builds a tensor without axes of one number, of another tensor's elements."""
    kind = dtype(tensor_type(like))
    return ConstantOp(value=np.array(value, kind)).result


def scaled(x: SSAValue, factor: float, term: float = 0.0) -> SSAValue:
    """Builds `factor * x + term`."""
    product = x if factor == 1 else MulOp(x, number(factor, x)).result
    return product if term == 0 else AddOp(product, number(term, x)).result


def above(x: SSAValue, limit: float) -> SSAValue:
    """Builds the numbers above a limit, and zeros for the others."""
    return WhereOp(GtOp(x, number(limit, x)), x, number(0, x)).result


def exponential(x: SSAValue, scale: float) -> SSAValue:
    """Builds the numbers, those below zero as `scale * (exp(x) - 1)`."""
    below = scaled(Expm1Op(x).result, scale)
    return WhereOp(GtOp(x, number(0, x)), x, below).result


def softplus(x: SSAValue) -> SSAValue:
    """Builds `log(1 + exp(x))`, without infinity for a large number."""
    return AddOp(ReluOp(x), Log1pOp(ExpOp(NegOp(AbsOp(x))))).result


def of(x: Array, *values: float) -> list[Array]:
    """Numbers as the elements of an array are."""
    return [x.dtype.type(each) for each in values]


def scaled_array(x: Array, factor: float, term: float) -> Array:
    """`factor * x + term`."""
    a, b = of(x, factor, term)
    return x * a + b


FUNCTIONS: dict[str, Function] = {
    "tanh": Function(lambda x: TanhOp(x).result, np.tanh),
    "sigmoid": Function(lambda x: SigmoidOp(x).result, logistic),
    "relu": Function(lambda x: ReluOp(x).result, lambda x: np.maximum(x, *of(x, 0))),
    "softsign": Function(
        lambda x: DivOp(x, scaled(AbsOp(x).result, 1, 1)).result,
        lambda x: x / (1 + np.abs(x)),
    ),
    "softplus": Function(softplus, lambda x: np.logaddexp(x, *of(x, 0))),
    "affine": Function(scaled, scaled_array, 2),
    "scaled_tanh": Function(
        lambda x, a, b: scaled(TanhOp(scaled(x, b)).result, a),
        lambda x, a, b: scaled_array(np.tanh(scaled_array(x, b, 0)), a, 0),
        2,
    ),
    "hard_sigmoid": Function(
        lambda x, a, b: ClampOp(scaled(x, a, b), min=0.0, max=1.0).result,
        lambda x, a, b: np.clip(scaled_array(x, a, b), *of(x, 0, 1)),
        2,
    ),
    "leaky_relu": Function(
        lambda x, a: LeakyReluOp(x, slope=a).result,
        lambda x, a: np.where(x < 0, scaled_array(x, a, 0), x),
        1,
    ),
    "elu": Function(
        exponential,
        lambda x, a: np.where(x > 0, x, scaled_array(np.expm1(x), a, 0)),
        1,
    ),
    "thresholded_relu": Function(
        above, lambda x, a: np.where(x > x.dtype.type(a), x, *of(x, 0)), 1
    ),
}
"""The functions that a gate may have."""


@dataclass(frozen=True)
class Gate:
    """A function with its numbers."""

    function: Function
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str) -> Gate:
        """The gate that a text names; raises `ValueError` when it names none."""
        name, *numbers = text.split() or [""]
        found = FUNCTIONS.get(name)
        if found is None:
            known = ", ".join(FUNCTIONS)
            raise ValueError(f"expected a function of {known}, got {text!r}")
        if len(numbers) != found.parameters:
            raise ValueError(
                f"expected {found.parameters} numbers after {name}, got {text!r}"
            )
        return cls(found, tuple(map(float, numbers)))

    def build(self, x: SSAValue) -> SSAValue:
        """Builds the function of a tensor."""
        return self.function.build(x, *self.numbers)

    def numpy(self, x: Array) -> Array:
        """The function of an array."""
        return self.function.numpy(x, *self.numbers)
