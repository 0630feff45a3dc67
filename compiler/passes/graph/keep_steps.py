"""
Keep constant weights of products in the few bits that a model has quantised them to.

Before:

    %1 = graph.dequantize %w, %s, %z : tensor<512x2x32xui8>, … -> tensor<512x2x32xf32>
    %2 = graph.reshape %1 {shape = ["512", "64"]} : … -> tensor<512x64xf32>
    %3 = graph.linear %x, %2 : tensor<7x64xf32>, tensor<512x64xf32> -> tensor<7x512xf32>

After:

    %0 = graph.weight "w.steps" : tensor<2x4x512xi32>
    %1 = graph.weight "w.scales" : tensor<2x1x1x512xf32>
    %2 = graph.dequantize_words %0, %1 {bits = 4} : … -> tensor<2x4x8x512xf32>
    %3 = graph.block_matmul %x, %2 : tensor<7x64xf32>, … -> tensor<7x512xf32>

Here steps have four bits. `fuse` puts both ops into one kernel, which makes numbers of
steps in registers, or of a panel at a time where many rows use it: so memory has steps
and scales alone. A number is what `graph.dequantize` says, rounded once, and products
are added up in the order of k: so results have the bits of the same weight in f32. Zero
points that are the middle of the steps go, since words have signed steps.

With `bytes` the other factor is rounded to bytes in blocks of 32, or of 16 where
groups ask for that, and both factors are multiplied as bytes:

    %4 = graph.quantize %x, %3, %zero : … -> tensor<7x2x32xsi8>
    %7 = graph.multiply_steps %6, %3, %5, %0, %1 {bits = 4} : … -> tensor<7x32x16xf32>

Where `graph.round_blocks` makes the other factor this is so without `bytes`.

Steps of eight bits are bytes, which `graph.dequantize` takes as they are. Whatever only
moves elements may stand between. Scales are the same for groups of rows, all of one
size, of 16 rows or more, and a whole number of words; else, and for small weights, for
factors of other types and for steps of more than eight bits, the weight becomes f32.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import Array
from ....dialects.graph import DequantizeOp, GraphOp, LinearOp, MatmulOp, WeightOp
from ....dialects.graph.few_bits import STEP_BITS
from ....dialects.kernel import only_moves
from ...ir import weights_of
from ..few_bits import BYTE_BITS, FewBits, factors_of, in_groups, replace
from ..steps import Steps


@dataclass(frozen=True)
class KeepSteps(ModulePass):
    """Lets products read constant weights of few bits as they are."""

    name = "keep-steps"

    bytes: bool = False
    """Whether the other factor is rounded to bytes, where no `round_blocks` does so."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = list(op.walk())
        if not any(isinstance(each, DequantizeOp) for each in found):
            return
        keeper = _Keeper(weights_of(ctx), self.bytes)
        for each in found:
            if isinstance(each, MatmulOp | LinearOp):
                keeper.keep(each)
        dce(op)


@dataclass(frozen=True)
class _Keeper(Steps):
    """Rewrites products of one module."""

    bytes: bool = False
    made: dict[tuple[SSAValue, bool], tuple[str, FewBits] | None] = field(
        default_factory=dict[tuple[SSAValue, bool], tuple[str, FewBits] | None]
    )
    """The weights of few bits that were found, by the weight and whether transposed."""

    def keep(self, op: MatmulOp | LinearOp) -> None:
        """Lets a product read the steps of its weight, if it can."""
        if (factors := factors_of(op)) is None:
            return
        x, weight = factors
        key = weight, isinstance(op, LinearOp)
        if key not in self.made:
            self.made[key] = self.find(*key)
        if (found := self.made[key]) is not None:
            name, few = found
            replace(op, lambda: few.build(x, name, self.weights, self.bytes))

    def find(self, weight: SSAValue, is_transposed: bool) -> tuple[str, FewBits] | None:
        """The name of a weight, and its steps, if it has such."""
        movers, source = _moved(weight)
        if source is None:
            return None
        steps, scale, zero = (self.known(each) for each in source.operands)
        if steps is None or scale is None or zero is None:
            return None
        if steps.dtype.kind not in "iu":
            return None
        parts = self.moved_parts((steps, scale, zero), movers)
        found = in_few_bits(*((each.T for each in parts) if is_transposed else parts))
        owner = source.input.owner
        name = owner.key.data if isinstance(owner, WeightOp) else "weight"
        return None if found is None else (name, found)

    def moved_parts(
        self, parts: tuple[Array, Array, Array], movers: list[GraphOp]
    ) -> list[Array]:
        """The step, the scale and the zero point of each element, once it is moved."""
        shape = parts[0].shape
        moved: list[Array] = []
        for each in parts:
            array = np.broadcast_to(each, shape)
            for mover in reversed(movers):
                (array,) = mover.run_reference([array], {})
            moved.append(array)
        return moved


def _moved(value: SSAValue) -> tuple[list[GraphOp], DequantizeOp | None]:
    """The ops that only move the elements of a dequantised tensor, the last first."""
    movers: list[GraphOp] = []
    while isinstance(owner := value.owner, GraphOp):
        if isinstance(owner, DequantizeOp):
            return movers, owner
        if len(owner.operands) != 1 or not (owner.IS_VIEW or only_moves(owner)):
            break
        movers.append(owner)
        value = owner.operands[0]
    return [], None


def in_few_bits(steps: Array, scale: Array, zero: Array) -> FewBits | None:
    """The weight in as few bits as its steps have, if they have eight or fewer."""
    least, most = int(steps.min()), int(steps.max())
    scales, zeros = in_groups((scale, zero))
    for bits in (*STEP_BITS, BYTE_BITS):
        half = 1 << (bits - 1)
        for middle in (0, half):
            if -half <= least - middle and most - middle < half:
                signed = (steps.astype(np.int16) - middle).astype(np.int8)
                found = FewBits(signed, scales, zeros.astype(np.int32) - middle, bits)
                if found.pays:
                    return found
    return None
