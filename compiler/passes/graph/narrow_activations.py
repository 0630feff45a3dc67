"""
Keep what is between kernels in bf16, where products round it anyway.

Before:

    %1 = graph.relu %0 : tensor<7x64xf32> -> tensor<7x64xf32>
    %2 = graph.fusion %1, %w : tensor<7x64xf32>, tensor<64x120xbf16> -> … {
    ^bb0(%a: tensor<7x64xf32>, %b: tensor<64x120xbf16>):
      %3 = graph.cast %a {to = bf16} : tensor<7x64xf32> -> tensor<7x64xbf16>
      %4 = graph.cast %3 {to = f32} : tensor<7x64xbf16> -> tensor<7x64xf32>
      …

After:

    %1 = graph.fusion %0 : tensor<7x64xf32> -> tensor<7x64xbf16> {
    ^bb0(%a: tensor<7x64xf32>):
      %2 = graph.relu %a : tensor<7x64xf32> -> tensor<7x64xf32>
      %3 = graph.cast %2 {to = bf16} : tensor<7x64xf32> -> tensor<7x64xbf16>
      graph.yield %3 : tensor<7x64xbf16>
    }
    %4 = graph.fusion %1, %w : tensor<7x64xbf16>, tensor<64x120xbf16> -> … {
    ^bb0(%a: tensor<7x64xbf16>, %b: tensor<64x120xbf16>):
      %5 = graph.cast %a {to = f32} : tensor<7x64xbf16> -> tensor<7x64xf32>
      …

So it takes half of the memory, and is rounded once and not by each product that reads
it. It runs after `narrow-weights`, on a target with instructions for products of bf16.
A value is kept in bf16

* where all that reads it rounds it: then no bit of any result changes. What only moves
  or chooses elements, such as a max pool, may stand between, since rounding keeps their
  order, and so may the end of a loop that stacks it;
* where a contraction makes it, and all that reads it are contractions, which may add it
  to their sums as well: the residual of a network of images. That rounds what is added.

What a normalization, a softmax or the user reads stays f32, and so do results whose
memory has other numbers before: sums so long that accumulators are stored between
blocks of k, and what a softmax or a normalization makes, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from ....dialects import product, tensor_type, with_element
from ....dialects.graph import (
    CastOp,
    ControlOp,
    FusionOp,
    GraphOp,
    LoopOp,
    Nest,
    YieldOp,
    same,
)
from ....dialects.kernel import KernelNest, group_of
from ....dialects.loop import target_of
from ...cost import MOST_KC
from ..defined_functions import defined_functions
from ..narrow_reads import as_fusion, moves, read_narrow, rounds_to


@dataclass(frozen=True)
class NarrowActivations(ModulePass):
    """Makes bf16 of values that are f32, where products of bf16 read them."""

    name = "narrow-activations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if target_of(op).isa(bf16) is None:
            return
        for function in defined_functions(op):
            _Narrower().narrow_block(function.body.block)


@dataclass
class _Narrower:
    """Narrows the values of one function."""

    choosing: set[Operation] = field(default_factory=set[Operation])
    """What only chooses elements of f32, for a result in bf16."""

    def narrow_block(self, block: Block) -> None:
        """Narrows the results of a block, the last first, and of its regions."""
        for op in reversed(list(block.ops)):
            if isinstance(op, ControlOp):
                for inner in op.blocks:
                    self.narrow_block(inner)
            elif isinstance(op, GraphOp) and self.suits(op):
                self.narrow(op)

    def suits(self, op: GraphOp) -> bool:
        """Whether the result of an op may be bf16."""
        group = group_of(op)
        if group is None or tensor_type(group.result).element_type != f32:
            return False
        if any(map(_needs_f32, group.nests)) or not _is_plain(op):
            return False
        uses = [*_uses(op.results[0])]
        if all(self.rounds(each) for each in uses):
            return bool(uses)
        makes = any(each.is_contraction for each in group.nests)
        return makes and all(self.rounds(e) or _contracts(e) for e in uses)

    def rounds(self, use: Use) -> bool:
        """Whether an op makes bf16 of all that it reads."""
        op = use.operation
        if not isinstance(op, FusionOp):
            return rounds_to(op, bf16)
        argument = op.body.block.args[use.index]
        inner = all(rounds_to(each.operation, bf16) for each in argument.uses)
        return op in self.choosing or inner

    def narrow(self, op: GraphOp) -> None:
        """Lets an op have its result in bf16, and all others read that."""
        fusion = as_fusion(op)
        wide, body = fusion.result, fusion.body.block
        root, end = _rounded(fusion.root), body.last_op
        assert end is not None
        if root is not None:
            end.operands[0] = root
        for each in reversed(list(body.ops)):
            if each is not end and not any(list(e.uses) for e in each.results):
                Rewriter.erase_op(each)
        if root is None:
            return
        copy = FusionOp.of(fusion.operands, fusion.body.detach_block(0))
        copy.location = fusion.location
        Rewriter.insert_op(copy, InsertPoint.before(fusion))
        _read_instead(wide, copy.result)
        Rewriter.erase_op(fusion)
        if all(_chooses(each) for each in copy.ops):
            self.choosing.add(copy)


def _rounded(value: SSAValue) -> SSAValue | None:
    """
    A value in bf16, rounded before what moves it; None where a move has a number, such
    as that of a padding, which bf16 lacks.
    """
    op = value.owner
    if isinstance(op, GraphOp) and moves(op):
        values = {each: each for each in op.operands}
        for each in values:
            if tensor_type(each).element_type == f32:
                if (found := _rounded(each)) is None:
                    return None
                values[each] = found
        copy = op.clone(values)
        type = with_element(tensor_type(value), bf16)
        Rewriter.replace_value_with_new_type(copy.results[0], type)
        Rewriter.insert_op(copy, InsertPoint.after(op))
        try:
            copy.verify()
        except VerifyException:
            return None
        copy.location = op.location
        return copy.results[0]
    cast = CastOp(value, to=bf16)
    is_argument = isinstance(op, Block)
    place = InsertPoint.at_start(op) if is_argument else InsertPoint.after(op)
    Rewriter.insert_op(cast, place)
    return cast.result


def _read_instead(wide: SSAValue, narrow: SSAValue) -> None:
    """Lets all that reads a value, or a view of it, read it in bf16."""
    for user in dict.fromkeys(each.operation for each in wide.uses):
        if isinstance(user, YieldOp):
            _narrow_stacks(user, wide, narrow)
            continue
        assert isinstance(user, GraphOp)
        if user.IS_VIEW:
            view = user.clone({wide: narrow})
            type = with_element(tensor_type(view.results[0]), bf16)
            Rewriter.replace_value_with_new_type(view.results[0], type)
            view.location = user.location
            Rewriter.insert_op(view, InsertPoint.before(user))
            _read_instead(user.results[0], view.results[0])
            Rewriter.erase_op(user)
        elif rounds_to(user, bf16):
            Rewriter.replace_op(user, [], [narrow])
        else:
            read_narrow(as_fusion(user), wide, narrow)


def _narrow_stacks(end: YieldOp, wide: SSAValue, narrow: SSAValue) -> None:
    """Lets the trips of a loop stack a value in bf16, and all others read that."""
    loop = end.parent_op()
    assert isinstance(loop, LoopOp), "a loop stacks what it yields"
    for number, operand in enumerate(end.operands):
        if operand is not wide:
            continue
        end.operands[number] = narrow
        stack = loop.results[number - loop.first]
        type = with_element(tensor_type(stack), bf16)
        stack = Rewriter.replace_value_with_new_type(stack, type)
        users = list(stack.uses)
        cast = CastOp(stack, to=f32)
        Rewriter.insert_op(cast, InsertPoint.after(loop))
        for use in users:
            use.operation.operands[use.index] = cast.result
        _read_instead(cast.result, stack)
        Rewriter.erase_op(cast)


def _uses(value: SSAValue) -> Iterator[Use]:
    """What reads a value, a view of it, or the stack that a loop makes of it."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, GraphOp) and op.IS_VIEW and use.index == 0:
            yield from _uses(op.results[0])
        elif (stack := _stack_of(use)) is not None:
            yield from _uses(stack)
        else:
            yield use


