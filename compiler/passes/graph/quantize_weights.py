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
that are not finite, and all that is no second factor of a product of matrices. Where
each product of a batch looks up one of many matrices, as those of experts, it looks up
steps and scales instead, which become numbers in the kernel of the product:

    %2 = graph.index_select %0, %i {axis = 0} : tensor<8x1x8x512xi32>, … -> …
    %3 = graph.index_select %1, %i {axis = 0} : tensor<8x1x1x1x512xf32>, … -> …
    %4 = graph.dequantize_words %2, %3 {bits = 4} : … -> tensor<?x1x8x8x512xf32, ["b"]>
    %5 = graph.block_matmul %x, %4 {batch = 1} : tensor<?x7x64xf32, ["b"]>, … -> …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import Array
from ....dialects.graph import (
    CastOp,
    GraphOp,
    IndexSelectOp,
    LinearOp,
    MatmulOp,
    PermuteOp,
    WeightOp,
)
from ...ir import WeightStore, weights_of
from ..few_bits import LEAST_GROUP, FewBits, Stack, factors_of, lookup_of, replace

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
        quantizer = _Quantizer(weights_of(ctx), self.bits, self.bytes)
        for each in list(op.walk()):
            if isinstance(each, MatmulOp | LinearOp):
                quantizer.quantize(each)
        dce(op)


@dataclass(frozen=True)
class _Quantizer:
    """Rewrites products of one module."""

    weights: WeightStore
    bits: int
    bytes: bool
    made: dict[tuple[str, bool], FewBits | Stack | None] = field(
        default_factory=dict[tuple[str, bool], FewBits | Stack | None]
    )
    """What weights became, which products may share, by key and whether transposed."""

    def quantize(self, op: MatmulOp | LinearOp) -> None:
        """Lets a product read its weight in steps."""
        if (factors := factors_of(op)) is not None:
            self.quantize_matrix(op, *factors)
        elif (looked_up := lookup_of(op)) is not None:
            self.quantize_stack(op, *looked_up)

    def quantize_matrix(
        self, op: MatmulOp | LinearOp, x: SSAValue, weight: SSAValue
    ) -> None:
        """Makes steps of a matrix."""
        if (found := _weight_of(weight, self.weights)) is None:
            return
        (name, array), is_transposed = found, isinstance(op, LinearOp)
        key = name, is_transposed
        if key not in self.made:
            self.made[key] = quantized(array.T if is_transposed else array, self.bits)
        if isinstance(few := self.made[key], FewBits):
            replace(op, lambda: few.build(x, name, self.weights, self.bytes))

    def quantize_stack(
        self, op: MatmulOp | LinearOp, lookup: IndexSelectOp, movers: Sequence[GraphOp]
    ) -> None:
        """Makes steps of matrices; each product of a batch looks up one of them."""
        if (found := _weight_of(lookup.input, self.weights)) is None:
            return
        (name, array), x = found, op.operands[0]
        turns = [each for each in movers if isinstance(each, PermuteOp)]
        key = name, sum(each.order.get_values() == (0, 2, 1) for each in turns) % 2 == 1
        if key not in self.made:
            for each in movers:
                (array,) = each.run_reference([array], {})
            self.made[key] = _stack(array, self.bits)
        if isinstance(few := self.made[key], Stack):
            replace(op, lambda: few.build(x, lookup, name, self.weights))


def _stack(matrices: Array, bits: int) -> Stack | None:
    """Matrices GxKxN in steps of some bits, if all have groups for them."""
    found = [quantized(each, bits) for each in matrices]
    few = [each for each in found if each is not None]
    return Stack.of(few) if few and len(few) == len(found) else None


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
