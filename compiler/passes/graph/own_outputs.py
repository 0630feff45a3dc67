"""
Copy outputs and yielded values that would alias other values.

Before:

    func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>) {
      %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
      func.return %0, %x : tensor<6xf32>, tensor<2x3xf32>

After:

    func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>) {
      %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
      %1 = graph.copy %0 : tensor<6xf32> -> tensor<6xf32>
      %2 = graph.copy %x : tensor<2x3xf32> -> tensor<2x3xf32>
      func.return %1, %2 : tensor<6xf32>, tensor<2x3xf32>

An output is copied when it is an input, a constant, a view of either or of a part of a
value, or shares memory with another output; every other output is computed in its own
memory. From here an output never aliases anything. (Static Runtime's
`CreateOwnedRefsForSpecialValues` does it with references.)

Values that a region yields become the results of its op in the same way. Loop-carried
values are copied at the end of a trip, after the last read of the old value;
`eliminate-copies` removes the copies that were not needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import tensor_type
from ....dialects.graph import ControlOp, CopyOp, LoopOp, block_of, is_computed, root_of
from ....dialects.graph.storage import byte_size


@dataclass(frozen=True)
class OwnOutputs(ModulePass):
    """Copies outputs and yielded values that would alias other values."""

    name = "own-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, func.ReturnOp):
                _own_operands(each, range(len(each.operands)))
            elif isinstance(each, LoopOp):
                _own_first(each)
                _own_carried(each)
            if isinstance(each, ControlOp):
                for block in each.blocks:
                    _own_yielded(each, block)


def _copy_operand(op: Operation, number: int) -> None:
    """
    Replaces an operand by a copy; raises `VerifyException` if it cannot be copied.
    """
    tensor_type(op.operands[number])
    copy = CopyOp(op.operands[number])
    copy.location = op.location
    Rewriter.insert_op(copy, InsertPoint.before(op))
    op.operands[number] = copy.result


def _own_operands(op: Operation, numbers: Iterable[int]) -> None:
    """Copies operands whose memory this block does not own, or that share memory."""
    owned = set[SSAValue]()
    for number in numbers:
        root = root_of(value := op.operands[number])
        is_mine = is_computed(root) and block_of(root) is op.parent
        if root in owned or not is_mine or not _is_whole(value, root):
            _copy_operand(op, number)
            root = op.operands[number]
        owned.add(root)


def _is_whole(value: SSAValue, root: SSAValue) -> bool:
    """Whether a value is all of the root that it is a view of."""
    return byte_size(tensor_type(value)) == byte_size(tensor_type(root))


def _own_first(op: LoopOp) -> None:
    """Copies initial values of carried values unless the loop may overwrite them."""
    for number in range(op.first, op.first + op.carried_count):
        root = root_of(value := op.operands[number])
        mine = is_computed(root) and root is value and block_of(root) is op.parent
        if not mine or not root.has_one_use():
            _copy_operand(op, number)


def _own_carried(op: LoopOp) -> None:
    """Copies carried values at the end of a trip, after all reads of the old values."""
    end = op.body.block.last_op
    assert end is not None
    carried = op.results[: op.carried_count]
    numbers = range(op.first, op.first + op.carried_count)
    for number, value in enumerate(end.operands):
        old = root_of(value)
        stays = number in numbers and old is op.destination(op.body.block, number)
        if old in carried and not stays:
            _copy_operand(end, number)
    for number in numbers:
        if root_of(end.operands[number]) is not op.destination(op.body.block, number):
            _copy_operand(end, number)


def _own_yielded(op: ControlOp, block: Block) -> None:
    """Copies yielded values that are not computed in the memory of their result."""
    end = block.last_op
    assert end is not None
    _own_operands(
        end,
        (
            number
            for number, value in enumerate(end.operands)
            if op.destination(block, number) not in (None, root_of(value))
        ),
    )
