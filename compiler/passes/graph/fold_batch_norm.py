"""
Fold a batch normalisation into the weights of the convolution or layer before it.

Before:

    %1 = graph.conv %x, %w {…} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> …
    %2 = graph.batch_norm %1, %scale, %bias, %mean, %variance {epsilon = 1e-5 : f64} : …

After:

    %f = (scale / sqrt(variance + epsilon)), one factor for each channel
    %1 = graph.conv %x, (%w * %f) {…} : …
    %2 = graph.add %1, (%bias - %mean * %f) : …

Scaling an output channel of a convolution is scaling its filter. A bias added in
between is scaled as well. It fires when all but the input are constants, so that
`fold-constants` then computes the new weights, and when the normalisation is the only
user.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import dce

from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.batch_norm import BatchNormOp
from ....dialects.graph.ops.binary import AddOp, MulOp
from ....dialects.graph.ops.constant import ConstantOp
from ....dialects.graph.ops.conv import ConvOp
from ....dialects.graph.ops.linear import LinearOp
from ....dialects.graph.ops.reshape import ReshapeOp
from ....dialects.graph.ops.weight import WeightOp
from ....dialects.graph.shape import sizes, tensor_type

Layer = ConvOp | LinearOp


def is_constant(value: SSAValue) -> bool:
    """Whether `value` is the same in every run."""
    return isinstance(value.owner, ConstantOp | WeightOp)


def layer_before(value: SSAValue) -> tuple[Layer, SSAValue | None] | None:
    """The layer that computes `value`, and the constant added to it, if any."""
    owner, bias = value.owner, None
    if isinstance(owner, AddOp) and value.has_one_use():
        a, b = owner.operands
        if is_constant(b):
            a, b = b, a
        if is_constant(a) and is_per_channel(a, b):
            owner, bias, value = b.owner, a, b
    if isinstance(owner, Layer) and value.has_one_use() and is_constant(owner.weight):
        return owner, bias
    return None


def is_per_channel(bias: SSAValue, value: SSAValue) -> bool:
    """Whether `bias` broadcasts to `value` along all axes but that of its channels."""
    shape, wide = sizes(tensor_type(bias)), sizes(tensor_type(value))
    if len(shape) > len(wide):
        # Then the axis of the channels is another one in the sum.
        return False
    places = range(len(wide) - len(shape), len(wide))
    return all(size == 1 or at == 1 for at, size in zip(places, shape, strict=True))


class FoldIntoLayer(RewritePattern):
    """Replaces a layer and its normalisation by a layer with other weights."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        found = layer_before(op.input)
        if found is None or not all(is_constant(each) for each in op.operands[1:]):
            return
        layer, bias = found
        rank = len(op.shape)
        if isinstance(layer, LinearOp) and rank != 2:
            return
        with ImplicitBuilder(built := Block()):
            factor, shift = op.scale_and_shift()
            weight = tensor_type(layer.weight)
            filters = per_channel(factor, len(sizes(weight)) - 1)
            new = type(layer)(
                layer.operands[0], MulOp(layer.weight, filters), **layer.properties
            )
            moved = per_channel(shift, rank - 2)
            if bias is not None:
                moved = AddOp(MulOp(bias, per_channel(factor, rank - 2)), moved).result
            result = AddOp(new, moved)
        for each in built.ops:
            each.location = layer.location
        rewriter.inline_block(built, InsertPoint.before(op))
        rewriter.replace(op, [], [result.result])


def per_channel(value: SSAValue, after: int) -> SSAValue:
    """The tensor of C as a tensor of C x 1 x ..., with so many axes after it."""
    (channels,) = sizes(tensor_type(value))
    return ReshapeOp(
        value, shape=to_names([channels, *(1 for _ in range(after))])
    ).result


@dataclass(frozen=True)
class FoldBatchNorm(ModulePass):
    """Folds batch normalisations into the layers before them."""

    name = "fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(FoldIntoLayer()).rewrite_module(op)
        dce(op)
