"""
Write the address where each row of A begins, before the k-loop.

From one sum of indices LLVM forms addresses that it spills, and reloads for each k. So
rows that are equally far apart share one address, from which each is at a constant
offset; rows that are not, such as those of an image, have an address each. The k-loop
adds the same offset to all. The rows of a tile that is in one line share one, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.loop import BlockedIndex
from ..text.scope import SCALAR
from ..text.types import Value
from .blocks import Blocks, KBlock


def row_bases(blocks: Blocks, block: KBlock, rows: Sequence[str]) -> list[str]:
    """The addresses of rows in a block of k; none where LLVM forms good ones itself."""
    at = blocks.a.at
    if blocks.a.element != blocks.op.initial.type:
        return []
    with blocks.scope.inner(SCALAR):
        blocks.set_k(block, ["0" for _ in blocks.reduced[blocks.axis :]])
        if at.blocked is not None and at.blocked.index is blocks.row:
            if not isinstance(at.blocked.size, int):
                return _stepped_bases(blocks, at.blocked, rows)
            if not _are_in_lines(blocks, at.blocked.size, len(rows)):
                return [_row_base(blocks, each) for each in rows]
        elif at.blocked is not None:
            return []
        pitch = at.step(blocks.row)
        if not isinstance(pitch, int):
            return [_row_base(blocks, each) for each in rows]
        base = _row_base(blocks, rows[0])
    return [blocks.at(base, str(pitch * number)) for number in range(len(rows))]


def _are_in_lines(blocks: Blocks, width: int, rows: int) -> bool:
    """Whether no tile of these rows goes from one line of an image to the next."""
    count = blocks.row_count
    return isinstance(count, int) and width % rows == count % rows == 0


def _row_base(blocks: Blocks, row: str) -> str:
    """The address of a row."""
    memory = blocks.host.memory
    with blocks.scope.inner():
        blocks.set_index(blocks.row, row)
        offset = memory.offsets(blocks.a.at).first
        return blocks.w.hidden(memory.address(blocks.a.buffer, offset))


def _stepped_bases(
    blocks: Blocks, blocked: BlockedIndex, rows: Sequence[str]
) -> list[str]:
    """
    The addresses of rows that follow each other, in blocks of a size that only the run
    knows: a division for the first, and a comparison for each other.
    """
    w, memory = blocks.w, blocks.host.memory
    with blocks.scope.inner():
        blocks.set_index(blocks.row, "0")
        start = memory.offsets(blocks.a.at).first
    size = memory.block_size(blocked)
    stride, step = w.size(blocked.stride), w.size(blocked.step)
    number = w.div(rows[0], size)
    inside = w.minus(rows[0], w.mul(number, size))
    found: list[str] = []
    for _ in rows:
        offset = w.add(w.add(start, w.mul(number, stride)), w.mul(inside, step))
        found.append(w.hidden(memory.address(blocks.a.buffer, offset)))
        inside = w.add(inside, "1")
        ends = w.emit(f"icmp eq i64 {inside}, {size}")
        inside = w.emit(f"select i1 {ends}, i64 0, i64 {inside}")
        number = w.add(number, w.emit(f"zext i1 {ends} to i64"))
    return found


def k_offset(blocks: Blocks, outer: str | None = None) -> str:
    """
    Writes how far from the base of its row an element is at the present k; `outer` is
    how far where the innermost index is 0, if that is written.
    """
    w, at = blocks.w, blocks.host.memory.at(blocks.a)
    indices = blocks.k_indices[blocks.axis :]
    offset = "0" if outer is None else outer
    for index in indices if outer is None else indices[-1:]:
        stride = w.size(at.step(index))
        offset = w.add(offset, w.mul(blocks.scope[index].text, stride))
    return offset


def row_element(blocks: Blocks, base: str, offset: str) -> Value:
    """Writes the load of the element that a row has at the present k."""
    memory = blocks.host.memory
    loaded = memory.read(blocks.at(base, offset), blocks.op.initial.type, 1)
    return blocks.element(blocks.a, loaded)
