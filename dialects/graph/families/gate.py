"""
Functions of the gates of recurrent nets, by name, from ops of the graph dialect.

A gate is written as text: `sigmoid`, or with numbers, as in `hard_sigmoid 0.2 0.5`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ...shape import ELEMENTS, Array, dtype, tensor, tensor_type
from ..ops.activation import LeakyReluOp, ReluOp, SigmoidOp
from ..ops.arithmetic import AbsOp, NegOp
from ..ops.binary import AddOp, DivOp, MulOp
from ..ops.clamp import ClampOp
from ..ops.compare import GtOp
from ..ops.constant import ConstantOp
from ..ops.exponential import Expm1Op, ExpOp, Log1pOp
from ..ops.fusion import YieldOp
from ..ops.hyperbolic import TanhOp
from ..ops.where import WhereOp
from ..region import run_block


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


def softsign(x: SSAValue) -> SSAValue:
    """Builds the numbers, each divided by one plus its magnitude."""
    return DivOp(x, scaled(AbsOp(x).result, 1, 1)).result


def scaled_tanh(x: SSAValue, outside: float, inside: float) -> SSAValue:
    """Builds `outside * tanh(inside * x)`."""
    return scaled(TanhOp(scaled(x, inside)).result, outside)


def hard_sigmoid(x: SSAValue, factor: float, term: float) -> SSAValue:
    """Builds `factor * x + term`, held between zero and one."""
    return ClampOp(scaled(x, factor, term), min=0.0, max=1.0).result


def leaky_relu(x: SSAValue, slope: float) -> SSAValue:
    """Builds the numbers, those below zero times a slope."""
    return LeakyReluOp(x, slope=slope).result


def of_op(op: type[SigmoidOp | TanhOp | ReluOp]) -> Callable[[SSAValue], SSAValue]:
    """What builds the function that is just an op."""
    return lambda x: op(x).result


FUNCTIONS: dict[str, tuple[Callable[..., SSAValue], int]] = {
    "tanh": (of_op(TanhOp), 0),
    "sigmoid": (of_op(SigmoidOp), 0),
    "relu": (of_op(ReluOp), 0),
    "softsign": (softsign, 0),
    "softplus": (softplus, 0),
    "affine": (scaled, 2),
    "scaled_tanh": (scaled_tanh, 2),
    "hard_sigmoid": (hard_sigmoid, 2),
    "leaky_relu": (leaky_relu, 1),
    "elu": (exponential, 1),
    "thresholded_relu": (above, 1),
}
"""What builds each function that a gate may have, and how many numbers it has."""


@dataclass(frozen=True)
class Gate:
    """A function with its numbers."""

    function: Callable[..., SSAValue]
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str) -> Gate:
        """The gate that a text names; raises `ValueError` when it names none."""
        name, *numbers = text.split() or [""]
        if name not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise ValueError(f"expected a function of {known}, got {text!r}")
        function, count = FUNCTIONS[name]
        if len(numbers) != count:
            raise ValueError(f"expected {count} numbers after {name}, got {text!r}")
        return cls(function, tuple(map(float, numbers)))

    def build(self, x: SSAValue) -> SSAValue:
        """Builds the function of a tensor."""
        return self.function(x, *self.numbers)

    def numpy(self, x: Array) -> Array:
        """The function of an array, by the references of its ops."""
        block = Block(arg_types=[tensor(ELEMENTS[x.dtype], *x.shape)])
        with ImplicitBuilder(block):
            YieldOp(self.build(block.args[0]))
        return run_block(block, [x], {})[0]
