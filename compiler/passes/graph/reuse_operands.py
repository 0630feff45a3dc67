"""
Compute results in place, in the memory of an operand that has its last use.

Before:

    %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
    %1 = graph.softmax %0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>

After:

    %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
    %1 = graph.softmax %0 {axis = 1 : i64, graph.in_place = 0 : i64} : …

The operand is computed in the same block, and no later op reads it or a view of it.
Inputs, constants and region arguments are never overwritten. Operand and result have
equally many elements of one type, and the loops of the op read each element before they
store to it (`dialects/kernel/in_place.py`). A yielded value already has the memory of
its destination, and stays there. Where a result may alias operands at run time
(`mark-runtime-skippable`), all of them must be free, whatever is skipped.

An output that could overwrite an input in this way is annotated too, `graph.donated`: a
call may give one array for both (`analyze-donations`).

From here the two share memory: `analyze-aliases` gives them one group, and the kernel
gets one pointer for both. A contraction overwrites an operand of its epilogue only when
it never stores partial accumulators, so that it is as fast as before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import product, tensor_type
from ....dialects.graph import (
    GraphOp,
    Linked,
    MemoryMap,
    block_of,
    is_computed,
    ops_in,
    uses_of,
)
from ....dialects.graph.storage import DONATED, IN_PLACE, byte_size
from ....dialects.kernel import (
    KernelNest,
    group_of,
    is_alike,
    read_elsewhere,
    structure,
)
from ....dialects.loop import StrategyAttr, strategies_of
from ..defined_functions import defined_functions
from .analyze_aliases import lives, spans


@dataclass(frozen=True)
class ReuseOperands(ModulePass):
    """Annotates each op with the operand that it overwrites."""

    name = "reuse-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = _Loops()
        for function in defined_functions(op):
            _reuse(function.body.block, loops)


def _reuse(block: Block, loops: _Loops) -> None:
    """Annotates the ops of a function with the operands that they overwrite."""
    memory = MemoryMap(block)
    ends = {owner: last for owner, (_, last) in lives(block, memory).items()}
    span_of, linked = spans(block), Linked(block, memory)
    for op in ops_in(block):
        if not isinstance(op, GraphOp):
            continue
        end = span_of[op][1]
        dying = [
            number
            for number, operand in enumerate(op.operands)
            if ends[memory.owner_of(operand)] == end
        ]
        if not dying:
            continue
        allowed = loops.allowed(op)
        for number in dying:
            operand = op.operands[number]
            if (
                number in allowed
                and is_free(op, operand, memory)
                and linked.may_overwrite(op, operand, ends, end)
            ):
                op.attributes[IN_PLACE] = IntegerAttr(number, i64)
                linked.overwrite(op.results[0], operand)
                break
        else:
            given = [
                number
                for number in dying
                if number in allowed
                and _may_be_donated(op, op.operands[number], memory)
            ]
            if given:
                op.attributes[DONATED] = DenseArrayBase.from_list(i64, given)


def is_free(op: Operation, operand: SSAValue, memory: MemoryMap) -> bool:
    """
    Whether the memory of an operand is free to become that of the result: its block
    computed it, the op reads all of it by one name, and the result has no memory yet.
    """
    owner = memory.owner_of(operand)
    names = {each for each in op.operands if memory.owner_of(each) is owner}
    return (
        len(op.results) == 1
        and len(names) == 1
        and is_computed(owner)
        and block_of(owner) is op.parent
        and byte_size(tensor_type(owner)) == byte_size(tensor_type(operand))
        and memory.owner_of(op.results[0]) is op.results[0]
    )


def _may_be_donated(op: Operation, operand: SSAValue, memory: MemoryMap) -> bool:
    """
    Whether a call may give one memory for an operand and the result: they are an input
    and an output, and the op reads the input by one name.

    A function of one output has no state beside its result, so its kernels need not
    work on memory that is shared.
    """
    owner, function = memory.owner_of(operand), op.parent_op()
    names = {each for each in op.operands if memory.owner_of(each) is owner}
    ends = [use.operation for use in uses_of(op.results[0])]
    returned = [each for each in ends if isinstance(each, func.ReturnOp)]
    return (
        isinstance(function, func.FuncOp)
        and owner in function.args
        and len(names) == 1
        and any(len(each.operands) > 1 for each in returned)
        and byte_size(tensor_type(owner)) == byte_size(tensor_type(operand))
        and memory.owner_of(op.results[0]) is op.results[0]
    )


@dataclass
class _Loops:
    """Which operands the loops of the ops of a module may overwrite."""

    known: dict[Hashable, frozenset[int]] = field(
        default_factory=dict[Hashable, frozenset[int]]
    )
    """The numbers of the operands, by the structure of the op."""

    def allowed(self, op: GraphOp) -> frozenset[int]:
        """The operands that the loops of an op may overwrite without being slower."""
        if len(op.results) != 1:
            return frozenset()
        key = structure(op)
        if key not in self.known:
            self.known[key] = frozenset(self.found(op))
        return self.known[key]

    def found(self, op: GraphOp) -> Iterator[int]:
        """Computes `allowed` for an op with a new structure."""
        group = group_of(op)
        kept = None if group is None else read_elsewhere(group)
        if group is None or kept is None:
            return
        contractions = [each for each in group.nests if each.is_contraction]
        strategies = strategies_of(op) or [None] * len(contractions)
        if all(map(_is_one_block, contractions, strategies)):
            for number, value in enumerate(op.operands):
                if value not in kept and is_alike(group, value):
                    yield number


def _is_one_block(nest: KernelNest, strategy: StrategyAttr | None) -> bool:
    """
    Whether a contraction stores no accumulator before it is finished: its weight is
    packed, and all of k is one block.
    """
    count = product(nest.bounds[len(nest.bounds) - nest.reductions :])
    if strategy is None or not strategy.packs_weight:
        return False
    return isinstance(count, int) and count <= strategy.kc.data
