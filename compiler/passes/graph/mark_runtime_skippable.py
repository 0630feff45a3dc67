"""
Mark kernels that copy an operand unchanged for some sizes, or some indices.

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

It may be on indices as well:

    %1 = graph.index_select %0, %i {axis = 0 : i64, wraps = true,
        graph.skips = [#graph.skip<optimized = true, runtime_skippable = true,
                       operand = 0, when = [], indices = 1>]}
        : tensor<?x8x64xf32, ["b"]>, tensor<?xi64, ["b"]> -> tensor<?x8x64xf32, ["b"]>

The run compares them just before the op, which must copy much more than it reads
indices (`_LEAST_BYTES`). The operand is an input, or is computed, and then keeps its
memory as long as the result is needed, which only pays where the sizes are always the
same. No op may overwrite the result, such as one that updates rows of it: it would need
a copy, which costs as much as is saved. Constants are not in question: weights are
looked up by what is never in order, and indices that are known are the case of
`eliminate-no-ops`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, i32, i64
from xdsl.ir import BlockArgument, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from ....dialects import dtype, guess, product, sizes, symbols_of, tensor_type
from ....dialects.graph import (
    SKIPS,
    CopyOp,
    GraphOp,
    LoopOp,
    SkipAttr,
    defined_symbols,
    has_own_memory,
    is_computed,
    ops_in,
    root_of,
    uses_of,
)
from ....dialects.kernel import (
    Group,
    Identity,
    Ordered,
    conjunction,
    group_of,
    identities_of,
    may_replace,
    only_moves,
    ordered_copy_of,
)
from ..defined_functions import defined_functions

_LEAST_BYTES = 256
"""
The bytes that are copied for an index at least, for indices to be compared: an index
has eight at most.
"""


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
    operands, found = list(op.operands), False
    for each in (*identities_of(group), *_declared_copies(op)):
        if each.when and _is_usable(op, each, late):
            found = True
            yield SkipAttr.of(operands.index(each.source), each.when, each.offset)
    ordered = None if found else _ordered_copy(op, group)
    if ordered is not None:
        same = Identity(ordered.source, 0, ordered.when)
        counts = sizes(tensor_type(ordered.indices))
        is_counted = not any(name in late for d in counts for name in symbols_of(d))
        if is_counted and _is_usable(op, same, late):
            numbers = map(operands.index, (ordered.source, ordered.indices))
            yield SkipAttr.of(next(numbers), ordered.when, indices=next(numbers))


def _is_usable(op: GraphOp, found: Identity, late: Container[str]) -> bool:
    """Whether the condition is known before the run, and the operand stays as it is."""
    is_early = not any(name in late for name in _symbols_of(found))
    return is_early and not _is_carried(op, found.source)


def _ordered_copy(op: GraphOp, group: Group) -> Ordered | None:
    """What an op copies where indices are in order, if it is worth while to compare."""
    found = ordered_copy_of(group)
    if found is None:
        return None
    indices, type = tensor_type(found.indices), tensor_type(op.results[0])
    row = guess(product(sizes(type))) * dtype(type).itemsize
    is_worth = row >= _LEAST_BYTES * guess(product(sizes(indices)))
    if indices.element_type not in (i32, i64) or not is_worth:
        return None
    if _is_constant(found.source) or _is_constant(found.indices):
        return None
    if is_computed(root_of(found.source)) and found.when:
        return None
    return None if any(map(_may_overwrite, uses_of(op.results[0]))) else found


def _may_overwrite(use: Use) -> bool:
    """Whether an op may compute its result in the memory of what it uses."""
    group = group_of(use.operation)
    return group is not None and may_replace(group, use.operation.operands[use.index])


def _is_constant(value: SSAValue) -> bool:
    """Whether a value is the same in all runs."""
    root = root_of(value)
    return not is_computed(root) and not isinstance(root, BlockArgument)


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
