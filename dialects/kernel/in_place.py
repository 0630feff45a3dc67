"""
Whether a kernel may store its result in the memory of an operand.

It may when every load of an element comes before the store to it, in whatever order the
points run. That holds when each point loads the operand only at the element that it
stores, before it stores it, and no two points store to one element.

    %1 = graph.relu %0              %1 may be computed in the memory of %0
    %1 = graph.softmax %0           may too: a row is stored once all of it was read
    %1 = graph.permute %0           may not: another point still needs the old element
    %1 = graph.matmul %0, %w        may not: other columns need the same row

Vectors are loaded before vectors of the same elements are stored, and threads share no
elements. A kernel of several nests may not, as one would read what another wrote, nor
may one that loads indices from memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from ..graph import byte_size
from ..shape import tensor_type
from .expression import Expression, KernelNest, Load, loads
from .group import Group


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
    if len(group.nests) != 1 or group.checks:
        return None
    (nest,) = group.nests
    if nest.onto is not None or nest.ordered or not _stores_once(nest):
        return None
    found = {load.buffer for load in _factors(nest)}
    is_stored = False
    for roots, stores in _phases(nest):
        for load in loads(*roots):
            if is_stored or load.lookups or load.at != nest.store.at:
                found.add(load.buffer)
        is_stored = is_stored or stores
    return found


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
