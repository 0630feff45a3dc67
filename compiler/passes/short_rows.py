"""Rows that are shorter than vectors: lanes are rows, whose elements registers hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ...dialects import Dim
from ...dialects.loop import ForOp, KernelOp, LoadOp, StoreOp, element_type
from .loop_bodies import is_scalar

_MOST_HELD = 24
"""The elements of rows, at most, of all buffers together: each is a vector."""

Place: TypeAlias = tuple[SSAValue, frozenset[tuple[SSAValue, Dim]], Dim]
"""A buffer, and where in it: the strides of indices, and an offset."""


def stages_of_short_rows(loop: ForOp) -> list[ForOp]:
    """
    The loops in one over rows that go through rows which registers hold, if it is one.
    """
    stages = [each for each in loop.body.block.ops if isinstance(each, ForOp)]
    return stages if _are_short(loop, stages) and not _may_share(loop) else []


def _may_share(op: Operation) -> bool:
    """Whether memory that a kernel stores to may be what it loads."""
    around = op.parent_op()
    while around is not None and not isinstance(around, KernelOp):
        around = around.parent_op()
    return around is None or bool(around.may_share)


def _are_short(loop: ForOp, stages: Sequence[ForOp]) -> bool:
    """Whether rows have few columns, that each loop goes through one by one."""
    columns = {each.size for each in stages}
    if loop.kind != "parallel" or len(columns) != 1:
        return False
    if not any(each.combine is not None for each in stages):
        return False
    (size,) = columns
    if not isinstance(size, int) or not 2 <= size <= StoreOp.MOST_WOVEN:
        return False
    ops = [each for each in loop.body.block.ops if each not in stages]
    if not all(map(is_scalar, ops)) or not all(map(_is_plain, stages)):
        return False
    rows, others = set[Place](), set[SSAValue]()
    stored, combined = set[SSAValue](), set[SSAValue]()
    for op, stage in _accesses(loop, stages):
        if op.at.blocked_indices or op.at.is_computed_in(loop.body.block):
            return False
        along = 0 if stage is None else op.at.step(stage.index)
        if along == 1 and op.at.step(loop.index) == size:
            rows.add(place_of(op, stage))
        elif isinstance(op, LoadOp) and 0 in (along, op.at.step(loop.index)):
            others.add(op.buffer)
        elif stage is None and op.at.step(loop.index) == 1:
            combined.add(op.buffer)
        else:
            return False
        if isinstance(op, StoreOp) and op.buffer not in combined:
            stored.add(op.buffer)
    # What is stored is read where it was stored, or nowhere.
    places = [buffer for buffer, _, _ in rows]
    return (
        not stored & others
        and not combined & {*others, *places}
        and all(places.count(each) == 1 for each in stored)
        and all(isinstance(element_type(each), AnyFloat) for each in stored)
        and size * len(rows) <= _MOST_HELD
    )


def _is_plain(stage: ForOp) -> bool:
    """Whether a loop goes from element to element, and combines them in that order."""
    is_known = stage.kind != "ordered" and stage.width == 1 and stage.transposed is None
    size, units = stage.size, stage.units
    in_order = stage.partials is None or (isinstance(size, int) and size < min(units))
    return is_known and in_order and all(map(is_scalar, stage.body.block.ops))


def _accesses(
    loop: ForOp, stages: Sequence[ForOp]
) -> Iterator[tuple[LoadOp | StoreOp, ForOp | None]]:
    """The loads and stores of a loop over rows, each with the loop that it is in."""
    for stage in (None, *stages):
        for op in (stage or loop).body.block.ops:
            if isinstance(op, LoadOp | StoreOp):
                yield op, stage


def place_of(op: LoadOp | StoreOp, stage: ForOp | None = None) -> Place:
    """Where an op accesses memory, but for the index of the loop that it is in."""
    index = None if stage is None else stage.index
    terms = frozenset(each for each in op.at.terms if each[0] is not index)
    return op.buffer, terms, op.at.offset
