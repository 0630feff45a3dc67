"""
Whether a kernel may store its result in the memory of an operand.

It may when every load of an element comes before the store to it, in whatever order the
points run. That holds when each point loads the operand only at the element that it
stores, before it stores it, and no two points store to one element.

    %1 = graph.relu %0              %1 may be computed in the memory of %0
    %1 = graph.softmax %0           may too: a row is stored once all of it was read
    %1 = graph.permute %0           may not: another point still needs the old element
    %1 = graph.matmul %0, %w        may not: other columns need the same row
    %1 = graph.scatter %0, %i, %u   may: it updates elements of what it overwrites

Vectors are loaded before vectors of the same elements are stored, and threads share no
elements. Of several nests only the first may read the operand, as the others would read
what it wrote. A nest that only copies the operand has nothing left to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from ..graph.storage import byte_size
from ..shape import tensor_type
from .expression import Expression, KernelNest, Load, loads
from .group import Group
from .identity import moved


def may_replace(group: Group, value: SSAValue) -> bool:
    """
    Whether the result of a group may be computed in the memory of a value that it
    reads.
    """
    kept = read_elsewhere(group)
    return kept is not None and value not in kept and is_alike(group, value)


def is_alike(group: Group, value: SSAValue) -> bool:
    """Whether a value has as many elements as the result, of the same type."""
    types = tensor_type(value), tensor_type(group.result)
    return len({(each.element_type, byte_size(each)) for each in types}) == 1


def read_elsewhere(group: Group) -> set[SSAValue] | None:
    """
    The values in whose memory a group may not compute its result, as it loads their
    elements at other positions or too late; None when no value is allowed.
    """
    nest, *others = group.nests
    if nest.onto is not None or nest.ordered or nest.also or not _stores_once(nest):
        return None
    found = {load.buffer for load in _factors(nest)}
    found |= {load.buffer for each in others for load in loads(*each.roots)}
    found |= {check.indices for check in group.checks}
    is_stored = False
    for roots, stores in _phases(nest):
        for load in loads(*roots):
            if is_stored or load.lookups or load.at != nest.store.at:
                found.add(load.buffer)
        is_stored = is_stored or stores
    return found


def copies(nest: KernelNest, value: SSAValue) -> bool:
    """Whether a nest does nothing but copy `value` to where it lies in the result."""
    if nest.stages or nest.reductions or nest.onto is not None:
        return False
    load = moved(nest)
    return (
        load is not None
        and load.buffer is value
        and not load.lookups
        and not nest.store.lookups
        and load.at == nest.store.at
    )


def updated_operand(group: Group) -> SSAValue | None:
    """
    The value that a group copies whole before it updates some elements of the copy, if
    that is what it does.
    """
    if len(group.nests) < 2 or (load := moved(group.nests[0])) is None:
        return None
    kept = read_elsewhere(group)
    if kept is None or load.buffer in kept or not is_alike(group, load.buffer):
        return None
    return load.buffer if copies(group.nests[0], load.buffer) else None


def _stores_once(nest: KernelNest) -> bool:
    """Whether no two points store to the same element."""
    count = len(nest.bounds)
    if not nest.is_wide and not nest.keeps_accumulators:
        count -= nest.reductions
    moving = {axis for axis, _ in nest.store.at.factors}
    return not nest.store.lookups and moving == {*range(count)}


def _factors(nest: KernelNest) -> Iterator[Load]:
    """
    The loads of the operands of a contraction, which all rows or columns of a tile
    share.
    """
    return loads(nest.element) if nest.is_contraction else iter(())


def _phases(nest: KernelNest) -> Iterator[tuple[list[Expression], bool]]:
    """The expressions of each loop over one row, in order, and whether it stores."""
    if not nest.stages:
        yield [nest.element, nest.epilogue], True
        return
    for stage in nest.stages:
        yield [stage.element, *(each for each, _ in stage.kept)], bool(stage.kept)
    yield [nest.epilogue], True
