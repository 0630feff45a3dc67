"""What values of the graph are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ....dialects import Dim, dim
from ....dialects.graph import DimOp


def _arguments_of(values: Iterable[SSAValue]) -> list[BlockArgument]:
    """The arguments of the function that values are computed from, in order."""
    found = {each for each in _ancestors(values) if isinstance(each, BlockArgument)}
    return sorted(found, key=lambda each: each.index)


def inputs_of(
    values: Iterable[SSAValue], block: Block, names: Sequence[str]
) -> tuple[str, ...]:
    """
    The inputs that would have to be known for values to be, by the names of the
    arguments of the function's block; none where that would not do.
    """
    needed = _arguments_of(values)
    # What a region is given anew in each trip, no input makes known.
    if any(each.owner is not block for each in needed):
        return ()
    return tuple(names[each.index] for each in needed)


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
