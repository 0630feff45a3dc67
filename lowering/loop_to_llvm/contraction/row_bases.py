"""
Write where the rows of a tile begin, before its steps.

Of one sum of indices LLVM makes addresses that are loaded again in each step. So rows
that lie evenly have one address and are so many bytes from it; those that do not, as
places of an image, have an address each. Within the steps all are as far from theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..text.types import Value
from .blocks import Blocks, Depth
from .tile import hidden


def row_bases(blocks: Blocks, depth: Depth, rows: Sequence[str]) -> list[str]:
    """The addresses of rows in a block of steps; none where LLVM finds good ones."""
    at, type = blocks.down.at, blocks.down.result.type
    row = blocks.op.step.block.args[0]
    if type != blocks.op.initial.type:
        return []
    blocks.enter(depth, ["0" for _ in blocks.reduced[blocks.axis :]])
    blocks.host.side_by_side, blocks.host.lanes = None, 1
    if at.panel is not None and at.panel.index is row:
        return [row_base(blocks, each) for each in rows]
    apart = at.step(row)
    if at.panel is not None or not isinstance(apart, int):
        return []
    base = row_base(blocks, rows[0])
    return [blocks.at(base, str(apart * number)) for number in range(len(rows))]


def row_base(blocks: Blocks, row: str) -> str:
    """The address of a row."""
    blocks.let(blocks.op.step.block.args[0], row)
    place, _, _ = blocks.host.place(blocks.down.at)
    return hidden(blocks.w, blocks.host.address(blocks.down.buffer, place))


def row_element(blocks: Blocks, base: str) -> Value:
    """Writes the load of what a row has at a step."""
    w, offset = blocks.w, "0"
    _, _, *reduced, _ = blocks.op.step.block.args
    for index in reduced[blocks.axis :]:
        stride = w.size(blocks.down.at.step(index))
        offset = w.add(offset, w.mul(blocks.host.values[index].text, stride))
    loaded = blocks.host.read(blocks.at(base, offset), blocks.op.initial.type, 1)
    return blocks.element(blocks.down, loaded)
