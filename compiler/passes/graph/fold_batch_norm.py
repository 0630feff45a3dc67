"""
Fold the scale and bias of channels into the weights of the layer before or after.

Before:

    %1 = graph.conv %x, %w {…} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> …
    %2 = graph.batch_norm %1, %scale, %bias, %mean, %variance {epsilon = 1e-5 : f64} : …

After:

    %f = (scale / sqrt(variance + epsilon)), one factor for each channel
    %1 = graph.conv %x, (%w * %f) {…} : …
    %2 = graph.add %1, (%bias - %mean * %f) : …

Scaling an output channel of a layer is the same as scaling its filter. So a product
with, or a quotient by, a constant per channel is folded as well: exporters leave these
of a normalization. A bias in between is scaled too, and two biases become one. A
normalization without a layer before it is folded into the layer after it: its scale
into the filters, and the filtered shifts into a bias, unless that layer pads its input,
as the padding zeros were never shifted.

It fires when all operands but the input are constants, so that `fold-constants` then
computes the new weights, and when the intermediate values have no other use.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import dtype
from ....dialects.graph import (
    AddOp,
    BatchNormOp,
    ConstantOp,
    ConvOp,
    DivOp,
    LinearOp,
    MatmulOp,
    MulOp,
    NegOp,
    ReciprocalOp,
    SubOp,
    SumOp,
    WeightOp,
    to_array,
)
from ...ir import WeightStore, weights_of
from ..layers import (
    Constants,
    Layer,
    by_input,
    by_output,
    channel_axis,
    is_layer,
    is_per_channel,
    layer_before,
    per_channel,
    shape_of,
    vector,
)


def replace(
    op: Operation,
    layer: Layer,
    built: Block,
    result: SSAValue,
    rewriter: PatternRewriter,
) -> None:
    """Replaces `op` by the values built from `layer`."""
    for each in built.ops:
        each.location = layer.location
    rewriter.inline_block(built, InsertPoint.before(op))
    rewriter.replace(op, [], [result])


@dataclass(frozen=True)
class _FoldIntoLayerBefore(RewritePattern):
    """Folds the scale of channels into the weights of the layer before it."""

    weights: WeightStore
    constants: Constants

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        scaled = self.scaled_by(op)
        found = None if scaled is None else layer_before(scaled, self.constants)
        if found is None:
            return
        layer, bias = found
        rank, channels = len(layer.shape), channel_axis(layer)
        if isinstance(op, BatchNormOp):
            if channels != 1:
                return
        elif not (
            is_per_channel(op.operands[self.operand(op)], layer)
            and layer.operands[1].has_one_use()
        ):
            return
        with ImplicitBuilder(built := Block()):
            factor, moved = self.scale_and_shift(op)
            new = type(layer)(
                layer.operands[0], by_output(layer, factor), **layer.properties
            )
            after = rank - 1 - channels
            if moved is not None:
                moved = per_channel(moved, after)
            if bias is not None:
                moved_bias = MulOp(bias, per_channel(factor, after))
                moved = (
                    moved_bias if moved is None else AddOp(moved_bias, moved)
                ).result
            result = new.result if moved is None else AddOp(new, moved).result
        replace(op, layer, built, result, rewriter)

    def scaled_by(self, op: Operation) -> SSAValue | None:
        """The operand that `op` normalizes or scales by usable constants, if any."""
        match op:
            case BatchNormOp():
                return op.input if self.constants.have(op.operands[1:]) else None
            case MulOp() | DivOp():
                operand = self.operand(op)
                value, constant = op.operands[1 - operand], op.operands[operand]
                if op.type != value.type or dtype(op.type).kind != "f":
                    return None
                return (
                    value if self.is_usable(constant, isinstance(op, DivOp)) else None
                )
            case _:
                return None

    def operand(self, op: Operation) -> int:
        """The number of the constant operand of a product or a quotient."""
        return int(isinstance(op, DivOp) or op.operands[1] in self.constants)

    def is_usable(self, constant: SSAValue, divides: bool) -> bool:
        """
        Whether a constant has only finite factors, as a multiplier or as a divisor.
        """
        match constant.owner:
            case ConstantOp() as op:
                array = to_array(op.value)
            case WeightOp() as op if op.key.data in self.weights:
                array = self.weights[op.key.data]
            case _:
                return isinstance(constant.owner, WeightOp)
        return bool(np.isfinite(array).all()) and not (divides and (array == 0).any())

    def scale_and_shift(self, op: Operation) -> tuple[SSAValue, SSAValue | None]:
        """Builds the scale of each channel, and its bias if there is one."""
        if isinstance(op, BatchNormOp):
            return op.scale_and_shift()
        factor = vector(op.operands[self.operand(op)])
        return ReciprocalOp(factor).result if isinstance(op, DivOp) else factor, None


@dataclass(frozen=True)
class _MergeBiases(RewritePattern):
    """
    Merges two constants added to a layer; turns a subtracted one into an added one.
    """

    constants: Constants

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, AddOp | SubOp) or dtype(op.type).kind != "f":
            return
        value, constant = op.operands
        if isinstance(op, AddOp) and value in self.constants:
            value, constant = constant, value
        found = layer_before(value, self.constants)
        if found is None or constant not in self.constants or op.type != value.type:
            return
        layer, bias = found
        if not is_per_channel(constant, layer):
            return
        if bias is None and isinstance(op, AddOp):
            return
        with ImplicitBuilder(built := Block()):
            if bias is None:
                moved = NegOp(constant)
            else:
                moved = type(op)(bias, constant)
            result = AddOp(layer, moved).result
        replace(op, layer, built, result, rewriter)


@dataclass(frozen=True)
class _FoldIntoLayerAfter(RewritePattern):
    """Replaces a normalisation and the layer that reads it by one layer."""

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        layer = next((use.operation for use in op.result.uses), None)
        if (
            not isinstance(layer, ConvOp | LinearOp | MatmulOp)
            or not op.result.has_one_use()
            or layer.operands[0] is not op.result
            or not is_layer(layer, self.constants)
            or not layer.operands[1].has_one_use()
            or not self.constants.have(op.operands[1:])
        ):
            return
        if isinstance(layer, ConvOp):
            if any(layer.values()["padding"]):
                return
        elif len(op.shape) != 2:
            # The channels are not the axis that the weight's rows are multiplied with.
            return
        rank, channels = len(layer.shape), channel_axis(layer)
        with ImplicitBuilder(built := Block()):
            factor, shift = op.scale_and_shift()
            new = type(layer)(op.input, by_input(layer, factor), **layer.properties)
            shifted = by_input(layer, shift)
            outputs = 1 if isinstance(layer, MatmulOp) else 0
            summed = tuple(
                each for each in range(len(shape_of(shifted))) if each != outputs
            )
            moved = SumOp(shifted, axes=summed, keepdims=False).result
            result = AddOp(new, per_channel(moved, rank - 1 - channels)).result
        replace(layer, layer, built, result, rewriter)
        rewriter.erase(op)


@dataclass(frozen=True)
class FoldBatchNorm(ModulePass):
    """Folds the scale and bias of channels into the adjacent layers."""

    name = "fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = Constants()
        patterns: list[RewritePattern] = [
            _FoldIntoLayerBefore(weights_of(ctx), constants),
            _MergeBiases(constants),
            _FoldIntoLayerAfter(constants),
        ]
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(op)
        dce(op)
