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
its prologue. A contraction takes no prologue, since it reads its operands many times,
but for one that costs nothing: a cast to what a load makes of an element anyway, which
is computed in each kernel that reads them, so that they take less memory; and one that
only moves, where the product reads lines all the same, as of the heads of attention, or
where the run finds the size of a part: what is filled of a cache is read where it lies
(`compiler/passes/moved_factors.py`). An op of several nests, each for a part of its
result, such as a concatenation, may take one reduction for each nest; the operand of a
padding is computed inside it, and a concatenation that is padded is written there part
by part (`dialects/kernel/placed.py`). Several reductions over the same rows, and the
elementwise ops between them, become one kernel that goes from row to row: a softmax, or
a normalization with its neighbours (`dialects/kernel/row_reductions.py`). The nests of
the ops alone decide, before there are buffers, so that values inside a group never need
one.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import sizes, tensor_type
from ....dialects.graph import (
    CastOp,
    ConstantOp,
    ControlOp,
    CopyOp,
    FusionOp,
    GraphOp,
    Linear,
    Nest,
    Read,
    WeightOp,
    YieldOp,
    axis,
    defined_symbols,
)
from ....dialects.graph.compose import rounding
from ....dialects.graph.few_bits import makes_factor
from ....dialects.kernel import arrange, can_place, is_contraction
from ..defined_functions import defined_functions
from ..moved_factors import reads_before_moved

LIMIT = 64
"""The most ops in a group, so that a kernel keeps its values in registers."""


@dataclass
class _Candidate:
    """Ops that become one kernel; the result of the last is stored."""

    ops: list[GraphOp]
    nests: Sequence[Nest]
    """The nests of the last op."""

    reducing: set[int] = field(default_factory=set[int])
    """
    The numbers of those nests that reduce, or whose points store tiles, or that such an
    op feeds.
    """

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
    reducing = {n for n, nest in enumerate(nests) if nest.reductions or nest.also}
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


def _taker(
    user: _Candidate, producer: _Candidate, operand: int, defined: Set[str]
) -> int | None:
    """
    The nest of the last op of `user` that can compute `producer` inside, if any; a run
    finds the symbols that are `defined`.
    """
    found = _reads(user.nests, operand)
    if len(user.ops) + len(producer.ops) > LIMIT or len(found) != 1:
        return None
    ((number, read),) = found
    nest = user.nests[number]
    if len(producer.nests) > 1:
        shape = sizes(tensor_type(producer.ops[-1].results[0]))
        can = not producer.reducing and can_place(nest, shape, producer.nests)
        return number if can else None
    if producer.reducing:
        # The epilogue of a reduction reads each accumulator once, at its own index.
        free = number not in user.reducing and not nest.is_scattered
        is_total = not producer.is_staged
        can = free and is_total and _reads_at_own_point(nest, read, producer)
    else:
        can = producer.nests[0].is_pointwise and (
            _only_widens(producer)
            or _makes_numbers(producer)
            or (
                reads_before_moved(nest, read, producer.ops, defined)
                if is_contraction(nest)
                else _reads_once(nest, read)
            )
        )
    return number if can else None


def _only_widens(producer: _Candidate) -> bool:
    """Whether a candidate computes what a load of its operand has anyway."""
    return all(isinstance(op, CastOp) and op.only_widens for op in producer.ops)


def _makes_numbers(producer: _Candidate) -> bool:
    """Whether a candidate makes numbers of constant steps, which take less memory."""
    return all(
        makes_factor(op) and isinstance(op.operands[0].owner, ConstantOp | WeightOp)
        for op in producer.ops
    )


def _widens(op: Operation) -> bool:
    """Whether an op makes f32 of floats of 16 bits."""
    return (
        isinstance(op, CastOp)
        and rounding.is_half(op.input)
        and op.result.type == rounding.wide_type(tensor_type(op.input))
    )


def _reads_often(op: Operation, operand: int) -> bool:
    """Whether an op reads elements of an operand many times."""
    nests = (op.nests() if isinstance(op, GraphOp) else None) or ()
    return any(
        is_contraction(nests[number]) or not _reads_once(nests[number], read)
        for number, read in _reads(nests, operand)
    )


def _widen_for_each(block: Block) -> None:
    """Gives each op a cast of its own, or numbers of steps, of what it reads so."""
    for op in [e for e in block.ops if _widens(e) or makes_factor(e)]:
        users = [*dict.fromkeys(use.operation for use in op.results[0].uses)]
        for user in users[1:]:
            if user.parent is not block:
                continue
            copy = op.clone()
            copy.location = op.location
            Rewriter.insert_op(copy, InsertPoint.before(user))
            for number, operand in enumerate(user.operands):
                if operand is op.results[0]:
                    user.operands[number] = copy.results[0]


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

    defined: Set[str] = frozenset()
    """The symbols that the run finds."""

    def add(self, op: GraphOp, group: _Candidate) -> None:
        """Adds the candidate of one op, and merges producers into it."""
        self.nests[op] = group.nests
        self.order[op] = len(self.order)
        for number, operand in enumerate(op.operands):
            if self.is_kept_narrow(op):
                break
            producer = self.known.get(operand) if operand.has_one_use() else None
            if producer is None:
                continue
            nest = _taker(group, producer, number, self.defined)
            if nest is not None:
                _merge(group, producer, nest)
                del self.known[operand]
        while self.extend(group):
            pass
        self.known[op.results[0]] = group

    def is_kept_narrow(self, op: GraphOp) -> bool:
        """Whether what an op widens is stored as it is, for who reads it many times."""
        uses = [*op.results[0].uses] if _widens(op) else []
        return len(uses) == 1 and _reads_often(uses[0].operation, uses[0].index)

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
        for function in defined_functions(op):
            block = function.body.block
            _fuse_block(block, {*defined_symbols(block)})


def _fuse_block(block: Block, defined: Set[str]) -> None:
    """Groups the ops of a block and of its regions, and builds the fusions."""
    groups = _Candidates(defined=defined)
    _widen_for_each(block)
    order = {op: number for number, op in enumerate(block.ops)}
    for op in block.ops:
        if isinstance(op, ControlOp):
            for inner in op.blocks:
                _fuse_block(inner, defined)
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
