"""
Let the sums of a long product be f32 in memory, where its result has 16 bits.

Before:

    %0 = graph.fusion %x, %w : tensor<196x2304xbf16>, … -> tensor<196x256xbf16> {
    ^bb0(%a: tensor<196x2304xbf16>, %b: tensor<2304x256xbf16>):
      %1 = graph.matmul %a, %b : … -> tensor<196x256xbf16>
      %2 = graph.relu %1 : tensor<196x256xbf16> -> tensor<196x256xbf16>
      graph.yield %2 : tensor<196x256xbf16>
    }

After:

    %0 = graph.fusion %x, %w : tensor<196x2304xbf16>, … -> tensor<196x256xf32> {
    ^bb0(%a: tensor<196x2304xbf16>, %b: tensor<2304x256xbf16>):
      %1 = graph.cast %a {to = f32} : …
      %2 = graph.cast %b {to = f32} : …
      %3 = graph.matmul %1, %2 : … -> tensor<196x256xf32>
      graph.yield %3 : tensor<196x256xf32>
    }
    %4 = graph.fusion %0 : tensor<196x256xf32> -> tensor<196x256xbf16> {
    ^bb0(%c: tensor<196x256xf32>):
      %5 = graph.cast %c {to = bf16} : …
      %6 = graph.relu %5 : …
      graph.yield %6 : tensor<196x256xbf16>
    }

A product goes over blocks of k, so that panels stay in the first cache, and keeps its
accumulators between two blocks where the result will be. A result of 16 bits has no
room for them: all of k is one block then, and each tile reads its panels from the
second cache. For many rows it takes less time to write the sums once more and to read
them. No bit changes. It is for products of known k, with one sum in their kernel; not
for models as data, since a kernel of a library takes any k, and is found by its loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.graph import ControlOp, FusionOp, GraphOp, YieldOp
from ....dialects.graph.compose import rounding
from ....dialects.loop import TargetAttr, target_of
from ...cost import MOST_KC, most_k_of_panels
from ..defined_functions import defined_functions
from ..narrow_reads import as_fusion
from ..product_rows import depth_of, product_of, rows_of

_MANY_ROWS = 32
"""
Rows, at least, for which sums are written once more: of 49 by 512 by 4608 the product
takes 0.62 of the time then (`docs/precision.md`).
"""


@dataclass(frozen=True)
class SplitSums(ModulePass):
    """Makes two kernels of long products with results of 16 bits."""

    name = "split-sums"

    rows: int = _MANY_ROWS
    """Rows, at least, of products that become two kernels; 0 for none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        most = _most_k(target_of(op))
        for function in defined_functions(op) if self.rows else ():
            self.split_block(function.body.block, most)

    def split_block(self, block: Block, most: int) -> None:
        """Splits products of more than `most` k of a block, and of its regions."""
        for op in list(block.ops):
            if isinstance(op, ControlOp):
                for inner in op.blocks:
                    self.split_block(inner, most)
            elif isinstance(op, GraphOp) and _is_long(op, most, self.rows):
                fusion = as_fusion(op)
                summing = [each for each in fusion.ops if _sums(each)]
                if len(summing) == 1:
                    _split(fusion, summing[0])


def _most_k(target: TargetAttr) -> int:
    """k that are one block whatever the result is."""
    if target.isa(bf16) is not None:
        return MOST_KC
    return most_k_of_panels(target)


def _is_long(op: GraphOp, most: int, many: int) -> bool:
    """Whether an op is a product of 16 bits, of more than `most` k and `many` rows."""
    if len(op.results) != 1 or not rounding.is_half(op.results[0]):
        return False
    nest = product_of(op)
    if nest is None:
        return False
    reduced = depth_of(nest)
    if not isinstance(reduced, int) or reduced <= most:
        return False
    return rows_of(nest) >= many


def _sums(op: GraphOp) -> bool:
    """Whether an op reduces anything."""
    return any(each.reductions for each in op.nests() or ())


def _split(fusion: FusionOp, contraction: GraphOp) -> None:
    """Puts a product, and what computes its operands, into a kernel of its own."""
    before = _needed_for(contraction.operands)
    first = _Kernel(fusion)
    for op in fusion.ops:
        if op in before:
            first.copy(op)
    operands = [first.value(each) for each in contraction.operands]
    with ImplicitBuilder(first.block):
        operands = [rounding.widened(each) for each in operands]
    sums = rounding.remade(contraction, operands)
    first.block.add_op(sums)
    wide = first.finished(sums.results[0])
    rest = _Kernel(fusion)
    argument = rest.taken(wide)
    with ImplicitBuilder(rest.block):
        found = rounding.narrowed(argument, contraction.results[0].type)
    rest.known[contraction.results[0]] = found
    after = _needed_for([fusion.root], contraction)
    for op in fusion.ops:
        if op in after:
            rest.copy(op)
    result = rest.finished(rest.value(fusion.root))
    Rewriter.replace_op(fusion, [], [result])


def _needed_for(
    values: Iterable[SSAValue], without: Operation | None = None
) -> set[Operation]:
    """The ops that values are computed by, but not what one of them is computed by."""
    found, waiting = set[Operation](), [each.owner for each in values]
    while waiting:
        op = waiting.pop()
        if isinstance(op, Operation) and op not in found and op is not without:
            found.add(op)
            waiting += [each.owner for each in op.operands]
    return found


@dataclass
class _Kernel:
    """A fusion that is made of ops of another one, before that."""

    origin: FusionOp
    block: Block = field(default_factory=Block)
    inputs: list[SSAValue] = field(default_factory=list[SSAValue])
    known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def taken(self, input: SSAValue) -> SSAValue:
        """An argument for an input."""
        self.inputs.append(input)
        return self.block.insert_arg(input.type, len(self.block.args))

    def value(self, value: SSAValue) -> SSAValue:
        """What a value of the origin is in here."""
        if value not in self.known:
            number = [*self.origin.body.block.args].index(cast(BlockArgument, value))
            self.known[value] = self.taken(self.origin.operands[number])
        return self.known[value]

    def copy(self, op: GraphOp) -> None:
        """Adds an op of the origin."""
        copy = op.clone({each: self.value(each) for each in op.operands})
        self.block.add_op(copy)
        self.known |= zip(op.results, copy.results, strict=True)

    def finished(self, result: SSAValue) -> SSAValue:
        """Puts the fusion where its origin is; what it yields."""
        self.block.add_op(YieldOp(result))
        made = FusionOp.of(self.inputs, self.block)
        made.location = self.origin.location
        Rewriter.insert_op(made, InsertPoint.before(self.origin))
        return made.result
