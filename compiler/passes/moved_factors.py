"""Tell whether a product reads a factor where it lay before ops moved its elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ...dialects import Dim, product, sizes, symbols_of, tensor_type
from ...dialects.graph import GraphOp, Linear, Lookup, Nest, Read
from ...dialects.kernel import only_moves
from ..cost import LEAST_PACKED_WORK


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


def reads_looked_up(nest: Nest, read: Read, ops: Sequence[GraphOp]) -> bool:
    """
    Whether a product of a batch reads a matrix where the first of some ops looks it up
    and the others move it, in lines. So a row reads the matrix of its expert, and no
    copy is made of it. Single rows that are looked up are gathered first: together they
    are one matrix.
    """
    found, times = _read_before(read, ops), _times_read(nest)
    if found is None or times is None or found.looked_up is None:
        return False
    parallel = range(len(nest.bounds) - nest.reductions)
    batch = {axis for axis in parallel if times[axis] > 1}
    own = [axis for axis in found.moved if times[axis] == 1 and axis in parallel]
    if not found.looked_up <= batch or not any(nest.bounds[axis] != 1 for axis in own):
        return False
    last, column = len(nest.bounds) - 1, parallel[-1]
    wide = found.wide
    return bool(wide) and wide[-1] in (((column, 1),), ((last, 1),))


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
    so are rows of several axes, which are one axis there, and columns that are apart
    where there is too little to compute for packing.
    """
    found, times = _read_before(read, ops), _times_read(nest)
    if found is None or times is None or found.looked_up is not None:
        return False
    wide, moved = found.wide, found.moved
    if not wide:
        return True
    last, column = len(nest.bounds) - 1, len(nest.bounds) - nest.reductions - 1
    along_k, along_columns = (wide[-1] == ((axis, 1),) for axis in (last, column))
    if column in moved:
        return along_columns or (along_k and _packs(nest, times))
    rows = [axis for axis in moved if times[axis] == 1 and nest.bounds[axis] != 1]
    return along_k and len(rows) < 2


@dataclass(frozen=True)
class _ReadBefore:
    """Where a product reads what ops have not moved yet."""

    moved: list[int]
    """The axes of the product that move what the ops make."""

    wide: list[tuple[tuple[int, Dim], ...]]
    """How they move along each dimension before the ops that has several elements."""

    looked_up: set[int] | None
    """The axes that an index is looked up along, if one is."""


def _read_before(read: Read, ops: Sequence[GraphOp]) -> _ReadBefore | None:
    """Where what ops move lies before; None where positions themselves are unknown."""
    at, looked_up = _linear(read), list[Linear]()
    looks_up = False
    if at is None:
        return None
    moved = [axis for each in at for axis, _ in each.factors]
    operand = ops[-1].results[0]
    for op in reversed(ops):
        (source, *_) = [each for nest in op.nests() or () for each in nest.sources]
        if not isinstance(source, Read):
            return None
        before: list[Linear] = []
        for position in source.at:
            if isinstance(position, Lookup):
                looked_up += [each.at(at) for each in position.at]
                looks_up = True
                before.append(Linear())
            else:
                before.append(position.at(at))
        at = before
        operand = op.operands[source.operand]
    shape = sizes(tensor_type(operand))
    wide = [each.factors for each, size in zip(at, shape, strict=True) if size != 1]
    axes = {axis for each in looked_up for axis, _ in each.factors}
    return _ReadBefore(moved, wide, axes if looks_up else None)


def _times_read(nest: Nest) -> Counter[int] | None:
    """
    How many factors move along each axis, where each factor moves along an axis for
    each of its own.
    """
    times = Counter[int]()
    for source in nest.sources:
        at = _linear(source) if isinstance(source, Read) else None
        moved = [axis for each in at or () for axis, _ in each.factors]
        if at is None or len(moved) != len(set(moved)):
            return None
        times.update(moved)
    return times


def _packs(nest: Nest, times: Counter[int]) -> bool:
    """
    Whether each product of a batch packs a factor, by what there is to compute: columns
    that are apart are read one by one otherwise. 64 of 5x64x7 took 1.4 of the time that
    they take with a kernel that moves them before.
    """
    parallel = len(nest.bounds) - nest.reductions
    batch = {axis for axis in range(parallel) if times[axis] > 1}
    work = product(e for axis, e in enumerate(nest.bounds) if axis not in batch)
    return not isinstance(work, int) or work >= LEAST_PACKED_WORK


def _linear(read: Read) -> list[Linear] | None:
    """The positions that are read, where none is looked up."""
    found = [each for each in read.at if isinstance(each, Linear)]
    return found if len(found) == len(read.at) else None
