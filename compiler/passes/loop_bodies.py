"""Bodies of loops as passes see them: ops of scalars, and loops written out."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.loop import ForOp, LoadOp, StoreOp, YieldOp


def is_scalar(op: Operation) -> bool:
    """Whether an op computes with scalars, or loads or stores one."""
    if isinstance(op, LoadOp | StoreOp):
        return True
    kinds = (MemRefType, IndexType)
    return not op.regions and not any(isinstance(e.type, kinds) for e in op.operands)


def _at_number(
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


def write_out(loop: ForOp) -> None:
    """Puts the bodies of a loop of known size in its place, one after the other."""
    assert isinstance(loop.size, int), "few bodies are written out"
    _, *inner = loop.body.block.args
    carried = [*loop.initial]
    for number in range(loop.size):
        known = dict[SSAValue, SSAValue](zip(inner, carried, strict=True))
        for op in loop.body.block.ops:
            if isinstance(op, YieldOp):
                carried = [known.get(each, each) for each in op.values]
                continue
            copy = _at_number(op, loop.index, number, known)
            known.update(zip(op.results, copy.results, strict=True))
            Rewriter.insert_op(copy, InsertPoint.before(loop))
    for result, value in zip(loop.accumulators, carried, strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(loop)
