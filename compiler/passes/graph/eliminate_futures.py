"""
Remove futures: a fork runs beside the ops before its wait.

Before:

    %0 = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
    ^bb0(%a: tensor<3xf32>):
      %b = graph.exp %a : …
      graph.yield %b : …
    }
    %1 = graph.neg %x : …
    %2 = graph.wait %0 : !graph.future<tensor<3xf32>> -> tensor<3xf32>
    %3 = graph.add %1, %2 : …

After:

    %2, %1 = graph.parallel %x : … {
    ^bb0(%a: tensor<3xf32>):
      %b = graph.exp %a : …
      graph.yield %b : …
    } {
    ^bb0(%a: tensor<3xf32>):
      %c = graph.neg %a : …
      graph.yield %c : …
    }
    %3 = graph.add %1, %2 : …

A fork begins as soon as its operands are there, but after the wait before it. A wait
ends all forks that began after its own: then forks and waits are brackets, and brackets
are regions in regions. A fork that is an operand of another ends before that begins. So
each order of forks and waits becomes one of series and parallel composition; what it
loses is that some ops wait longer. All ops are pure, so results are the same.

Where there is nothing beside a fork, or a size is defined in it or beside it, its ops
stand where the wait was. A fork that nothing waits for is removed. Conditions on sizes
are checked before the fork. From here no value is a future; a remaining one is an
error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from ....dialects.graph import (
    ConstantOp,
    DefineSymbolOp,
    ForkOp,
    FutureType,
    GraphOp,
    ParallelOp,
    RequireOp,
    WaitOp,
    WeightOp,
    YieldOp,
    capture,
)


@dataclass(frozen=True)
class EliminateFutures(ModulePass):
    """Replaces forks and waits by regions that run at once, or by their ops."""

    name = "eliminate-futures"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forks = [each for each in op.walk() if isinstance(each, ForkOp)]
        for fork in forks:
            _await_operands(fork)
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                _join_all(function.body.block)
        _verify_no_futures(op)


def _await_operands(fork: ForkOp) -> None:
    """Waits for futures before a fork that has them as operands."""
    for number, operand in reversed([*enumerate(fork.operands)]):
        if isinstance(operand.type, FutureType):
            wait = WaitOp(operand)
            wait.location = fork.location
            Rewriter.insert_op(wait, InsertPoint.before(fork))
            _give(fork, number, wait.results)


def _give(fork: ForkOp, number: int, values: Sequence[SSAValue]) -> None:
    """Gives a fork values in the place of their future."""
    block = fork.body.block
    future = block.args[number]
    inner = [
        block.insert_arg(each.type, number + 1 + at) for at, each in enumerate(values)
    ]
    while (use := next(iter(future.uses), None)) is not None:
        match use.operation:
            case WaitOp() as wait:
                Rewriter.replace_op(wait, [], inner)
            case ForkOp() as other:
                _give(other, use.index, inner)
            case other:
                raise VerifyException(f"expected a future to wait for, got {other}")
    block.erase_arg(future)
    operands = [*fork.operands]
    operands[number : number + 1] = values
    fork.operands = operands


def _join_all(block: Block) -> None:
    """Replaces the forks and waits of a block, and before that of regions in it."""
    for op in block.ops:
        for region in op.regions:
            _join_all(region.block)
    running: dict[SSAValue, ForkOp] = {}
    for op in [*block.ops]:
        if isinstance(op, ForkOp):
            _begin_early(op)
            running[op.result] = op
        elif isinstance(op, WaitOp) and op.parent and op.future in running:
            at = [*running].index(op.future)
            joined = [running.pop(each) for each in [*running][at:]]
            for fork in joined:
                _use_yielded(fork, op)
            for each in _joined(joined, op):
                Rewriter.insert_op(each, InsertPoint.before(op))
            Rewriter.erase_op(op)
            for fork in joined:
                fork.erase()
    for fork in running.values():
        if not fork.result.uses:
            Rewriter.erase_op(fork)


def _begin_early(fork: ForkOp) -> None:
    """Moves a fork up to what it needs, or to the wait or the fork before it."""
    first: Operation = fork
    needed = {each.owner for each in fork.operands}
    while (before := first.prev_op) is not None and before not in needed:
        if isinstance(before, ForkOp | WaitOp | DefineSymbolOp):
            break
        first = before
    if first is not fork:
        fork.detach()
        Rewriter.insert_op(fork, InsertPoint.before(first))


def _use_yielded(fork: ForkOp, place: WaitOp) -> None:
    """
    Replaces what waits give by what the region of a fork yields, whose arguments become
    the operands of the fork. The wait that is the place for its ops remains.
    """
    values = _opened(fork.body.block, fork.operands)
    for use in [*fork.result.uses]:
        wait = use.operation
        if not isinstance(wait, WaitOp):
            raise VerifyException(
                f"expected a future that is used by graph.wait, got one of {wait.name}"
            )
        for result, value in zip(wait.results, values, strict=True):
            result.replace_all_uses_with(value)
        if wait is not place:
            Rewriter.erase_op(wait)


def _joined(forks: Sequence[ForkOp], wait: WaitOp) -> Sequence[Operation]:
    """Takes out forks and what stands before a wait; returns the ops that run both."""
    blocks: list[Block] = []
    for fork in reversed(forks):
        beside = Block()
        while (op := fork.next_op) is not None and op is not wait:
            op.detach()
            beside.add_op(op)
        if any(map(_runs, beside.ops)):
            for op in _at_once(blocks):
                beside.add_op(op)
            blocks = [beside]
        else:
            for op in _taken(beside):
                Rewriter.insert_op(op, InsertPoint.before(fork))
        blocks.insert(0, _block_of(_taken(fork.body.block)))
        fork.detach()
    return _at_once(blocks)


def _at_once(blocks: Sequence[Block]) -> list[Operation]:
    """The ops that run all blocks at once, or in turn where only one takes time."""
    every = [op for block in blocks for op in block.walk()]
    if any(isinstance(op, DefineSymbolOp) for op in every):
        return [op for block in blocks for op in _taken(block)]
    before: list[Operation] = []
    for block in blocks:
        is_busy = any(map(_runs, block.ops))
        before += _taken(block, all=not is_busy)
    blocks = [each for block in blocks for each in _flat(block)]
    yielded = {block: [*_leaving(block)] for block in blocks}
    for block in [block for block in blocks if not yielded[block]]:
        for op in reversed([*block.ops]):
            Rewriter.erase_op(op)
    busy = [block for block in blocks if yielded[block]]
    if len(busy) < 2:
        return [*before, *(op for block in busy for op in _taken(block))]
    for block in busy:
        block.add_op(YieldOp(*yielded[block]))
    parallel = ParallelOp.of(capture(*busy), *busy)
    values = [value for block in busy for value in yielded[block]]
    for value, result in zip(values, parallel.results, strict=True):
        inner = value.op.parent_block()
        value.replace_uses_with_if(
            result, lambda use, own=inner: use.operation.parent_block() is not own
        )
    return [*before, parallel]


def _flat(block: Block) -> Iterator[Block]:
    """A block, or the regions of the op that is all of it."""
    only = block.first_op
    if not isinstance(only, ParallelOp) or only is not block.last_op:
        yield block
        return
    results = iter(only.results)
    for inner in only.blocks:
        for value in _opened(inner, only.operands):
            next(results).replace_all_uses_with(value)
        yield _block_of(_taken(inner))
    only.detach()
    only.erase()


def _opened(block: Block, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Writes a region in operands, and removes its end; returns what it yields."""
    end = block.last_op
    assert end is not None, "a region yields"
    for argument, operand in zip(block.args, operands, strict=True):
        argument.replace_all_uses_with(operand)
    values = [*end.operands]
    Rewriter.erase_op(end)
    return values


def _block_of(ops: Iterable[Operation]) -> Block:
    """A block of ops that are in none."""
    block = Block()
    for op in ops:
        block.add_op(op)
    return block


def _taken(block: Block, all: bool = True) -> Iterator[Operation]:
    """Takes ops out of a block: all, or those that stand before any fork."""
    for op in [*block.ops]:
        if all or isinstance(op, ConstantOp | WeightOp | RequireOp):
            op.detach()
            yield op


def _leaving(block: Block) -> Iterator[OpResult]:
    """The values of a block that are used outside of it."""
    for op in block.ops:
        for each in op.results:
            if any(use.operation.parent_block() is not block for use in each.uses):
                yield each


def _runs(op: Operation) -> bool:
    """Whether an op takes time."""
    is_view = isinstance(op, GraphOp) and op.IS_VIEW
    return not is_view and not isinstance(op, ConstantOp | WeightOp | RequireOp)


def _verify_no_futures(module: ModuleOp) -> None:
    """Raises `VerifyException` when a value is still a future."""
    for op in module.walk():
        for value in (*op.operands, *op.results):
            if isinstance(value.type, FutureType):
                raise VerifyException(
                    "expected a future of graph.fork, awaited where it is made, got "
                    f"one at {op.name}"
                )
