"""Bodies of loops as passes see them: ops of scalars, and the body for one index."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue

from ...dialects.loop import LoadOp, StoreOp


def is_scalar(op: Operation) -> bool:
    """Whether an op computes with scalars, or loads or stores one."""
    if isinstance(op, LoadOp | StoreOp):
        return True
    kinds = (MemRefType, IndexType)
    return not op.regions and not any(isinstance(e.type, kinds) for e in op.operands)


def at_number(
    op: Operation, index: SSAValue, number: int, known: dict[SSAValue, SSAValue]
) -> Operation:
    """An op of a body for one index, where others of the body are known."""
    if not isinstance(op, LoadOp | StoreOp):
        return op.clone(known)
    at = op.at
    terms = tuple((each, step) for each, step in at.terms if each is not index)
    at = replace(at, terms=terms, offset=at.offset + at.step(index) * number)
    if isinstance(op, LoadOp):
        return LoadOp(op.buffer, at)
    return StoreOp(known.get(op.value, op.value), op.buffer, at)
