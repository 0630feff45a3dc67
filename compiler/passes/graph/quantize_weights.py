"""
Quantise the constant weights of products to steps of few bits.

Before:

    %w = graph.weight "w" : tensor<512x64xf32>
    %1 = graph.linear %x, %w : tensor<7x64xf32>, tensor<512x64xf32> -> tensor<7x512xf32>

After:

    %0 = graph.weight "w.steps" : tensor<1x8x512xi32>
    %1 = graph.weight "w.scales" : tensor<1x1x1x512xf32>
    %2 = graph.dequantize_words %0, %1 {bits = 4} : … -> tensor<1x8x8x512xf32>
    %3 = graph.block_matmul %x, %2 : tensor<7x64xf32>, … -> tensor<7x512xf32>

Here steps have four bits. The pass changes numbers, and runs only where a user asks for
it (`Options(weights="int4")`). A column has a scale for each group of rows: the element
farthest from zero is the greatest step, and each other one the nearest step, at a tie
the even one. So a weight is off by half a scale at most: 1/14 of the greatest of its
group with four bits, 1/254 with eight. Products are computed as `keep-steps` says,
with `bytes` too.

Groups have 64 rows, or the most below that which all groups can have; a weight that has
no such groups of 16 rows or more stays as it is, as do small ones, those with elements
that are not finite, and all that is no second factor of a product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import Array
from ....dialects.graph import CastOp, LinearOp, MatmulOp, WeightOp
from ...ir import WeightStore, weights_of
from ..few_bits import LEAST_GROUP, FewBits, factors_of, replace

_MOST_GROUP = 64
"""Rows of a group: their scales take 1/16 of the memory of bytes; chosen by hand."""


@dataclass(frozen=True)
class QuantizeWeights(ModulePass):
    """Makes steps of this many bits of the weights of products."""

    name = "quantize-weights"

    bits: int = 8
    bytes: bool = False
    """Whether the other factor is rounded to bytes, too."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        made: dict[tuple[str, bool], FewBits | None] = {}
        for each in list(op.walk()):
            if isinstance(each, MatmulOp | LinearOp):
                self.quantize(each, weights, made)
        dce(op)

    def quantize(
        self,
        op: MatmulOp | LinearOp,
        weights: WeightStore,
        made: dict[tuple[str, bool], FewBits | None],
    ) -> None:
        """Lets a product read its weight in steps, which products may share."""
        factors = factors_of(op)
        found = None if factors is None else _weight_of(factors[1], weights)
        if factors is None or found is None:
            return
        (name, array), is_transposed = found, isinstance(op, LinearOp)
        key = name, is_transposed
        if key not in made:
            made[key] = quantized(array.T if is_transposed else array, self.bits)
        if (weight := made[key]) is not None:
            replace(op, factors[0], weight, name, weights, self.bytes)


def _weight_of(value: SSAValue, weights: WeightStore) -> tuple[str, Array] | None:
    """The key of a weight, which a cast may widen, and its numbers."""
    match value.owner:
        case WeightOp() as op:
            return op.key.data, weights[op.key.data]
        case CastOp(input=SSAValue(owner=WeightOp() as op)) as cast:
            (array,) = cast.run_reference([weights[op.key.data]], {})
            return op.key.data, array
        case _:
            return None


def quantized(weight: Array, bits: int) -> FewBits | None:
    """The weight KxN in steps of some bits, if it has groups for them."""
    rows, columns = weight.shape
    many = FewBits.steps_in_a_word(bits)
    sizes = (
        each for each in range(_MOST_GROUP, LEAST_GROUP - 1, -1) if each % many == 0
    )
    group = next((each for each in sizes if rows % each == 0), None)
    if group is None or not np.isfinite(weight).all():
        return None
    groups = np.ascontiguousarray(weight).reshape(-1, group, columns)
    most = np.abs(groups).max(axis=1)
    greatest = np.float32((1 << (bits - 1)) - 1)
    scale = np.where(most > 0, most / greatest, np.float32(1))
    steps = np.clip(np.rint(groups / scale[:, None]), -greatest, greatest)
    steps = steps.astype(np.int8).reshape(rows, columns)
    found = FewBits(steps, scale, np.zeros(scale.shape, np.int32), bits)
    return found if found.pays else None
