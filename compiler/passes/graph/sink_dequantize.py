"""
Dequantise a tensor after it is moved, and drop pairs of ops that give steps back.

Before:

    %1 = graph.dequantize %x, %s, %p : tensor<4x6xui8>, … -> tensor<4x6xf32>
    %2 = graph.permute %1 {order = array<i64: 1, 0>} : … -> tensor<6x4xf32>
    %3 = graph.relu %2 : tensor<6x4xf32> -> tensor<6x4xf32>
    %4 = graph.quantize %3, %s, %p : tensor<6x4xf32>, … -> tensor<6x4xui8>

After:

    %1 = graph.permute %x {order = array<i64: 1, 0>} : … -> tensor<6x4xui8>
    %4 = graph.maximum %1, %p : tensor<6x4xui8>, tensor<ui8> -> tensor<6x4xui8>

An op that moves elements, or takes the greatest of them, gives the same numbers before
and after each step became one, as scales are positive; what Relu makes zero is below
the zero point, whatever that is. Steps that are dequantised and quantised again by the
same scale and zero point are the steps. So pools, concatenations, permutations, slices,
look-ups in tables and Relu stay in bytes. It does not fire where a tensor has a scale
for each channel, unless its axes are only permuted, nor for a concatenation of tensors
of different scales, since each has to be rounded. Other users of a dequantised tensor
keep it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import ELEMENT_TYPES, tensor_type
from ....dialects.graph import (
    ClampOp,
    ConcatOp,
    DequantizeOp,
    IndexSelectOp,
    MaximumOp,
    MaxPoolOp,
    PermuteOp,
    QuantizeOp,
    ReluOp,
    ReshapeOp,
    SliceOp,
)
from ....dialects.graph.compose import reshaped, shape_of
from ...ir import weights_of
from ..steps import (
    Steps,
    dequantized,
    has_full_windows,
    has_stored_steps,
    is_one,
)


@dataclass(frozen=True)
class SinkDequantize(ModulePass):
    """Dequantises tensors after they are moved, where that is the same."""

    name = "sink-dequantize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = list(op.walk())
        if not any(isinstance(each, DequantizeOp) for each in found):
            return
        sinker = _Sinker(weights_of(ctx))
        for each in found:
            # Operands come before their users, so each op is seen once.
            sinker.rewrite(each)
        dce(op)


def _is_of_tensor(op: DequantizeOp) -> bool:
    """Whether a tensor has one scale and one zero point."""
    return is_one(op.scale) and is_one(op.zero_point)


def _dequantize(x: SSAValue, like: DequantizeOp) -> SSAValue:
    """Builds the numbers of steps, which have the one scale of other steps."""
    scalars = (reshaped(each, []) for each in (like.scale, like.zero_point))
    return DequantizeOp(x, *scalars).result


@dataclass(frozen=True)
class _Sinker(Steps):
    """Rewrites ops of one module, in order."""

    def rewrite(self, op: Operation) -> None:
        """Rewrites an op whose operands are dequantised, if that is right."""
        match op:
            case QuantizeOp():
                self.drop_pair(op)
            case ConcatOp():
                self.concatenate_steps(op)
            case ReshapeOp() | PermuteOp() | SliceOp() | MaxPoolOp() | IndexSelectOp():
                self.move(op)
            case ReluOp() | ClampOp():
                self.limit(op)
            case _:
                pass

    def drop_pair(self, op: QuantizeOp) -> None:
        """
        Replaces steps that are dequantised and quantised again by the steps. Their
        numbers are off by an ulp, which the quotient cannot make a half of a step,
        where steps have half of the digits of the numbers.
        """
        steps = dequantized(op.input)
        row = ELEMENT_TYPES[tensor_type(op.result).element_type]
        if (
            steps is not None
            and op.reciprocal is None
            and steps.input.type == op.result.type
            and isinstance(row.type, IntegerType)
            and 2 * row.bits <= tensor_type(op.input).element_type.bitwidth
            and tensor_type(op.input).element_type in (f32, f64)
            and self.is_same(steps.scale, op.scale)
            and self.is_same(steps.zero_point, op.zero_point)
            and self.has_plain_scale(op)
        ):
            Rewriter.replace_op(op, [], [steps.input])

    def concatenate_steps(self, op: ConcatOp) -> None:
        """Concatenates steps of one scale, and dequantises the result."""
        found = [dequantized(each) for each in op.operands]
        parts = [each for each in found if each is not None]
        first = parts[0] if len(parts) == len(found) else None
        if first is not None and all(
            _is_of_tensor(each)
            and tensor_type(each.input).element_type
            == tensor_type(first.input).element_type
            and self.is_same(each.scale, first.scale)
            and self.is_same(each.zero_point, first.zero_point)
            for each in parts
        ):
            steps = [each.input for each in parts]
            self.replace(
                op,
                lambda: _dequantize(ConcatOp(*steps, **op.properties).result, first),
            )

    def move(
        self, op: ReshapeOp | PermuteOp | SliceOp | MaxPoolOp | IndexSelectOp
    ) -> None:
        """Moves steps, or takes the greatest of them, and dequantises the result."""
        steps = dequantized(op.operands[0])
        if steps is None:
            return
        if isinstance(op, MaxPoolOp) and not (
            self.has_plain_scale(steps)
            and has_full_windows(op)
            and not has_stored_steps(steps)
        ):
            return
        if _is_of_tensor(steps):

            def build() -> SSAValue:
                _, *others = op.operands
                moved = type(op)(steps.input, *others, **op.properties).result
                return _dequantize(moved, steps)

            self.replace(op, build)
        elif isinstance(op, PermuteOp):
            rank = len(op.shape)

            def permute(value: SSAValue) -> SSAValue:
                shape = shape_of(value)
                wide = reshaped(value, [*(1 for _ in range(rank - len(shape))), *shape])
                return PermuteOp(wide, **op.properties).result

            self.replace(op, lambda: DequantizeOp(*map(permute, steps.operands)).result)

    def limit(self, op: ReluOp | ClampOp) -> None:
        """
        Replaces what is negative by zero among steps, where zero is the zero point.
        """
        steps = dequantized(op.input)
        if isinstance(op, ClampOp) and op.values() != {"min": 0.0}:
            return
        if steps is None or not _is_of_tensor(steps) or has_stored_steps(steps):
            return
        if not self.has_plain_scale(steps):
            return

        def build() -> SSAValue:
            zero = reshaped(steps.zero_point, [])
            return _dequantize(MaximumOp(steps.input, zero).result, steps)

        self.replace(op, build)
