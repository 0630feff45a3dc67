"""
Functions of the gates of recurrent layers, by name, as ops of the graph dialect.

A gate is written as text: `sigmoid`, or with numbers, as in `hard_sigmoid 0.2 0.5`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ..shape import ELEMENTS, Array, tensor
from .compose.activation import (
    exponential_unit,
    hard_sigmoid,
    scaled_tanh,
    softplus,
    softsign,
    thresholded,
)
from .compose.number import affine
from .ops.activation import LeakyReluOp, ReluOp, SigmoidOp
from .ops.fusion import YieldOp
from .ops.hyperbolic import TanhOp
from .region import run_block


def leaky_relu(x: SSAValue, slope: float) -> SSAValue:
    """Builds `x`, with negative numbers multiplied by a slope."""
    return LeakyReluOp(x, slope=slope).result


def _of_op(op: type[SigmoidOp | TanhOp | ReluOp]) -> Callable[[SSAValue], SSAValue]:
    """The builder of a function that is a single op."""
    return lambda x: op(x).result


FUNCTIONS: dict[str, tuple[Callable[..., SSAValue], int]] = {
    "tanh": (_of_op(TanhOp), 0),
    "sigmoid": (_of_op(SigmoidOp), 0),
    "relu": (_of_op(ReluOp), 0),
    "softsign": (softsign, 0),
    "softplus": (softplus, 0),
    "affine": (affine, 2),
    "scaled_tanh": (scaled_tanh, 2),
    "hard_sigmoid": (hard_sigmoid, 2),
    "leaky_relu": (leaky_relu, 1),
    "elu": (exponential_unit, 1),
    "thresholded_relu": (thresholded, 1),
}
"""The builder of each gate function, and the number of its parameters."""


@dataclass(frozen=True)
class Gate:
    """A gate function with its parameters."""

    function: Callable[..., SSAValue]
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str) -> Gate:
        """The gate that a text describes; raises `ValueError` on other text."""
        name, *numbers = text.split() or [""]
        if name not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise ValueError(f"expected a function of {known}, got {text!r}")
        function, count = FUNCTIONS[name]
        if len(numbers) != count:
            raise ValueError(f"expected {count} numbers after {name}, got {text!r}")
        return cls(function, tuple(map(float, numbers)))

    def build(self, x: SSAValue) -> SSAValue:
        """Builds the function applied to a tensor."""
        return self.function(x, *self.numbers)

    def numpy(self, x: Array) -> Array:
        """The function applied to an array, by the references of its ops."""
        block = Block(arg_types=[tensor(ELEMENTS[x.dtype], *x.shape)])
        with ImplicitBuilder(block):
            YieldOp(self.build(block.args[0]))
        return run_block(block, [x], {})[0]
