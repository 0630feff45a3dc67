"""
Annotate each result with its alias group and its lifetime.

Before:

    %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
    %2 = graph.neg %1 : tensor<6xf32> -> tensor<6xf32>

After:

    %0 = graph.relu %x {
        graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : …
    %1 = graph.reshape %0 {shape = ["6"],
        graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : …
    %2 = graph.neg %1 {
        graph.lifetimes = [#graph.lifetime<group = 1, first = 2, last = 3>]} : …

A group is a value, its views, and the values that `reuse-operands` computes in its
memory; it lives from the op that computes it to the last op that uses any member, both
included, so that no op overwrites its own operands by accident. Returning counts as a
use. The groups are PyTorch Static Runtime's `ValueGroup`s and `ManagedTensorRanges`.

Ops are numbered in textual order; the ops of a region have numbers between the begin
and the end of its op. The operands of such an op live until its end, since a loop reads
them again; its results live from its beginning. The regions of a `graph.parallel` may
run at once, whatever their numbers are: `branch_rows` tells planners which are whose.

An operand that a result may be, as indices decide (`mark-runtime-skippable`), lives as
long as that result: both have memory, and either is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects.graph import ControlOp, MemoryMap, ParallelOp, ops_in, skips_of
from ....dialects.graph.storage import LIFETIMES, LifetimeAttr
from ....runtime.planning import BranchRow
from ..defined_functions import defined_functions


@dataclass(frozen=True)
class AnalyzeAliases(ModulePass):
    """Finds the groups of values that share memory, and how long each lives."""

    name = "analyze-aliases"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            _analyze(function.body.block)


def spans(block: Block) -> dict[Operation, tuple[int, int]]:
    """The numbers at which each op begins and ends, ops in regions included."""
    found: dict[Operation, tuple[int, int]] = {}
    count = 0

    def visit(block: Block) -> None:
        nonlocal count
        for op in block.ops:
            start, count = count, count + 1
            if isinstance(op, ControlOp):
                for inner in op.blocks:
                    visit(inner)
                count += 1
            found[op] = start, count - 1

    visit(block)
    return found


def branch_rows(block: Block) -> list[BranchRow]:
    """The branches of a function: the numbers of their fork, and of the ops in each."""
    span_of = spans(block)
    rows: list[BranchRow] = []
    for op in ops_in(block):
        if isinstance(op, ParallelOp):
            for inner in op.blocks:
                ops = [span_of[each] for each in inner.ops]
                rows.append((*span_of[op], ops[0][0], ops[-1][1]))
    return rows


def lives(block: Block, memory: MemoryMap) -> dict[SSAValue, tuple[int, int]]:
    """The first and the last op that need the memory of each owner."""
    span_of = spans(block)
    found: dict[SSAValue, tuple[int, int]] = {}
    for op in ops_in(block):
        start, end = span_of[op]
        for value in (*op.operands, *op.results):
            owner = memory.owner_of(value)
            # The memory of an argument belongs to the caller, and is not planned.
            at = 0 if isinstance(owner.owner, Block) else start
            first, last = found.get(owner, (at, end))
            found[owner] = min(first, at), max(last, end)
    return found


def _prolonged(
    block: Block, memory: MemoryMap, found: Mapping[SSAValue, tuple[int, int]]
) -> dict[SSAValue, tuple[int, int]]:
    """
    Lifetimes with those of operands that results may be as data decides: these live as
    long as all that may be the result in turn, as data or sizes decide.
    """
    made = dict(found)
    needed = {owner: last for owner, (_, last) in found.items()}
    for op in reversed([*ops_in(block)]):
        for skip in skips_of(op):
            result, source = map(
                memory.owner_of, (op.results[0], op.operands[skip.operand.data])
            )
            needed[source] = max(needed[source], needed[result])
            if skip.is_on_data:
                first, last = made[source]
                made[source] = first, max(last, needed[source])
    return made


def _analyze(block: Block) -> None:
    """Writes the lifetimes of the results of every op of a function."""
    memory = MemoryMap(block)
    found = _prolonged(block, memory, lives(block, memory))
    groups: dict[SSAValue, int] = {}
    for op in ops_in(block):
        lifetimes: list[LifetimeAttr] = []
        for result in op.results:
            owner = memory.owner_of(result)
            group = groups.setdefault(owner, len(groups))
            lifetimes.append(LifetimeAttr.of(group, *found[owner]))
        if lifetimes:
            op.attributes[LIFETIMES] = ArrayAttr(lifetimes)
