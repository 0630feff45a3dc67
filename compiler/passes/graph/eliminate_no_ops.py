"""
Remove ops that copy an operand unchanged: a cast to the same type, a full slice.

Before:

    %1 = graph.reshape %0 {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.concat %1 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = graph.relu %2 : tensor<2x3xf32> -> tensor<2x3xf32>

After:

    %3 = graph.relu %0 : tensor<2x3xf32> -> tensor<2x3xf32>

Whether an op does so for all sizes, its nests say (`dialects/kernel/identity.py`). So
no op is named here, and every kind of op is covered. (PyTorch's Static Runtime has
`EliminateNoOps` and `EliminateNoOpSlice`, for listed ops.)

Indices that are known, and are 0, 1, 2, … for all elements along an axis, select what
is there (`dialects/kernel/ordered.py`).

With `views`, an op or a fusion whose result has another shape becomes a view as well:

    %1 = graph.permute %0 {order = array<i64: 0, 2, 1>}
        : tensor<?x1x32xf32, ["batch"]> -> tensor<?x32x1xf32, ["batch"]>
    %1 = graph.reshape %0 {shape = ["batch", "32", "1"]} : …

    %2 = graph.slice %0 {starts = ["2", "0"], sizes = ["2", "3"], …}
        : tensor<4x3xf32> -> tensor<2x3xf32>
    %2 = graph.subview %0 {offset = "6", shape = ["2", "3"]} : …

That is for the time after `fuse`, which does not look through views: what became part
of another kernel costs nothing, and stays there. A result that has memory of its own,
since it is an output, yielded or overwritten by a loop, remains a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects import Dim, guess, product, sizes, symbols_of, tensor_type
from ....dialects.graph import (
    CopyOp,
    FusionOp,
    GraphOp,
    ReshapeOp,
    SubviewOp,
    block_of,
    defined_symbols,
    has_own_memory,
    is_computed,
    is_given,
    root_of,
    to_names,
    uses_of,
)
from ....dialects.graph.storage import byte_size
from ....dialects.kernel import (
    Identity,
    group_of,
    identities_of,
    only_moves,
    ordered_copy_of,
)
from ...ir import WeightStore, weights_of
from ..known_values import constant_value
from .decompose import keep_requirements


@dataclass(frozen=True)
class EliminateNoOps(ModulePass):
    """Removes ops that copy an operand unchanged."""

    name = "eliminate-no-ops"

    views: bool = False
    """Whether a result of another shape becomes a view."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(_candidates(op)):
            found = _copied(each, weights_of(ctx))
            if found is None or (self.views and not _may_share(each, found)):
                continue
            source, result = found.source, each.results[0]
            if result.type == source.type:
                _replace(each, source)
            elif self.views:
                _replace(each, _view(found, sizes(tensor_type(result))))


def _candidates(module: ModuleOp) -> Iterator[GraphOp]:
    """The ops that are no part of a kernel, and no copies on purpose."""
    for op in module.walk():
        if not isinstance(op, GraphOp) or isinstance(op, CopyOp):
            continue
        if len(op.results) == 1 and not isinstance(op.parent_op(), FusionOp):
            yield op


def _copied(op: GraphOp, weights: WeightStore) -> Identity | None:
    """The operand that an op copies unchanged for all sizes, if any."""
    if op.IS_VIEW:
        is_same = op.result_types == op.operand_types
        return Identity(op.operands[0], 0, ()) if is_same else None
    if not only_moves(op):
        return None
    group = group_of(op)
    if group is None:
        return None
    for each in identities_of(group):
        if not each.when:
            return each
    ordered = ordered_copy_of(group)
    if ordered is None or ordered.when:
        return None
    indices = constant_value(ordered.indices, weights)
    if indices is None or not np.array_equal(indices.ravel(), np.arange(indices.size)):
        return None
    return Identity(ordered.source, 0, ())


def _view(found: Identity, shape: Sequence[Dim]) -> ReshapeOp | SubviewOp:
    """The view of what is copied, in the shape of the result."""
    names = to_names(shape)
    if found.offset == 0 and product(shape) == _count(found.source):
        return ReshapeOp(found.source, shape=names)
    return SubviewOp(found.source, offset=str(found.offset), shape=names)


def _count(value: SSAValue) -> Dim:
    """The number of elements of a value."""
    return product(sizes(tensor_type(value)))


def _may_share(op: GraphOp, found: Identity) -> bool:
    """Whether the result of an op may lie in the memory of what it copies."""
    result, source = op.results[0], found.source
    if found.offset != 0 or _count(result) != _count(source):
        return not has_own_memory(result) and _is_worth_a_part(op, found)
    return all(
        isinstance(use.operation, func.ReturnOp) and _may_own(use, source)
        for use in uses_of(result)
        if is_given(use)
    )


def _is_worth_a_part(op: GraphOp, found: Identity) -> bool:
    """
    Whether a view of a part of a value takes less memory than a copy. It keeps all of
    the value, which is needed anyway if the parts that all its users take together are
    half of it, or if it is not computed.
    """
    block, root = op.parent, root_of(found.source)
    if block is None or not isinstance(block.parent_op(), func.FuncOp):
        return False
    if not symbols_of(found.offset).isdisjoint(defined_symbols(block)):
        return False
    users = {use.operation for use in uses_of(root)}
    taken = guess(_count(op.results[0])) * len(users)
    return not is_computed(root) or 2 * taken >= guess(_count(root))


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


def _replace(op: GraphOp, by: SSAValue | ReshapeOp | SubviewOp) -> None:
    """Replaces an op by an operand or a view, and keeps what it requires."""
    is_operand = isinstance(by, SSAValue)
    repeated = () if is_operand else {each.value for each in by.all_requirements()}
    for each in list(op.ops) if isinstance(op, FusionOp) else [op]:
        keep_requirements(each, repeated, op)
    if is_operand:
        Rewriter.replace_op(op, [], [by])
    else:
        by.location = op.location
        Rewriter.replace_op(op, by)
