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
(`compiler/passes/moved_factors.py`). The matrices of a batch it reads where they are
looked up, and an elementwise op reads rows so, each at an index that is loaded once. An
op of several nests, each for a part of its result, such as a concatenation, may take
one reduction for each nest; the operand of a padding is computed inside it, and a
concatenation that is padded is written there by parts (`dialects/kernel/placed.py`).
Elementwise ops after a concatenation are computed with each of its parts, where these
have long lines (`compiler/passes/joined_parts.py`).
Several reductions over the same rows, and the elementwise ops between them, become one
kernel that goes from row to row: a softmax, or a normalization with its neighbours
(`dialects/kernel/row_reductions.py`), but not what turns columns into rows before it,
or rows into columns after it. The nests of the ops alone decide, before there are
buffers, so that values inside a group never need one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import tensor_type
from ....dialects.graph import (
    CastOp,
    ControlOp,
    GraphOp,
    Nest,
    defined_symbols,
)
from ....dialects.graph.compose import rounding
from ....dialects.graph.few_bits import makes_factor
from ....dialects.kernel import arrange, is_contraction
from ..candidates import (
    LIMIT,
    Candidate,
    candidate_of,
    only_reads,
    reads,
    reads_once,
    taker,
    turns_rows,
)
from ..defined_functions import defined_functions
from ..joined_parts import can_join
from ..moved_factors import reads_looked_up
from ..narrow_reads import fused


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
        is_contraction(nests[number]) or not reads_once(nests[number], read)
        for number, read in reads(nests, operand)
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


@dataclass
class _Candidates:
    """The candidates of a block so far, by result."""

    known: dict[SSAValue, Candidate] = field(default_factory=dict[SSAValue, Candidate])
    nests: dict[GraphOp, Sequence[Nest]] = field(
        default_factory=dict[GraphOp, Sequence[Nest]]
    )
    """The nests of every op of a candidate."""

    order: dict[GraphOp, int] = field(default_factory=dict[GraphOp, int])
    """The position of each such op in the block."""

    defined: Set[str] = frozenset()
    """The symbols that the run finds."""

    def add(self, op: GraphOp, group: Candidate) -> None:
        """Adds the candidate of one op, and merges producers into it."""
        self.nests[op] = group.nests
        self.order[op] = len(self.order)
        is_kept_narrow = self.is_kept_narrow(op)
        for number, operand in enumerate(op.operands):
            if is_kept_narrow:
                break
            producer = self.known.get(operand) if operand.has_one_use() else None
            if producer is None:
                continue
            nest = taker(group, producer, number, self.defined)
            if nest is not None:
                _merge(group, producer, nest)
                del self.known[operand]
        self.look_up(op, group)
        while not is_kept_narrow and (self.extend(group) or self.join(group)):
            pass
        self.known[op.results[0]] = group

    def look_up(self, op: GraphOp, group: Candidate) -> None:
        """Merges what looks up a factor of a product, before ops that move it."""
        if len(group.nests) != 1 or not is_contraction(group.nests[0]):
            return
        for number, value in enumerate(op.operands):
            ops: list[GraphOp] = []
            while isinstance(value.owner, GraphOp) and value.owner in group.ops:
                ops.insert(0, value.owner)
                value = value.owner.operands[0]
            producer = self.known.get(value) if value.has_one_use() else None
            if producer is None or not producer.looks_up:
                continue
            if not all(map(only_reads, producer.ops)):
                continue
            found, moves = reads(group.nests, number), [*producer.ops, *ops]
            if len(found) == 1 and reads_looked_up(group.nests[0], found[0][1], moves):
                _merge(group, self.known.pop(value), 0)

    def is_kept_narrow(self, op: GraphOp) -> bool:
        """Whether what an op widens is stored as it is, for who reads it many times."""
        uses = [*op.results[0].uses] if _widens(op) else []
        return len(uses) == 1 and _reads_often(uses[0].operation, uses[0].index)

    def extend(self, group: Candidate) -> bool:
        """Merges one more producer into a group as stages; false when there is none."""
        for value, producer in self.producers(group):
            if len(producer.ops) + len(group.ops) > LIMIT:
                continue
            # Sorted as in the block, since the lowering arranges them in that order
            # again.
            ops = sorted((*producer.ops, *group.ops), key=self.order.__getitem__)
            stages = arrange({each: self.nests[each] for each in ops})
            if stages is not None and not (
                stages.reducers and stages.is_wide and any(map(turns_rows, ops))
            ):
                _merge(group, self.known.pop(value), 0)
                group.is_staged = not stages.is_one_reduction
                return True
        return False

    def join(self, group: Candidate) -> bool:
        """Merges one more concatenation, in whose parts all ops of a group run."""
        for value, producer in self.producers(group):
            if can_join(group, producer, self.nests, self.order):
                _merge(group, self.known.pop(value), 0)
                return True
        return False

    def producers(self, group: Candidate) -> Iterator[tuple[SSAValue, Candidate]]:
        """The candidates whose results only the ops of a group read."""
        inside = set[Operation](group.ops)
        for value in dict.fromkeys(each for op in group.ops for each in op.operands):
            producer = self.known.get(value)
            if producer is not None and all(e.operation in inside for e in value.uses):
                yield value, producer


def _merge(user: Candidate, producer: Candidate, nest: int) -> None:
    """Moves the ops of `producer` before those of `user`, into one of its nests."""
    user.ops[:0] = producer.ops
    user.looks_up |= producer.looks_up
    nested = producer.nests if len(producer.nests) > 1 else producer.parts
    user.parts = user.parts or nested
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
        group = candidate_of(op) if isinstance(op, GraphOp) else None
        if isinstance(op, GraphOp) and group is not None:
            groups.add(op, group)
    for group in groups.known.values():
        if len(group.ops) > 1:
            fused(sorted(group.ops, key=order.__getitem__))
