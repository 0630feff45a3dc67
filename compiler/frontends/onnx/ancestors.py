"""What values of the graph are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ....dialects import Dim, dim
from ....dialects.graph import DimOp


def arguments_of(values: Iterable[SSAValue]) -> list[BlockArgument]:
    """The arguments of the function that values are computed from, in order."""
    found = {each for each in _ancestors(values) if isinstance(each, BlockArgument)}
    return sorted(found, key=lambda each: each.index)


def dims_of(values: Iterable[SSAValue]) -> list[Dim]:
    """The sizes that values are computed from."""
    found = [each for each in _ancestors(values) if isinstance(each, DimOp)]
    return [dim(each.value.data) for each in found]


def _ancestors(values: Iterable[SSAValue]) -> Iterator[Operation | BlockArgument]:
    """The ops that values are computed by, and the arguments of the function."""
    seen: set[Operation | SSAValue] = set()
    open_values = list(values)
    while open_values:
        value = open_values.pop()
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if parent is None and isinstance(value, BlockArgument):
                yield value
                continue
            owner = parent
        if owner is None or owner in seen:
            continue
        seen.add(owner)
        yield owner
        # What a region uses of outside counts as well.
        open_values += [each for op in owner.walk() for each in op.operands]
