"""
Mark kernels that copy an operand unchanged for some sizes, with the condition.

Before:

    %1 = graph.permute %0 {order = array<i64: 1, 0, 2>}
        : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>

After:

    %1 = graph.permute %0 {order = array<i64: 1, 0, 2>, graph.skips = [
        #graph.skip<optimized = true, runtime_skippable = true, operand = 0,
                    when = [["t - 1"], ["b - 1"]]>]} : …

What each kernel copies, its nests say (`dialects/kernel/identity.py`), or its op where
the nests cannot (`GraphOp.copies`). What `fuse` made part of another kernel costs
nothing, and is not marked; what is copied for all sizes is gone already.

The result of a marked op may be its operand at run time. So it is no output, is not
yielded, and is not carried by a loop; and the operand is not carried by a loop that the
op is in, which would overwrite it. `reuse-operands` then overwrites neither while the
other is needed, nor anything that may be an input. A condition is on sizes that are
known before a run.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import symbols_of
from ....dialects.graph import (
    SKIPS,
    CopyOp,
    GraphOp,
    LoopOp,
    SkipAttr,
    defined_symbols,
    has_own_memory,
    ops_in,
    root_of,
)
from ....dialects.kernel import (
    Identity,
    conjunction,
    group_of,
    identities_of,
    only_moves,
)
from ..defined_functions import defined_functions


@dataclass(frozen=True)
class MarkRuntimeSkippable(ModulePass):
    """Annotates each op with the operands that its result may be at run time."""

    name = "mark-runtime-skippable"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            block = function.body.block
            late = defined_symbols(block)
            for each in ops_in(block):
                if found := list(skips_for(each, late)):
                    each.attributes[SKIPS] = ArrayAttr(found)


def skips_for(op: Operation, late: Container[str]) -> Iterator[SkipAttr]:
    """The skips of an op; symbols in `late` are known too late to decide."""
    if not isinstance(op, GraphOp) or isinstance(op, CopyOp) or not only_moves(op):
        return
    group = group_of(op)
    if group is None or has_own_memory(op.results[0]):
        return
    for each in (*identities_of(group), *_declared_copies(op)):
        is_early = not any(name in late for name in _symbols_of(each))
        if each.when and is_early and not _is_carried(op, each.source):
            number = list(op.operands).index(each.source)
            yield SkipAttr.of(number, each.when, each.offset)


def _declared_copies(op: GraphOp) -> Iterator[Identity]:
    """What an op itself says that it copies."""
    for number, quantities in op.copies():
        when = conjunction([tuple(quantities)])
        if when is not None:
            yield Identity(op.operands[number], 0, when)


def _symbols_of(identity: Identity) -> set[str]:
    """The symbols that a skip depends on."""
    quantities = (identity.offset, *(q for clause in identity.when for q in clause))
    return {name for each in quantities for name in symbols_of(each)}


def _is_carried(op: Operation, source: SSAValue) -> bool:
    """Whether a value is in the memory of what a loop around an op carries."""
    owner, around = root_of(source).owner, op.parent_op()
    while around is not None and around is not owner:
        around = around.parent_op()
    return around is owner and isinstance(owner, LoopOp)
