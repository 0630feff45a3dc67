"""
Let chains of small kernels run at once that do not depend on each other.

Before:

    %0 = graph.loop %x, … : …
    %1 = graph.loop %x, … : …
    %2 = graph.concat %0, %1 {axis = 1 : i64} : …

After:

    %0, %1 = graph.parallel %x : … {
    ^bb0(%a: …):
      %b = graph.loop %a, … : …
      graph.yield %b : …
    } {
    ^bb0(%a: …):
      %c = graph.loop %a, … : …
      graph.yield %c : …
    }
    %2 = graph.concat %0, %1 {axis = 1 : i64} : …

An op that comes before or after every other op, in all orders that data allow, cuts a
function. What lies between two cuts and is connected by data is a chain. Chains become
branches where the cost model says that threads gain (`compiler/cost/branch_work.py`);
there are no more branches than `most`, each of one chain or more. Where a function with
branches would need more than 1.3 times the memory of the same ops in turn, and a MiB
more, they stay ops in turn; so do regions that the model itself has where `most` is 1.

An op stays where it is if it runs Python, defines a size, or updates an input in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import guess, tensor_type
from ....dialects.graph import (
    ConstantOp,
    ControlOp,
    CopyOp,
    DefineSymbolOp,
    FusionOp,
    GraphOp,
    LoopOp,
    MemoryMap,
    ParallelOp,
    WeightOp,
    YieldOp,
    capture,
    ops_in,
)
from ....dialects.graph.storage import byte_size
from ....runtime.planning import Record, in_branches, lower_bound
from ...cost import Work, distributed, pays, total, work_of
from ..defined_functions import defined_functions
from .analyze_aliases import branch_rows, lives

MOST_BRANCHES = 8
"""Branches of one op, where nobody says how many."""

_MOST_MEMORY = 1.3
"""How many times the memory of their ops in turn branches may need."""

_FREE_MEMORY = 1 << 20
"""Bytes that branches may need more in any case: a part of a core's second cache."""

_MOST = 1 << 48
"""The most bytes that a value of open sizes is guessed to have."""

_MAX_WORK_RATIO = 32
"""A chain of less than the greatest chain's work divided by this stays in turn."""


