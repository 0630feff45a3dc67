"""
Write where rows begin that do not lie evenly, as the places of an image do.

An address for each row, found before the steps: within them all rows are as far from
theirs. Of one sum of indices LLVM makes addresses that are loaded again in each step.
"""

from __future__ import annotations

from collections.abc import Sequence

from .blocks import Blocks, Depth
from .types import Value


def row_bases(blocks: Blocks, depth: Depth, rows: Sequence[str]) -> list[str]:
    """The addresses of rows in a block of steps; none where rows lie evenly."""
    at, type = blocks.down.at, blocks.down.result.type
    row = blocks.op.step.block.args[0]
    if at.panel is None or at.panel.index is not row or type != blocks.op.initial.type:
        return []
    blocks.enter(depth, ["0" for _ in blocks.reduced[blocks.axis :]])
    blocks.host.side_by_side, blocks.host.lanes = None, 1
    bases: list[str] = []
    for each in rows:
        blocks.let(row, each)
        place, _, _ = blocks.host.place(at)
        bases.append(blocks.host.address(blocks.down.buffer, place))
    return bases


def row_element(blocks: Blocks, base: str) -> Value:
    """Writes the load of what a row has at a step."""
    w, offset = blocks.w, "0"
    _, _, *reduced, _ = blocks.op.step.block.args
    for index in reduced[blocks.axis :]:
        stride = w.size(blocks.down.at.step(index))
        offset = w.add(offset, w.mul(blocks.host.values[index].text, stride))
    loaded = blocks.host.read(blocks.at(base, offset), blocks.op.initial.type, 1)
    return blocks.element(blocks.down, loaded)
