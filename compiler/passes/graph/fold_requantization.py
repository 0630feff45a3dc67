"""
Scale what is quantised by one factor: its own scale, over that of the result.

Before:

    %1 = graph.conv %x, %w {to = i32} : tensor<1x3x8x8xui8>, … -> tensor<1x4x8x8xi32>
    %2 = graph.sub %1, %z : tensor<1x4x8x8xi32>, tensor<4x1x1xi32> -> …
    %3 = graph.cast %2 {to = f32} : tensor<1x4x8x8xi32> -> tensor<1x4x8x8xf32>
    %4 = graph.mul %3, %k : tensor<1x4x8x8xf32>, tensor<f32> -> tensor<1x4x8x8xf32>
    %5 = graph.add %4, %b : tensor<1x4x8x8xf32>, tensor<4x1x1xf32> -> …
    %6 = graph.quantize %5, %s, %p : tensor<1x4x8x8xf32>, … -> tensor<1x4x8x8xui8>

After:

    %1 = graph.conv %x, %w {to = i32} : tensor<1x3x8x8xui8>, … -> tensor<1x4x8x8xi32>
    %2 = graph.add %1, (%b / %k - %z) : tensor<1x4x8x8xi32>, tensor<4x1x1xi32> -> …
    %3 = graph.cast %2 {to = f32} : tensor<1x4x8x8xi32> -> tensor<1x4x8x8xf32>
    %4 = graph.mul %3, (%k / %s, for each channel) : …, tensor<4x1x1xf32> -> …
    %6 = graph.quantize %4, 1.0, %p : tensor<1x4x8x8xf32>, … -> tensor<1x4x8x8xui8>

What is quantised is integers times a constant, what is dequantised, a sum or a Relu of
such: so is what the scale divides. A bias that is an integer in units of the factor, as
those of quantisers are, joins the term of zero points, where the sum fits into 32 bits.
Fewer operations round then: what sums of products come to is the step of before, or at
a tie its neighbour. A factor is one for each channel where there is a bias: so layers
with one scale and with several have the same kernels. A Relu before steps that begin at
zero is no more.

Where no product of tensors stands between, each step of the result is the model's: all
of the 256 steps of a byte, or pairs of two, are tried (`every_step.py`). Factors may be
a little off to reach that, and where none does, nothing is folded.

A zero point of one element that is a weight becomes a constant, an immediate in the
code of a kernel: so what is quantised saturates as a float, by two comparisons, and
what is dequantised in the kernel that quantised it is what was rounded.

It does not fire for other floats, where another op reads what is between, where a
factor would leave the normal numbers, for what cannot be tried, as three tensors of
bytes, or for PyTorch's `reciprocal`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import ELEMENT_TYPES, Array, product, tensor_type
from ....dialects.graph import (
    AddOp,
    CastOp,
    ConstantOp,
    ConvOp,
    DequantizeOp,
    MatmulOp,
    MulOp,
    QuantizeOp,
    ReluOp,
    SubOp,
    WeightOp,
)
from ....dialects.graph.compose import convert, shape_of
from ...ir import weights_of
from ..every_step import Divisors, EveryStep
from ..steps import LEAST_SCALE, MOST_SCALE, MOST_SUM, is_one

_NEAR = 1 / 4096
"""How much of a step of the result a bias may be off, in the sum of integers."""


@dataclass(frozen=True)
class FoldRequantization(ModulePass):
    """Makes one factor of the scales before and after what is quantised."""

    name = "fold-requantization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        folder = _Folder(weights_of(ctx))
        with np.errstate(all="ignore"):  # a bias may overflow, and saturates then
            for each in [each for each in op.walk() if isinstance(each, QuantizeOp)]:
                folder.rewrite(each)
        for each in list(op.walk()):
            if isinstance(each, QuantizeOp | DequantizeOp):
                folder.name_zero(each)
        dce(op)


@dataclass(frozen=True)
class _Folder(EveryStep):
    """Rewrites the chains before steps of one module."""

    def rewrite(self, op: QuantizeOp) -> None:
        """Divides what is quantised by the scale, where that is a factor of it."""
        if op.reciprocal is not None or not is_one(op.scale):
            return
        scale = self.known(op.scale)
        if scale is None or tensor_type(op.input).element_type != f32:
            return
        size = float(scale.item())
        if size == 1.0 or not self.has_plain_scale(op):
            return
        if not self.is_scalable(op.input, size):
            return
        sizes = self.divisors(op, size)
        if sizes is None:
            return

        def build() -> SSAValue:
            one = ConstantOp(value=np.ones_like(scale)).result
            value = self.scaled(self.without_relu(op), sizes)
            return QuantizeOp(value, one, op.zero_point).result

        self.replace(op, build)

    def name_zero(self, op: QuantizeOp | DequantizeOp) -> None:
        """Makes a weight of one element that is the zero point a constant."""
        weight, type = op.zero_point.owner, tensor_type(op.zero_point).element_type
        if ELEMENT_TYPES[type].is_stored or not is_one(op.zero_point):
            return
        if isinstance(weight, WeightOp):
            array = self.known(op.zero_point)
            if array is not None:
                constant = ConstantOp(value=array)
                Rewriter.insert_op(constant, InsertPoint.before(op))
                op.operands[2] = constant.result

    def without_relu(self, op: QuantizeOp) -> SSAValue:
        """What is quantised, before a Relu below whose zero there are no steps."""
        relu, zero = op.input.owner, self.known(op.zero_point)
        least = ELEMENT_TYPES[tensor_type(op.zero_point).element_type].limits[0]
        if isinstance(relu, ReluOp) and zero is not None and (zero == least).all():
            return relu.input
        return op.input

    def is_scalable(self, value: SSAValue, size: float) -> bool:
        """Whether a value has a constant factor, which nothing else sees."""
        op = value.owner
        if isinstance(op, DequantizeOp):
            return self.is_normal(op.scale, size)
        if not value.has_one_use():
            return False
        match op:
            case MulOp():
                parts = self.apart(op)
                if parts is None or _integers(parts[0]) is None:
                    return False
                return self.is_normal(parts[1], size)
            case AddOp():
                parts = self.apart(op)
                if parts is not None:
                    return self.is_scalable(parts[0], size)
                return all(self.is_scalable(each, size) for each in op.operands)
            case ReluOp():
                return self.is_scalable(op.input, size)
            case _:
                return False

    def apart(self, op: MulOp | AddOp) -> tuple[SSAValue, SSAValue] | None:
        """The operand that a run computes, and the constant one."""
        known = [self.known(each) is not None for each in op.operands]
        if known.count(True) != 1:
            return None
        a, b = op.operands
        x, constant = (b, a) if known[0] else (a, b)
        return (x, constant) if shape_of(x) == shape_of(op.result) else None

    def is_normal(self, factor: SSAValue, size: float) -> bool:
        """Whether a constant over a scale is a normal number."""
        array = self.known(factor)
        if array is None or not array.size or array.dtype != np.float32:
            return False
        ratio = np.abs(array.astype(np.float64)) / size
        return bool(((ratio >= LEAST_SCALE) & (ratio <= MOST_SCALE)).all())

    def scaled(self, value: SSAValue, sizes: Divisors) -> SSAValue:
        """Builds a value whose leaves are divided."""
        match op := value.owner:
            case DequantizeOp():
                return DequantizeOp(
                    op.input, self.over(op.scale, sizes[value]), op.zero_point
                ).result
            case ReluOp():
                return ReluOp(self.scaled(op.input, sizes)).result
            case MulOp():
                x, factor = self.parts_of(op)
                return MulOp(x, self.over(factor, sizes[value])).result
            case AddOp():
                if self.apart(op) is None:
                    return AddOp(*(self.scaled(e, sizes) for e in op.operands)).result
                return self.biased(*self.parts_of(op), sizes)
            case _:
                raise AssertionError(f"expected what can be scaled, got {value}")

    def parts_of(self, op: MulOp | AddOp) -> tuple[SSAValue, SSAValue]:
        """The operand that a run computes, and the constant one, which there are."""
        parts = self.apart(op)
        assert parts is not None
        return parts

    def over(self, factor: SSAValue, size: float) -> SSAValue:
        """Builds a constant over a scale, rounded once."""
        return self.constant(self.number(factor) / size)

    def number(self, constant: SSAValue) -> Array:
        """The elements of a constant in 64 bits."""
        array = self.known(constant)
        assert array is not None
        return array.astype(np.float64)

    def constant(self, array: Array) -> SSAValue:
        """Builds a constant of f32."""
        return ConstantOp(value=np.asarray(array, np.float32)).result

    def biased(self, x: SSAValue, bias: SSAValue, sizes: Divisors) -> SSAValue:
        """Builds the sum of a value and a bias, divided."""
        numbers, op, size = self.number(bias), x.owner, sizes[bias]
        if isinstance(op, MulOp):
            total, constant = self.parts_of(op)
            factor = self.number(constant)
            # Factors vary along no axis but that of the bias.
            wide = np.broadcast_shapes(factor.shape, numbers.shape)
            if wide == numbers.shape:
                factor = np.broadcast_to(factor, wide)
            with_bias = self.in_integers(total, numbers, factor, size)
            if with_bias is not None:
                return MulOp(with_bias, self.constant(factor / size)).result
            scaled = MulOp(total, self.constant(factor / size)).result
        else:
            scaled = self.scaled(x, sizes)
        return AddOp(scaled, self.constant(numbers / size)).result

    def in_integers(
        self, total: SSAValue, bias: Array, factor: Array, size: float
    ) -> SSAValue | None:
        """Builds a sum of integers with a bias, in floats, if it is the same."""
        sums, terms = _integers(total), None
        if sums is None:
            return None
        whole = np.rint(bias / factor)
        if not (np.abs(whole * factor - bias) <= _NEAR * size).all():  # NaN is not
            return None
        if isinstance(sums.owner, SubOp):
            terms = self.known(sums.owner.operands[1])
            if terms is not None:
                sums, whole = sums.owner.operands[0], whole - terms
        most = _greatest(sums)
        if most is None or most + np.abs(whole).max(initial=0) > MOST_SUM:
            return None
        joined = ConstantOp(value=whole.astype(np.int32)).result
        return convert(AddOp(sums, joined).result, f32)


def _integers(value: SSAValue) -> SSAValue | None:
    """The integers of 32 bits that a value is converted from, if it is."""
    op = value.owner
    if isinstance(op, CastOp) and tensor_type(op.input).element_type == i32:
        return op.input
    return None


def _greatest(value: SSAValue) -> int | None:
    """What the sums of products of bytes are not above, if these are known to fit."""
    op = value.owner
    if not isinstance(op, MatmulOp | ConvOp) or op.to is None:
        return None
    a, b = (tensor_type(each).element_type for each in op.operands)
    shape = shape_of(op.operands[1])
    if isinstance(op, ConvOp):
        count = product(shape[1:]) if op.channels_last is None else None
    else:
        count = shape[-2]
    if not isinstance(count, int):
        return None
    one, other = (max(map(abs, ELEMENT_TYPES[each].limits)) for each in (a, b))
    return int(count * one * other)