@dataclass(frozen=True)
class FormParallel(ModulePass):
    """Makes branches of ops that do not depend on each other."""

    name = "form-parallel"

    most: int = MOST_BRANCHES
    """The most branches of an op; with one there are none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            block = function.body.block
            if self.most < 2:
                for each in [*ops_in(block)][::-1]:
                    if isinstance(each, ParallelOp):
                        _put_in_turn(each)
            elif not any(
                isinstance(each, DefineSymbolOp | ParallelOp) for each in ops_in(block)
            ):
                _form(block, self.most)


def _form(block: Block, most: int) -> None:
    """Makes branches of the ops of a function."""
    nodes = [each for each in block.ops if isinstance(each, GraphOp) and _is_node(each)]
    firsts = {each: user for each in nodes if (user := _only_user(each)) is not None}
    for joined in _segments([each for each in nodes if each not in firsts]):
        chains = [
            [*(op for op in nodes if firsts.get(op) in chain), *chain]
            for chain in map(dict.fromkeys, joined)
        ]
        works = [total(map(work_of, each)) for each in chains]
        least = max(each.whole for each in works) // _MAX_WORK_RATIO
        kept = [
            (work, chain)
            for work, chain in zip(works, chains, strict=True)
            if work.whole >= least and all(map(_may_move, chain))
        ]
        if len(kept) < 2 or not pays(chosen := [work for work, _ in kept]):
            continue
        place = {op: at for at, op in enumerate(block.ops)}
        branches = [
            sorted((op for at in each for op in kept[at][1]), key=place.__getitem__)
            for each in distributed(chosen, min(most, _count(chosen)))
        ]
        made = _branched(block, sorted(branches, key=lambda each: place[each[0]]))
        before, after = _memory(block)
        if after > max(_MOST_MEMORY * before, before + _FREE_MEMORY):
            _put_in_turn(made)


def _only_user(op: GraphOp) -> Operation | None:
    """The one op that needs an op which reads weights alone, if there is just one."""
    stored = ConstantOp | WeightOp
    if not all(isinstance(_source_of(each).owner, stored) for each in op.operands):
        return None
    users = {use.operation for result in op.results for use in result.uses}
    return users.pop() if len(users) == 1 else None


def _count(works: Sequence[Work]) -> int:
    """How many branches are as long as the longest chain, nearly."""
    greatest = max(each.whole for each in works)
    return max(-(-total(works).whole // greatest), 2)


def _is_node(op: GraphOp) -> bool:
    """Whether an op runs."""
    is_stored = isinstance(op, ConstantOp | WeightOp)
    return bool(op.results) and not op.IS_VIEW and not is_stored


def _may_move(op: GraphOp) -> bool:
    """Whether an op may be part of a branch."""
    if isinstance(op, CopyOp) and isinstance(_source_of(op.operands[0]), BlockArgument):
        # It may be left out where a call gives the memory of the input for an output.
        return all(isinstance(use.operation, LoopOp) for use in op.results[0].uses)
    return all(
        each.has_kernel
        for each in (op, *(ops for block in _blocks(op) for ops in ops_in(block)))
        if isinstance(each, GraphOp) and _is_node(each)
        if not isinstance(each, ControlOp | FusionOp)
    )


def _blocks(op: GraphOp) -> Sequence[Block]:
    """The blocks of an op with control flow."""
    return op.blocks if isinstance(op, ControlOp) else ()


def _source_of(value: SSAValue) -> SSAValue:
    """What a value is a view of."""
    while isinstance(owner := value.owner, GraphOp) and owner.IS_VIEW:
        value = owner.operands[0]
    return value


def _segments(nodes: Sequence[GraphOp]) -> Iterator[list[list[GraphOp]]]:
    """What lies between cuts, as chains, where there is more than one."""
    number: dict[object, int] = {op: at for at, op in enumerate(nodes)}
    before, after = [0] * len(nodes), [0] * len(nodes)
    read: list[list[int]] = []
    for at, op in enumerate(nodes):
        owners = {_source_of(each).owner for each in op.operands}
        read.append([number[it] for it in owners if it in number])
        for each in read[at]:
            before[at] |= before[each] | 1 << each
    for at in reversed(range(len(nodes))):
        for each in read[at]:
            after[each] |= after[at] | 1 << at
    segment: list[int] = []
    for at in range(len(nodes) + 1):
        if at < len(nodes) and (before[at] | after[at]).bit_count() < len(nodes) - 1:
            segment.append(at)
            continue
        chains = _connected(segment, read)
        if len(chains) > 1:
            yield [[nodes[each] for each in chain] for chain in chains]
        segment = []


def _connected(
    segment: Sequence[int], read: Sequence[Sequence[int]]
) -> list[list[int]]:
    """The parts of a segment that no data connect."""
    chain_of: dict[int, list[int]] = {}
    for at in segment:
        chain_of[at] = [at]
        for each in read[at]:
            other, own = chain_of.get(each), chain_of[at]
            if other is not None and other is not own:
                small, large = sorted((other, own), key=len)
                large += small
                chain_of.update(dict.fromkeys(small, large))
    return [*{id(each): each for each in chain_of.values()}.values()]


def _branched(block: Block, branches: Sequence[Sequence[GraphOp]]) -> ParallelOp:
    """Makes branches of ops, and puts them where the last of these was."""
    ops = [op for branch in branches for op in branch]
    place = {op: at for at, op in enumerate(block.ops)}
    after = max(ops, key=place.__getitem__).next_op
    while isinstance(after, GraphOp) and after.IS_VIEW:
        after = after.next_op
    assert after is not None, "a function ends in a return"
    blocks = [Block() for _ in branches]
    made: list[SSAValue] = []
    for inner, branch in zip(blocks, branches, strict=True):
        _Move(inner).all(branch)
    for op in reversed([*block.ops]):
        is_view = isinstance(op, GraphOp) and op.IS_VIEW
        if is_view and not any(each.uses for each in op.results):
            Rewriter.erase_op(op)
    for inner, branch in zip(blocks, branches, strict=True):
        yielded = [value for op in branch for value in op.results if _leaves(value)]
        inner.add_op(YieldOp(*yielded))
        made += yielded
    parallel = ParallelOp.of(capture(*blocks), *blocks)
    Rewriter.insert_op(parallel, InsertPoint.before(after))
    for value, result in zip(made, parallel.results, strict=True):
        inner = value.owner.parent_block() if isinstance(value, OpResult) else None
        value.replace_uses_with_if(
            result, lambda use, own=inner: use.operation.parent_block() is not own
        )
    for op in [*block.ops]:
        if op is parallel:
            break
        is_view = isinstance(op, GraphOp) and op.IS_VIEW
        if is_view and _source_of(op.results[0]).owner is parallel:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(after))
    return parallel


def _leaves(value: SSAValue) -> bool:
    """Whether a value is used outside of its block."""
    assert isinstance(value, OpResult), "an op computes it"
    own = value.op.parent_block()
    return any(use.operation.parent_block() is not own for use in value.uses)


@dataclass
class _Move:
    """Moves ops to a block, with copies of the views and weights that they read."""

    block: Block
    copies: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def all(self, ops: Sequence[GraphOp]) -> None:
        """Moves ops, in order."""
        for op in ops:
            op.detach()
            for number, operand in enumerate(op.operands):
                op.operands[number] = self.here(operand)
            self.block.add_op(op)

    def here(self, value: SSAValue) -> SSAValue:
        """A value, or a copy where it is a weight or shows what the block has."""
        source, owner = _source_of(value).owner, value.owner
        is_known = isinstance(source, ConstantOp | WeightOp)
        is_mine = isinstance(source, Operation) and source.parent is self.block
        if not isinstance(value, OpResult) or not isinstance(owner, Operation):
            return value
        is_view = isinstance(owner, GraphOp) and owner.IS_VIEW
        if not is_known and not (is_mine and is_view):
            return value
        if value not in self.copies:
            known = {each: self.here(each) for each in owner.operands}
            copy = owner.clone(known)
            copy.location = owner.location
            self.block.add_op(copy)
            self.copies[value] = copy.results[value.index]
        return self.copies[value]


def _put_in_turn(op: ParallelOp) -> None:
    """Replaces regions by their ops, one after the other."""
    results: list[SSAValue] = []
    for block in op.blocks:
        end = block.last_op
        assert end is not None, "a region yields"
        Rewriter.inline_block(block, InsertPoint.before(op), [*op.operands])
        results += end.operands
        Rewriter.erase_op(end)
    Rewriter.replace_op(op, [], results)


def _memory(block: Block) -> tuple[int, int]:
    """The bytes that a function needs at least: its ops in turn, and with branches."""
    memory, end = MemoryMap(block), block.last_op
    assert end is not None, "a function ends in a return"
    given = {memory.owner_of(each) for each in end.operands}
    records = [
        Record(min(max(guess(byte_size(tensor_type(value))), 0), _MOST), first, last)
        for value, (first, last) in lives(block, memory).items()
        if isinstance(value.owner, GraphOp)
        and _is_node(value.owner)
        and value not in given
    ]
    branched = in_branches(records, branch_rows(block))
    return lower_bound(records), lower_bound(branched)
