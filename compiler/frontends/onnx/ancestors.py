"""What values of the graph are computed from."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, BlockArgument, Operation, SSAValue


def arguments_of(values: Iterable[SSAValue]) -> list[BlockArgument]:
    """The arguments of the function that values are computed from, in order."""
    found: set[BlockArgument] = set()
    seen: set[Operation | SSAValue] = set()
    open_values = list(values)
    while open_values:
        value = open_values.pop()
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if parent is None and isinstance(value, BlockArgument):
                found.add(value)
                continue
            owner = parent
        if owner is None or owner in seen:
            continue
        seen.add(owner)
        # What a region uses of outside counts as well.
        open_values += [each for op in owner.walk() for each in op.operands]
    return sorted(found, key=lambda each: each.index)
