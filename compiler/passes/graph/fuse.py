"""
Fuse ops that can be computed together into one region, which becomes one kernel.

Before:

    %1 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
    %2 = graph.add %1, %b : tensor<2x5xf32>, tensor<5xf32> -> tensor<2x5xf32>
    %3 = graph.relu %2 : tensor<2x5xf32> -> tensor<2x5xf32>

After:

    %3 = graph.fusion %x, %w, %b : … -> tensor<2x5xf32> {
    ^bb0(%0: tensor<2x3xf32>, %1: tensor<3x5xf32>, %2: tensor<5xf32>):
      %4 = graph.matmul %0, %1 : …
      %5 = graph.add %4, %2 : …
      %6 = graph.relu %5 : …
      graph.yield %6 : tensor<2x5xf32>
    }

A value moves into the kernel of its users when they are all in one kernel that reads
each element once, so that nothing is computed twice. The elementwise tail of a
reduction or contraction becomes its epilogue; elementwise ops before a reduction become
its prologue. A contraction takes no prologue, since it reads its operands many times.
An op of several nests, each for a part of its result, such as a concatenation, may take
one reduction for each nest; the operand of a padding is computed inside it. Several
reductions over the same rows, and the elementwise ops between them, become one kernel
that goes from row to row: a softmax, or a normalization with its neighbours
(`dialects/kernel/row_reductions.py`). The nests of the ops alone decide, before there
are buffers, so that values inside a group never need one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import sizes, tensor_type
from ....dialects.graph import (
    ControlOp,
    CopyOp,
    FusionOp,
    GraphOp,
    Linear,
    Nest,
    Read,
    YieldOp,
    axis,
)
from ....dialects.kernel import arrange, is_contraction

LIMIT = 64
"""The most ops in a group, so that a kernel keeps its values in registers."""


@dataclass
class _Candidate:
    """Ops that become one kernel; the result of the last is stored."""

    ops: list[GraphOp]
    nests: Sequence[Nest]
    """The nests of the last op."""

    reducing: set[int] = field(default_factory=set[int])
    """The numbers of those nests that reduce, or that a reduction feeds."""

    is_staged: bool = False
    """
    Whether the group is computed in stages: with several reductions, or a wide result.
    """


def _candidate_of(op: GraphOp) -> _Candidate | None:
    """The candidate of one op; None when the op cannot be fused."""
    nests = op.nests()
    if not nests or isinstance(op, CopyOp):
        return None
    if any(True for nest in nests for _ in nest.lookups):
        return None
    reducing = {number for number, nest in enumerate(nests) if nest.reductions}
    return _Candidate([op], nests, reducing)


def _reads(nests: Sequence[Nest], operand: int) -> list[tuple[int, Read]]:
    """The reads of an operand, each with the number of its nest."""
    return [
        (number, source)
        for number, nest in enumerate(nests)
        for source in nest.sources
        if isinstance(source, Read) and source.operand == operand
    ]


def _reads_once(nest: Nest, read: Read) -> bool:
    """Whether no element is read twice, as every axis moves a position of its own."""
    moved: list[int] = []
    for position in read.at:
        if not isinstance(position, Linear) or len(position.factors) > 1:
            return False
        moved += [axis for axis, _ in position.factors]
    wide = [axis for axis, bound in enumerate(nest.bounds) if bound != 1]
    return len(moved) == len(set(moved)) and set(wide) <= set(moved)


def _taker(user: _Candidate, producer: _Candidate, operand: int) -> int | None:
    """The nest of the last op of `user` that can compute `producer` inside, if any."""
    found = _reads(user.nests, operand)
    if len(user.ops) + len(producer.ops) > LIMIT or len(found) != 1:
        return None
    ((number, read),) = found
    nest = user.nests[number]
    if producer.reducing:
        # The epilogue of a reduction reads each accumulator once, at its own index.
        free = number not in user.reducing and not nest.is_scattered
        is_total = not producer.is_staged
        can = free and is_total and _reads_at_own_point(nest, read, producer)
    else:
        whole = len(producer.nests) == 1 and producer.nests[0].is_pointwise
        can = whole and _reads_once(nest, read) and not is_contraction(nest)
    return number if can and len(producer.nests) == 1 else None


def _reads_at_own_point(nest: Nest, read: Read, producer: _Candidate) -> bool:
    """Whether a nest runs over all of a value, and reads it at the nest's own point."""
    shape = sizes(tensor_type(producer.ops[-1].results[0]))
    return nest.bounds == shape and all(
        size == 1 or position == axis(number)
        for number, (size, position) in enumerate(zip(shape, read.at, strict=True))
    )


