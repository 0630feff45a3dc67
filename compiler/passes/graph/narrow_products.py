"""
Round both factors of products of two activations to bf16, where a target has
instructions for them.

Before:

    %1 = graph.matmul %q, %k : tensor<12x64x32xf32>, tensor<12x32x64xf32> -> …

After:

    %1 = graph.fusion %q, %k : tensor<12x64x32xf32>, tensor<12x32x64xf32> -> … {
    ^bb0(%a: tensor<12x64x32xf32>, %b: tensor<12x32x64xf32>):
      %2 = graph.cast %a {to = bf16} : … -> tensor<12x64x32xbf16>
      %3 = graph.cast %2 {to = f32} : … -> tensor<12x64x32xf32>
      %4 = graph.cast %b {to = bf16} : …
      %5 = graph.cast %4 {to = f32} : …
      %6 = graph.matmul %3, %5 : …
      graph.yield %6 : …
    }

As `narrow-weights` rounds weights, it runs only where a user asks for it
(`Options(precision="bf16")`). Both products of attention are such. Their factors are
rounded once, where the kernel packs them in words (`dialects/loop/packed_words.py`).

Sizes do not decide, so that one model has equal bits whether they are open or known:
but for products with a vector, where a size of rows, columns or k is known to be one.
These read each element of a matrix once, and stay f32. What has weights, or floats of
16 bits as a model says, is no matter of this pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass

from ....dialects import tensor_type
from ....dialects.graph import ConstantOp, FusionOp, GraphOp, MatmulOp, WeightOp
from ....dialects.graph.compose import rounding
from ....dialects.kernel import only_moves
from ....dialects.loop import target_of
from ..narrow_reads import as_fusion


@dataclass(frozen=True)
class NarrowProducts(ModulePass):
    """Makes products of two activations ones of bf16."""

    name = "narrow-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if target_of(op).isa(bf16) is None:
            return
        for each in list(op.walk()):
            if isinstance(each, MatmulOp) and _is_of_matrices(each):
                product = _in_fusion(each)
                for number in range(len(product.operands)):
                    rounding.round_operand(product, number, bf16)


def _is_of_matrices(op: MatmulOp) -> bool:
    """Whether an op multiplies matrices of f32 that are both activations."""
    (*_, m, k), (*_, n) = op.operand_sizes()
    return 1 not in (m, n, k) and all(map(_is_activation, op.operands))


def _is_activation(value: SSAValue) -> bool:
    """Whether a factor is what a run computes in f32, and reads from memory."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        outer = value.block.parent_op()
        if isinstance(outer, FusionOp):
            return _is_activation(outer.operands[value.index])
    elif isinstance(owner, GraphOp) and isinstance(owner.parent_op(), FusionOp):
        # A contraction takes moves before it, and what widens or dequantizes a factor.
        return only_moves(owner) and all(map(_is_activation, owner.operands))
    is_constant = isinstance(owner, WeightOp | ConstantOp)
    return tensor_type(value).element_type == f32 and not is_constant


def _in_fusion(op: MatmulOp) -> MatmulOp:
    """A product in a fusion: itself if it is in one, else a copy in one of its own."""
    if isinstance(op.parent_op(), FusionOp):
        return op
    (copy,) = as_fusion(op).ops
    assert isinstance(copy, MatmulOp)
    return copy
