"""
Make one op of views, permutations and repeats that follow each other.

Before:

    %1 = graph.reshape %0 {shape = ["9", "7", "2", "5"]} : tensor<9x70xf32> -> …
    %2 = graph.permute %1 {order = array<i64: 0, 2, 1, 3>} : … -> tensor<9x2x7x5xf32>
    %3 = graph.reshape %2 {shape = ["18", "35"]} : … -> tensor<18x35xf32>

After:

    %3 = graph.rearrange %0 {
      sizes = ["9", "2", "7", "5"], reads = [array<i64: 0>, array<i64: 2, 1, 3>],
      writes = [array<i64: 0, 1>, array<i64: 2, 3>]
    } : tensor<9x70xf32> -> tensor<18x35xf32>

A reshape is a view, and `fuse` does not look through views: so a permutation between
two of them was a kernel of its own. Now a product stores its result where it belongs,
with what is computed after it; what moves is computed before and after in one kernel.
Exporters write pixel shuffles, windows of images, heads that are joined, and
transposed convolutions so; an index that repeats each element, as of nearest
upsampling, is an axis of a grid as well, also where a run counts it. Permutations that
only split axes stay, since products read them where they lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import product, sizes, tensor_type
from ....dialects.graph import (
    DivOp,
    ExpandOp,
    FusionOp,
    GraphOp,
    IndexSelectOp,
    IotaOp,
    PermuteOp,
    RearrangeOp,
    ReshapeOp,
    inverse,
    to_names,
)
from ....dialects.kernel import is_contraction
from ...ir import WeightStore, weights_of
from ..axis_grid import AxisGrid
from ..candidates import is_line
from ..known_values import constant_value


@dataclass(frozen=True)
class FormRearrangements(ModulePass):
    """Joins ops that only move elements into one."""

    name = "form-rearrangements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        blocks = {each.parent: None for each in op.walk() if _moves(each)}
        weights = weights_of(ctx)
        for block in blocks:
            # A fusion is one kernel as it is.
            if block is not None and not isinstance(block.parent_op(), FusionOp):
                _form(block, weights)
        # Indices that only repeat are computed no more.
        dce(op)


@dataclass
class _Chain:
    """Ops one after the other, and the grid that they are together."""

    ops: list[Operation]
    grid: AxisGrid

    @property
    def result(self) -> SSAValue:
        """What the last op makes."""
        return self.ops[-1].results[0]


def _form(block: Block, weights: WeightStore) -> None:
    """Joins ops of one block."""
    chains: dict[SSAValue, _Chain] = {}
    for op in block.ops:
        if not _moves(op):
            continue
        chain = None
        before = chains.get(op.operands[0])
        if before is not None and op.operands[0].has_one_use():
            grid = _after(before.grid, op, weights)
            if grid is not None:
                chain = _Chain([*before.ops, op], grid)
                del chains[op.operands[0]]
        if chain is None:
            whole = AxisGrid.of(sizes(tensor_type(op.operands[0])))
            grid = _after(whole, op, weights)
            if grid is None:
                continue
            chain = _Chain([op], grid)
        chains[chain.result] = chain
    for chain in chains.values():
        _replace(chain)


def _moves(op: Operation) -> bool:
    """Whether an op may be a part of a chain."""
    return isinstance(op, ReshapeOp | PermuteOp | ExpandOp | IndexSelectOp)


def _after(grid: AxisGrid, op: Operation, weights: WeightStore) -> AxisGrid | None:
    """The grid of what an op makes of the result of another; None if there is none."""
    match op:
        case ReshapeOp():
            return grid.reshaped(op.shape)
        case PermuteOp():
            return grid.permuted(op.order.get_values())
        case ExpandOp():
            return grid.expanded(sizes(tensor_type(op.input)), op.shape)
        case IndexSelectOp():
            axis, times = _repeats(op, weights)
            return grid.repeated(axis, times) if times > 1 else None
        case _:
            return None


def _repeats(op: IndexSelectOp, weights: WeightStore) -> tuple[int, int]:
    """The axis along which indices repeat each element, and how often, or 0."""
    shape = sizes(tensor_type(op.input))
    axis = op.axis.value.data % len(shape)
    size, indices = shape[axis], constant_value(op.indices, weights)
    divided = op.indices.owner
    if size == 0:
        return axis, 0
    if isinstance(divided, DivOp) and isinstance(divided.lhs.owner, IotaOp):
        (count,), times = divided.shape, constant_value(divided.rhs, weights)
        if times is not None and times.size == 1 and count == size * times.item():
            return axis, times.item()
    if indices is None or indices.ndim != 1 or not isinstance(size, int):
        return axis, 0
    times = indices.size // size
    is_repeat = np.array_equal(indices, np.arange(size).repeat(times))
    return axis, times if is_repeat else 0


def _numbers(groups: Sequence[Sequence[int]]) -> ArrayAttr[DenseArrayBase]:
    """The attribute that holds axes of a grid."""
    return ArrayAttr([DenseArrayBase.from_list(i64, list(each)) for each in groups])


def _replace(chain: _Chain) -> None:
    """Puts one op in the place of a chain that joins axes from apart."""
    grid, last = chain.grid.joined(), chain.ops[-1]
    source, rank = chain.ops[0].operands[0], len(grid.writes)
    if not grid.interleaves:
        return
    # A product stores lines, which are moved by what comes after it.
    order, line = [*range(rank)], grid.line
    if line is not None and _is_of_product(source):
        if is_line(product(grid.sizes[each] for each in grid.writes[line])):
            order.append(order.pop(line))
    grid = grid.permuted(order).joined()
    moved = RearrangeOp(
        source,
        sizes=to_names(grid.sizes),
        reads=_numbers(grid.reads),
        writes=_numbers(grid.writes),
    )
    made: list[GraphOp] = [moved]
    if order != [*range(rank)]:
        made.append(PermuteOp(moved.results[0], order=inverse((*order,))))
    result = made[-1].results[0]
    if result.type != last.results[0].type:
        # Ops that are in no block would still be users of the source.
        for each in reversed(made):
            each.erase()
        return
    for each in made:
        each.location = last.location
        Rewriter.insert_op(each, InsertPoint.before(last))
    Rewriter.replace_op(last, [], [result])
    for each in reversed(chain.ops[:-1]):
        Rewriter.erase_op(each)


def _is_of_product(value: SSAValue) -> bool:
    """Whether a product, with what is computed of its result alone, makes a value."""
    while isinstance(op := value.owner, GraphOp) and value.has_one_use():
        nests = op.nests() or ()
        if len(nests) != 1 or nests[0].reductions or not nests[0].is_pointwise:
            return len(nests) == 1 and is_contraction(nests[0])
        makers = [each for each in op.operands if each.type == value.type]
        if len(makers) != 1:
            return False
        value = makers[0]
    return False
