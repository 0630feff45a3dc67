"""
Evaluate at compile time every graph op whose operands are all constants or weights.

Before:

    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = graph.add %0, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>

After:

    %1 = graph.constant dense<[2.0, 4.0]> : tensor<2xf32>

The value comes from the op's own `reference`, so folding and the test oracle cannot
disagree. A value of more than 16 elements goes to the weight store, and becomes a
`graph.weight`. A large result that takes more space than its operands, such as a
broadcast, is left to run time; but for floats made of integers, which are factors. So
is a cast that only widens a weight, since loads of the narrow element do the same; what
is computed from it folds. What is dequantised is looked at by `fold-quantization` first
(`dequantizes`), and stays what `keep-steps` keeps.

Of an `if` whose condition is known the chosen region alone is left, and of a loop that
has no trips, as over the rows of an empty matrix, its first values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import dtype, sizes, tensor_type
from ....dialects.graph import (
    ConstantOp,
    ControlOp,
    DequantizeOp,
    GraphOp,
    IfOp,
    LoopOp,
    WeightOp,
)
from ....dialects.graph.compose.random import RandomUniformOp
from ....dialects.graph.few_bits import makes_factor
from ....dialects.graph.storage import StoredOp
from ...ir import WeightStore, weights_of
from ..defined_functions import defined_functions
from ..known_values import constant_value, fold


@dataclass(frozen=True)
class FoldConstants(ModulePass):
    """Evaluates ops at compile time that do not depend on the inputs of the model."""

    name = "fold-constants"

    dequantizes: bool = True
    """Whether what is quantised becomes numbers."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        # Numbers at random are drawn anew, as they would take memory.
        kept: tuple[type[GraphOp], ...] = ConstantOp, RandomUniformOp
        if not self.dequantizes:
            kept = (*kept, DequantizeOp)
        named = Counter(
            each.key.data for each in op.walk() if isinstance(each, StoredOp)
        )
        folding = _Folding(weights, kept, named)
        for each in defined_functions(op):
            folding.fold_all(list(each.body.block.ops))
        dce(op)


@dataclass
class _Folding:
    """The folding of a module; what nothing reads any more leaves the store at once."""

    weights: WeightStore
    kept: tuple[type[GraphOp], ...]
    named: Counter[str]
    """How many ops name an entry of the store."""

    sources: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The entries that an entry was folded from."""
    folded: defaultdict[str, list[str]] = field(
        default_factory=lambda: defaultdict[str, list[str]](list)
    )
    """The entries that were folded from an entry."""

    def fold_all(self, ops: Sequence[Operation]) -> None:
        """Folds ops in order, but for some; the ops of a region come before its op."""
        for op in ops:
            if isinstance(op, ControlOp):
                self.named.update(_sink_constants(op))
                chosen = _choose(op, self.weights) if isinstance(op, IfOp) else None
                if chosen is not None:
                    self.fold_all(chosen)
                    continue
                first = _first(op, self.weights) if isinstance(op, LoopOp) else None
                if first is not None:
                    Rewriter.replace_op(op, [], first)
                    continue
                for block in op.blocks:
                    self.fold_all(list(block.ops))
                if any(isinstance(each, StoredOp) for each in op.walk()):
                    continue
            is_kept = isinstance(op, self.kept) or makes_factor(op)
            if isinstance(op, GraphOp) and op.results and not is_kept:
                self.fold(op)

    def fold(self, op: GraphOp) -> None:
        """Folds an op, and drops weights that it alone read."""
        read = {each.owner for each in op.operands}
        made = fold(op, self.weights)
        if not made:
            return
        weights = [each for each in read if isinstance(each, WeightOp)]
        sources = {each.key.data for each in weights}
        for key in (each.key.data for each in made if isinstance(each, WeightOp)):
            self.named[key] += 1
            self.sources[key] = sources
            for source in sources:
                self.folded[source].append(key)
        for each in weights:
            if not each.result.uses:
                Rewriter.erase_op(each)
                self.named[each.key.data] -= 1
                self.release(each.key.data)

    def release(self, key: str) -> None:
        """
        Drops a weight that no op names, unless another may be folded to it, by the same
        ops from the same weights, which are there: such share it.
        """
        waiting = [key]
        while waiting:
            key = waiting.pop()
            sources = self.sources.get(key)
            is_shared = sources and all(each in self.weights for each in sources)
            if key in self.weights and not self.named[key] and not is_shared:
                self.weights.forget(key)
                waiting += self.folded[key]


def _sink_constants(op: ControlOp) -> list[str]:
    """
    Replaces constant operands of regions by constants inside the regions; returns the
    names of weights that more ops have now.
    """
    sunk: list[str] = []
    for block in op.blocks:
        for argument in block.args[op.first_seen :]:
            value = op.memory_of(argument)
            assert value is not None, "what a region sees whole is an operand"
            if not isinstance(value.owner, ConstantOp | WeightOp):
                continue
            copy = value.owner.clone()
            copy.location = value.owner.location
            Rewriter.insert_op(copy, InsertPoint.at_start(block))
            argument.replace_all_uses_with(copy.results[0])
            if isinstance(copy, WeightOp):
                sunk.append(copy.key.data)
    op.drop_unused()
    return sunk


def _choose(op: IfOp, weights: WeightStore) -> list[Operation] | None:
    """Inlines the chosen region of an op with a constant condition; returns its ops."""
    condition = constant_value(op.condition, weights)
    if condition is None:
        return None
    block = (op.then if condition else op.otherwise).block
    *ops, end = block.ops
    Rewriter.inline_block(block, InsertPoint.before(op), list(op.captured))
    results = list(end.operands)
    Rewriter.erase_op(end)
    Rewriter.replace_op(op, [], results)
    return ops


def _first(op: LoopOp, weights: WeightStore) -> list[SSAValue] | None:
    """The results of a loop that has no trips: its first values, and empty stacks."""
    is_over = op.limit == 0
    if op.condition is not None:
        condition = constant_value(op.condition, weights)
        is_over |= condition is not None and not condition
    first = [*op.operands[op.first : op.first + op.carried_count]]
    types = [each.type for each in first]
    if not is_over or types != [*op.result_types[: op.carried_count]]:
        return None
    stacks = [tensor_type(each) for each in op.result_types[op.carried_count :]]
    known = [[n for n in sizes(each) if isinstance(n, int)] for each in stacks]
    if any(
        0 not in its or len(its) < len(each.shape) for its, each in zip(known, stacks)
    ):
        return None
    empty = [
        ConstantOp(value=np.zeros(its, dtype(each)))
        for its, each in zip(known, stacks, strict=True)
    ]
    for each in empty:
        Rewriter.insert_op(each, InsertPoint.before(op))
    return [*first, *(each.result for each in empty)]
