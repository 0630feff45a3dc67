"""Tell whether a product reads a factor where it lay before ops moved its elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from xdsl.ir import SSAValue

from ...dialects import sizes, symbols_of, tensor_type
from ...dialects.graph import GraphOp, Linear, Nest, Read
from ...dialects.kernel import only_moves


def reads_before_moved(
    nest: Nest, read: Read, ops: Sequence[GraphOp], defined: Set[str]
) -> bool:
    """
    Whether a product takes ops, one after the other, that only move elements of a
    factor: where it reads lines all the same, or where they take a part of a size that
    the run finds, one of the symbols that are `defined`.
    """
    if not all(len(op.operands) == 1 and only_moves(op) for op in ops):
        return False
    return _is_found_part(ops, defined) or _reads_lines(nest, read, ops)


def _is_found_part(ops: Sequence[GraphOp], defined: Set[str]) -> bool:
    """
    Whether ops move a part of a tensor, whose size a run finds, and which has no such
    size itself: memory for more than is used.
    """
    return not defined.isdisjoint(_symbols(ops[-1].results[0])) and defined.isdisjoint(
        _symbols(ops[0].operands[0])
    )


def _symbols(value: SSAValue) -> Set[str]:
    """The symbols in the sizes of a tensor."""
    return {name for size in sizes(tensor_type(value)) for name in symbols_of(size)}


def _reads_lines(nest: Nest, read: Read, ops: Sequence[GraphOp]) -> bool:
    """
    Whether what a product of matrices reads lies side by side in memory, along its
    columns or its last k, where ops have not moved it.

    Then nothing is gained by moving it first: factors are packed from lines, or read in
    lines. But elements of windows, which overlap, are read where they are moved to, and
    so are rows of several axes, which are one axis there.
    """
    at = _linear(read)
    moved = [axis for each in at or () for axis, _ in each.factors]
    if at is None or len(moved) != len(set(moved)) or _has_rows_of_axes(nest, moved):
        return False
    for op in reversed(ops):
        sources = [each for nest in op.nests() or () for each in nest.sources]
        before = _linear(sources[0]) if isinstance(sources[0], Read) else None
        if before is None:
            return False
        at = [each.at(at) for each in before]
    shape, count = sizes(tensor_type(ops[0].operands[0])), len(nest.bounds)
    wide = [each.factors for each, size in zip(at, shape, strict=True) if size != 1]
    side_by_side = ((count - nest.reductions - 1, 1),), ((count - 1, 1),)
    return not wide or wide[-1] in side_by_side


def _has_rows_of_axes(nest: Nest, moved: Sequence[int]) -> bool:
    """Whether a factor that moves along some axes alone has several axes of rows."""
    reads = (each for each in nest.sources if isinstance(each, Read))
    times = Counter(
        axis for read in reads for at in _linear(read) or () for axis, _ in at.factors
    )
    column = len(nest.bounds) - nest.reductions - 1
    rows = (axis for axis in moved if times[axis] == 1 and axis != column)
    return sum(nest.bounds[axis] != 1 for axis in rows) > 1


def _linear(read: Read) -> list[Linear] | None:
    """The positions that are read, where none is looked up."""
    found = [each for each in read.at if isinstance(each, Linear)]
    return found if len(found) == len(read.at) else None
