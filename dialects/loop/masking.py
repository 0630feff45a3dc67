"""
Tell which ops may run in the first lanes of a vector only, so that the others neither
load nor store: those whose elements in memory lie side by side.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import f16
from xdsl.ir import Operation, SSAValue

from .. import ELEMENT_TYPES
from .ops.memory import LoadOp, StoreOp, byte_count, element_type
from .ops.position import PositionOp
from .ops.split_index import SplitIndexOp
from .target import TargetAttr


def can_mask(ops: Iterable[Operation], index: SSAValue, target: TargetAttr) -> bool:
    """Whether ops may run in some lanes of an index only."""
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
            return has_mask and op.at.is_contiguous(index)
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
            element = element_type(op.buffer)
            return ELEMENT_TYPES[element].loaded != element
        case arith.TruncFOp():
            row = ELEMENT_TYPES[op.result.type]
            return row.is_half and row.type != f16
        case _:
            return isinstance(op, arith.TruncIOp)
