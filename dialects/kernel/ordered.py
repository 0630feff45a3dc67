"""
Which value a kernel copies unchanged when the indices that it loads are 0, 1, 2, ….

    %1 = graph.index_select %0, %i {axis = 0} : n x 4, m -> m x 4     %0, where m = n

An index in order is its own place among the indices. So the look-up reads what a load
at that place would, and `identity.py` says when that load is stored where it was. As
many indices as there are places to look up, all in order, are within bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from ..dims import product
from ..shape import sizes, tensor_type
from .expression import Load
from .group import Check, Group
from .identity import Condition, conjunction, has_its_elements, moved, stays


@dataclass(frozen=True)
class Ordered:
    """A value that a kernel copies where all of `indices` are in order, from 0 on."""

    source: SSAValue
    indices: SSAValue
    when: Condition
    """What must hold of sizes as well."""


def ordered_copy_of(group: Group) -> Ordered | None:
    """The value that a group copies unchanged where its indices are in order."""
    match group.nests, group.checks:
        case (nest,), (check,) if not nest.stages and nest.onto is None:
            load = moved(nest)
        case _:
            return None
    if load is None or nest.store.lookups or not has_its_elements(group, load.buffer):
        return None
    match load.lookups:
        case ((index, step),) if _is_all_of(check, index.load):
            at = load.at + index.load.at * step
        case _:
            return None
    if at.offset != 0 or nest.store.at.offset != 0:
        return None
    when = conjunction(((check.count - check.bound,), *stays(nest, at)))
    return None if when is None else Ordered(load.buffer, check.indices, when)


def _is_all_of(check: Check, load: Load) -> bool:
    """Whether a load is of a buffer all of whose elements are checked, in order."""
    count = product(sizes(tensor_type(check.indices)))
    is_whole = (check.count, check.start, check.step) == (count, 0, 1)
    return load.buffer is check.indices and not load.lookups and is_whole
