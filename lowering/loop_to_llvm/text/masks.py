"""
Write ops in the first lanes of a vector only: the others neither load nor store.

So what is left at the end of a loop in vectors, or beyond the last column of a register
tile, is one vector more instead of a loop over single elements.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import bf16, i32
from xdsl.ir import Operation, SSAValue

from ....dialects import ELEMENT_TYPES
from ....dialects.loop import (
    LoadOp,
    PositionOp,
    SplitIndexOp,
    StoreOp,
    Subscript,
    TargetAttr,
    byte_count,
    element_type,
)
from .function import FunctionWriter
from .index_arithmetic import is_number
from .types import Value


def mask_of(w: FunctionWriter, count: str, lanes: int, first: int = 0) -> str:
    """Writes the mask of lanes, numbered from `first` on, whose number is below."""
    if is_number(count):
        valid = (first + each < int(count) for each in range(lanes))
        known = ", ".join(f"i1 {str(each).lower()}" for each in valid)
        return f"<{lanes} x i1> <{known}>"
    limit = w.splat(Value(w.emit(f"trunc i64 {count} to i32"), i32), lanes)
    numbers = ", ".join(f"i32 {first + each}" for each in range(lanes))
    mask = w.emit(f"icmp slt <{lanes} x i32> <{numbers}>, {limit.text}")
    return f"<{lanes} x i1> {mask}"


def can_mask(ops: Iterable[Operation], index: SSAValue, target: TargetAttr) -> bool:
    """
    Whether ops may be written in some lanes of an index only: in memory their elements
    lie side by side.
    """
    # Vectors of 128 bits have no loads and stores with masks.
    return target.vector.data > 128 and all(
        _fits(inner, index, target) for each in ops for inner in each.walk()
    )


def _fits(op: Operation, index: SSAValue, target: TargetAttr) -> bool:
    """Whether an op can be written where some lanes are none."""
    if _truncates(op):
        return False
    match op:
        case LoadOp() | StoreOp():
            # Elements of one and two bytes have masks from AVX-512 on.
            is_narrow = byte_count(element_type(op.buffer)) < 4
            has_mask = not is_narrow or target.vector.data >= 512
            return has_mask and _is_contiguous(op.at, index)
        case SplitIndexOp() | PositionOp():
            return False
        case _:
            return True


def _truncates(op: Operation) -> bool:
    """
    Whether LLVM's instruction for an op is `trunc`. Before a masked store of one lane
    LLVM 22 drops it, and so overwrites what lies behind that lane.
    """
    match op:
        case StoreOp():
            return ELEMENT_TYPES[element_type(op.buffer)].is_widened
        case arith.TruncFOp():
            return op.result.type == bf16
        case _:
            return isinstance(op, arith.TruncIOp)


def _is_contiguous(at: Subscript, index: SSAValue) -> bool:
    """Whether lanes of an index have one element, or successive ones."""
    looked_up = any(isinstance(each.owner, Operation) for each in at.indices)
    return not looked_up and at.step(index) in (0, 1)
