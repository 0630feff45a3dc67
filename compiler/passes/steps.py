"""
Find values that are dequantised, compare their scales, and build what replaces them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import ELEMENT_TYPES, Array, product, tensor_type
from ...dialects.graph import (
    ConstantOp,
    ConvOp,
    DequantizeOp,
    GraphOp,
    LinearOp,
    MatmulOp,
    MaxPoolOp,
    QuantizeOp,
    to_numbers,
)
from ...dialects.graph.compose import shape_of
from ..ir import WeightStore
from .known_values import constant_value, fold

LEAST_SCALE, MOST_SCALE = 1e-30, 1e30
"""Scales between these give steps back that were dequantised: no number is denormal."""

MOST_SUM = 2**31 - 1
"""The greatest sum that 32 bits hold."""


def dequantized(value: SSAValue) -> DequantizeOp | None:
    """The op that dequantises a value, if any."""
    return value.owner if isinstance(value.owner, DequantizeOp) else None


def is_one(value: SSAValue) -> bool:
    """Whether a scale or a zero point is one for the whole tensor."""
    return all(size == 1 for size in shape_of(value))


def has_stored_steps(op: DequantizeOp) -> bool:
    """Whether steps are elements that no op computes with, such as those of 4 bits."""
    return ELEMENT_TYPES[tensor_type(op.input).element_type].is_stored


def summed(
    op: MatmulOp | LinearOp | ConvOp,
) -> tuple[object, tuple[Sequence[int], Sequence[int]]]:
    """
    How many products a result is the sum of, and the axes of both factors along which
    their scales have to be one.
    """
    rank, shape = (len(shape_of(op.operands[0])), shape_of(op.operands[1]))
    match op:
        case MatmulOp():
            return shape[-2], ((rank - 1,), (len(shape) - 2,))
        case LinearOp():
            return shape[1], ((rank - 1,), (1,))
        case ConvOp():
            is_known = op.channels_last is None and isinstance(shape[0], int)
            every = range(rank), range(1, rank)
            return product(shape[1:]) if is_known else None, every


def has_full_windows(op: MaxPoolOp) -> bool:
    """Whether each window has an element of the image, whose padding is less."""
    values = op.values()
    wide = zip(values["padding"], values["kernel"] * 2, strict=True)
    is_dense = set(values["dilation"]) == {1}
    return not any(values["padding"]) or (is_dense and all(p < k for p, k in wide))


@dataclass(frozen=True)
class Steps:
    """What is known of scales and zero points with the weights of a module."""

    weights: WeightStore

    def known(self, value: SSAValue) -> Array | None:
        """The elements of a constant, as numbers."""
        array = constant_value(value, self.weights)
        element = tensor_type(value).element_type
        return None if array is None else to_numbers(array, element)

    def is_same(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether two scales, or zero points, are one."""
        if a is b:
            return True
        one, other = self.known(a), self.known(b)
        if one is None or other is None or one.size != other.size:
            return False
        alike = one.dtype == other.dtype and (one.size == 1 or one.shape == other.shape)
        return alike and bool((one.ravel() == other.ravel()).all())

    def has_plain_scale(self, op: DequantizeOp | QuantizeOp) -> bool:
        """Whether a scale is constant and positive, and no step of it is denormal."""
        scale = self.known(op.scale)
        if scale is None:
            return False
        return bool(((scale >= LEAST_SCALE) & (scale <= MOST_SCALE)).all())

    def replace(self, op: Operation, build: Callable[[], SSAValue]) -> None:
        """
        Replaces an op by what is built; what of it is constant becomes that constant,
        but for numbers of what is quantised.
        """
        with ImplicitBuilder(block := Block()):
            result = build()
        made = list(block.ops)
        for each in made:
            each.location = op.location
        Rewriter.inline_block(block, InsertPoint.before(op))
        Rewriter.replace_op(op, [], [result])
        for each in made:
            kept = isinstance(each, ConstantOp | DequantizeOp)
            if isinstance(each, GraphOp) and not kept:
                fold(each, self.weights)