def _stack_of(use: Use) -> SSAValue | None:
    """What a loop makes of a value that each trip yields."""
    loop = use.operation.parent_op()
    if not isinstance(use.operation, YieldOp) or not isinstance(loop, LoopOp):
        return None
    number = use.index - loop.first
    return loop.results[number] if number >= loop.carried_count else None


def _contracts(use: Use) -> bool:
    """Whether a contraction reads a value, which it does not write to."""
    op = use.operation
    group = group_of(op)
    if group is None or not isinstance(op, GraphOp) or not _is_plain(op):
        return False
    plain = all(each.onto is None for each in group.nests)
    return plain and any(each.is_contraction for each in group.nests)


def _needs_f32(nest: KernelNest) -> bool:
    """
    Whether the memory of a result has numbers before the last: of a value that is added
    up there, of stages over a row, or of accumulators between blocks of k.
    """
    reduced = product(nest.bounds[len(nest.bounds) - nest.reductions :])
    is_short = isinstance(reduced, int) and reduced <= MOST_KC
    is_long = nest.is_contraction and not is_short
    return is_long or nest.onto is not None or bool(nest.stages)


def _is_plain(op: GraphOp) -> bool:
    """Whether an op has one result, and looks up no place to read or write."""
    if isinstance(op, FusionOp):
        return all(map(_is_plain, op.ops))
    nests = op.nests() or ()
    looks_up = any(any(each.lookups) or each.clamped for each in nests)
    return bool(nests) and len(op.results) == 1 and not looks_up


def _chooses(op: GraphOp) -> bool:
    """Whether each element of a result is one of an operand, or a number."""
    nests = op.nests()
    is_cast = rounds_to(op, bf16)
    return is_cast or (nests is not None and all(_is_choice(each) for each in nests))


def _is_choice(nest: Nest) -> bool:
    """Whether a nest passes elements on, or finds the largest or smallest of some."""
    passes = nest.body is same or not nest.sources
    return passes and nest.combine in (None, "max", "min") and nest.onto is None