@dataclass
class _Candidates:
    """The candidates of a block so far, by result."""

    known: dict[SSAValue, _Candidate] = field(
        default_factory=dict[SSAValue, _Candidate]
    )
    nests: dict[GraphOp, Sequence[Nest]] = field(
        default_factory=dict[GraphOp, Sequence[Nest]]
    )
    """The nests of every op of a candidate."""

    order: dict[GraphOp, int] = field(default_factory=dict[GraphOp, int])
    """The position of each such op in the block."""

    def add(self, op: GraphOp, group: _Candidate) -> None:
        """Adds the candidate of one op, and merges producers into it."""
        self.nests[op] = group.nests
        self.order[op] = len(self.order)
        for number, operand in enumerate(op.operands):
            producer = self.known.get(operand) if operand.has_one_use() else None
            nest = None if producer is None else _taker(group, producer, number)
            if producer is not None and nest is not None:
                _merge(group, producer, nest)
                del self.known[operand]
        while self.extend(group):
            pass
        self.known[op.results[0]] = group

    def extend(self, group: _Candidate) -> bool:
        """Merges one more producer into a group as stages; false when there is none."""
        inside = set[Operation](group.ops)
        for value in dict.fromkeys(each for op in group.ops for each in op.operands):
            producer = self.known.get(value)
            if producer is None or len(producer.ops) + len(group.ops) > LIMIT:
                continue
            if not all(use.operation in inside for use in value.uses):
                continue
            # Sorted as in the block, since the lowering arranges them in that order
            # again.
            ops = sorted((*producer.ops, *group.ops), key=self.order.__getitem__)
            stages = arrange({each: self.nests[each] for each in ops})
            if stages is not None:
                _merge(group, self.known.pop(value), 0)
                group.is_staged = not stages.is_one_reduction
                return True
        return False


def _merge(user: _Candidate, producer: _Candidate, nest: int) -> None:
    """Moves the ops of `producer` before those of `user`, into one of its nests."""
    user.ops[:0] = producer.ops
    if producer.reducing:
        user.reducing.add(nest)


@dataclass(frozen=True)
class Fuse(ModulePass):
    """Groups ops into fusions."""

    name = "fuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                _fuse_block(function.body.block)


def _fuse_block(block: Block) -> None:
    """Groups the ops of a block and of its regions, and builds the fusions."""
    groups = _Candidates()
    order = {op: number for number, op in enumerate(block.ops)}
    for op in block.ops:
        if isinstance(op, ControlOp):
            for inner in op.blocks:
                _fuse_block(inner)
        group = _candidate_of(op) if isinstance(op, GraphOp) else None
        if isinstance(op, GraphOp) and group is not None:
            groups.add(op, group)
    for group in groups.known.values():
        if len(group.ops) > 1:
            _build_fusion(sorted(group.ops, key=order.__getitem__))


def _build_fusion(ops: Sequence[GraphOp]) -> None:
    """Replaces `ops`, which are in order, by one fusion that yields the last result."""
    inside, last = set[Operation](ops), ops[-1]
    inputs: dict[SSAValue, None] = {}
    for op in ops:
        for operand in op.operands:
            if operand.owner not in inside:
                inputs[operand] = None
    body = Block(arg_types=[each.type for each in inputs])
    copies: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for op in ops:
        body.add_op(op.clone(copies))
    body.add_op(YieldOp(copies[last.results[0]]))
    fusion = FusionOp.of(list(inputs), body)
    fusion.location = last.location
    Rewriter.insert_op(fusion, InsertPoint.before(last))
    Rewriter.replace_op(last, [], [fusion.result])
    for op in reversed(ops[:-1]):
        Rewriter.erase_op(op)
