"""
Remove ops that copy an operand as it lies: a cast to the same type, a full slice.

Before:

    %1 = graph.reshape %0 {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.concat %1 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = graph.relu %2 : tensor<2x3xf32> -> tensor<2x3xf32>

After:

    %3 = graph.relu %0 : tensor<2x3xf32> -> tensor<2x3xf32>

Whether an op does so for all sizes, its nests say (`dialects/kernel/identity.py`). So
no op is named here, and every kind of op is covered. (PyTorch's Static Runtime has
`EliminateNoOps` and `EliminateNoOpSlice`, for listed ops.)

With `views`, an op or a fusion whose result has another shape becomes a view as well:

    %1 = graph.permute %0 {order = array<i64: 0, 2, 1>}
        : tensor<?x1x32xf32, ["batch"]> -> tensor<?x32x1xf32, ["batch"]>
    %1 = graph.reshape %0 {shape = ["batch", "32", "1"]} : …

That is for the time after `fuse`, which does not look through views: what became part
of another kernel costs nothing, and stays there. A result that has memory of its own,
since it is an output, yielded or overwritten by a loop, remains a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects import DTYPES, sizes, symbols_of, tensor_type
from ....dialects.graph import (
    CopyOp,
    FusionOp,
    GraphOp,
    Requirement,
    ReshapeOp,
    block_of,
    byte_size,
    defined_symbols,
    is_computed,
    is_given,
    root_of,
    to_names,
    uses_of,
)
from ....dialects.kernel import group_of, identities_of, only_moves
from .decompose import keep_requirements


@dataclass(frozen=True)
class EliminateNoOps(ModulePass):
    """Removes ops that copy an operand as it lies."""

    name = "eliminate-no-ops"

    views: bool = False
    """Whether a result of another shape becomes a view."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(_candidates(op)):
            source = _copied(each)
            if source is None or (self.views and not _may_share(each, source)):
                continue
            if each.result_types[0] == source.type:
                _replace(each, source)
            elif self.views:
                shape = sizes(tensor_type(each.results[0]))
                _replace(each, ReshapeOp(source, shape=to_names(shape)))


def _candidates(module: ModuleOp) -> Iterator[GraphOp]:
    """The ops that are no part of a kernel, and no copies on purpose."""
    for op in module.walk():
        if not isinstance(op, GraphOp) or isinstance(op, CopyOp):
            continue
        if len(op.results) == 1 and not isinstance(op.parent_op(), FusionOp):
            yield op


def _copied(op: GraphOp) -> SSAValue | None:
    """The operand that an op copies as it lies, whatever the sizes are, if any."""
    if op.IS_VIEW:
        return op.operands[0] if op.result_types == op.operand_types else None
    if not only_moves(op):
        return None
    group = group_of(op)
    for each in () if group is None else identities_of(group):
        type = tensor_type(each.source)
        if each.when or each.offset != 0 or type.element_type not in DTYPES:
            continue
        if byte_size(type) == byte_size(tensor_type(op.results[0])):
            return each.source
    return None


def _may_share(op: GraphOp, source: SSAValue) -> bool:
    """Whether the result of an op may lie in the memory of the source."""
    return all(
        isinstance(use.operation, func.ReturnOp) and _may_own(use, source)
        for use in uses_of(op.results[0])
        if is_given(use)
    )


def _may_own(use: Use, source: SSAValue) -> bool:
    """Whether an output may be computed as the source of what is returned."""
    root, end = root_of(source), use.operation
    outputs = (root_of(each) for at, each in enumerate(end.operands) if at != use.index)
    return (
        is_computed(root)
        and block_of(root) is end.parent
        and byte_size(tensor_type(root)) == byte_size(tensor_type(source))
        and root not in outputs
    )


def _replace(op: GraphOp, by: SSAValue | ReshapeOp) -> None:
    """Replaces an op by an operand or a view, if its requirements can be kept."""
    is_alike = isinstance(by, SSAValue) and len(op.operands) == 1
    # A part of all there is that has its type is all of it.
    if not is_alike and not _keep_requirements(op):
        return
    if isinstance(by, ReshapeOp):
        by.location = op.location
        Rewriter.replace_op(op, by)
    else:
        Rewriter.replace_op(op, [], [by])


def _keep_requirements(op: GraphOp) -> bool:
    """Keeps what ops of a group require of sizes; false where that is not possible."""
    ops = list(op.ops) if isinstance(op, FusionOp) else [op]
    needed = [each for one in ops for each in one.requirements()]
    if not all(_is_checked_before(op, each) for each in needed):
        return False
    for each in ops:
        keep_requirements(each)
    return True


def _is_checked_before(op: Operation, needed: Requirement) -> bool:
    """Whether a requirement holds always, or can be checked before anything runs."""
    if isinstance(needed.value, int):
        return True
    block = op.parent_block()
    if block is None or not isinstance(block.parent_op(), func.FuncOp):
        return False
    return symbols_of(needed.value).isdisjoint(defined_symbols(block))
