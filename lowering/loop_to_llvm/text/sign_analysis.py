"""
Sign analysis: find floats that are at most zero, or NaN, from the ops that compute
them.

    %max = loop.for reduce(max) %j to 64 (%so_far = %least : f32) {
      %x = loop.load %a[%j] : memref<?xf32>
      %next = arith.maximumf %x, %so_far : f32
      loop.yield %next : f32
    }
    loop.for parallel %k to 64 {
      %y = loop.load %a[%k] : memref<?xf32>
      %lower = arith.subf %y, %max : f32
      ...
    }

An element minus the maximum of all such elements is at most zero; so is a magnitude or
a square with its sign changed. Some math functions have shorter code for such
arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ....dialects.loop import ForOp, LoadOp, StoreOp


def never_above_zero(value: SSAValue) -> bool:
    """Whether a float is at most zero, or NaN, for any contents of memory."""
    match value.owner:
        case arith.NegfOp() as op:
            return _never_below_zero(op.operand)
        case arith.SubfOp() as op:
            return _is_greatest(op.rhs, op.lhs)
        case _:
            return False


def _never_below_zero(value: SSAValue) -> bool:
    """Whether a float is zero or more, or NaN, for any contents of memory."""
    match value.owner:
        case math.AbsFOp():
            return True
        case arith.MulfOp() as op:
            return op.lhs is op.rhs
        case _:
            return False


def _is_greatest(accumulator: SSAValue, value: SSAValue) -> bool:
    """Whether `accumulator` is the maximum of elements that `value` is one of."""
    block = (
        accumulator.owner.parent_block() if isinstance(accumulator, OpResult) else None
    )
    if block is None:
        return False
    around = _loops_within(value, block)
    indices: dict[SSAValue, SSAValue] = {}
    combined = accumulator.owner
    while isinstance(combined, ForOp):
        if combined.kind != "reduce" or len(combined.initial) != 1:
            return False
        if not around or around[0].bound != combined.bound:
            return False
        index, so_far = combined.body.block.args
        indices[index] = around.pop(0).index
        combined = combined.end.values[0].owner
        if isinstance(combined, Block) or so_far not in combined.operands:
            return False
    if around or not isinstance(combined, arith.MaximumfOp):
        return False
    return any(_are_same(each, value, indices) for each in combined.operands)


def _loops_within(value: SSAValue, block: Block) -> list[ForOp]:
    """The loops around a value within a block, the outermost first."""
    loops: list[ForOp] = []
    inside = value.owner.parent_block() if isinstance(value, OpResult) else None
    while inside is not None and inside is not block:
        parent = inside.parent_op()
        if not isinstance(parent, ForOp):
            return []
        loops.insert(0, parent)
        inside = parent.parent_block()
    return loops if inside is block else []


def _are_same(a: SSAValue, b: SSAValue, indices: Mapping[SSAValue, SSAValue]) -> bool:
    """Whether two values are equal, once indices of one are mapped to the other's."""
    waiting, seen = [(a, b)], set[tuple[SSAValue, SSAValue]]()
    while waiting:
        pair = one, other = waiting.pop()
        if pair in seen or indices.get(one, one) is other:
            continue
        # Each pair is looked at once, in however many ways it is reached.
        seen.add(pair)
        left, right = one.owner, other.owner
        if not _are_alike(left, right):
            return False
        assert isinstance(left, Operation)
        assert isinstance(right, Operation)
        waiting += zip(left.operands, right.operands, strict=True)
    return True


def _are_alike(one: Operation | Block, other: Operation | Block) -> bool:
    """Whether two ops are the same function of their operands."""
    if isinstance(one, Block) or isinstance(other, Block) or one.regions:
        return False
    if isinstance(one, LoadOp) and _is_written(one.buffer):
        return False
    if type(one) is not type(other) or one.properties != other.properties:
        return False
    return len(one.operands) == len(other.operands)


def _is_written(buffer: SSAValue) -> bool:
    """Whether something is stored in a buffer, after or before it is read."""
    return any(isinstance(use.operation, StoreOp) for use in buffer.uses)
