"""
Write the packing that a schedule asks for: of A row by row, of B into panels.

A row of packed A has the elements of a block of k one after the other, or the words
that instructions multiply (`vnni.py`). A panel of packed B has, for each k, NR columns
side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.loop import LINE, can_mask, loads_across
from ..isa.instructions import write_zeros
from ..text.masks import mask_of
from ..text.scope import SCALAR, Lanes
from ..text.transpose import sides
from ..text.types import Value, memory_text
from .blocks import Blocks, ColumnBlock, KBlock
from .k_loop import copied_at_once, k_loop
from .steps import StepsWriter
from .words import pack_edge_panel, pack_panel, pack_row


def pack_a(blocks: Blocks, block: KBlock, start: str, end: str) -> None:
    """Writes the packing of a block of rows."""
    w, scope = blocks.w, blocks.scope
    last, has_words = blocks.k_indices[-1], blocks.has_words(blocks.a)

    def row(at: str, _: list[Value]) -> Sequence[Value]:
        offset = w.mul(at, str(blocks.a_pitch * blocks.parts))
        base = blocks.at(blocks.packed_a, offset, blocks.packed_type)

        def copy(k: str, lanes: int, _: list[Value]) -> Sequence[Value]:
            with scope.inner(Lanes(last, lanes) if lanes > 1 else SCALAR):
                value = blocks.element(blocks.a, narrow=blocks.in_words)
            blocks.host.memory.put(value, blocks.at(base, k, blocks.packed_type))
            return ()

        with scope.inner():
            blocks.set_index(blocks.row, w.add(start, at))
            if blocks.in_words:
                _fill_up(blocks, block, base, has_words)
            if has_words:
                pack_row(blocks, block, base)
            else:
                k_loop(blocks, block, (), copy, copied_at_once(blocks, 1))
        return ()

    w.loop("0", w.minus(end, start), 1, (), row)


def _fill_up(blocks: Blocks, block: KBlock, base: str, has_words: bool) -> None:
    """
    Writes zeros where the elements of a row of A, which are written after that, leave
    a part of a word or of an instruction.
    """
    w, isa = blocks.w, blocks.isa
    many = isa.k_group if blocks.tiles is None else isa.k
    *_, filled = blocks.filled

    def zeros(at: str, count: int) -> None:
        to = blocks.at(base, at, blocks.packed_type)
        text = memory_text(blocks.packed_type, count)
        w.do(f"store {text} zeroinitializer, ptr {to}, align {isa.bytes}")

    def last_word(k: str, _: int, __: list[Value]) -> Sequence[Value]:
        assert isinstance(filled, int), (
            "words are filled up where their number is known"
        )
        zeros(w.add(k, str(filled - isa.k_group)), isa.k_group)
        return ()

    if not has_words and blocks.filled != [*blocks.reduced]:
        if blocks.tiles is not None:
            # A row has room for the k of one more instruction.
            write_zeros(w, base, -(-blocks.kc * isa.bytes // LINE), LINE)
        elif blocks.axis < len(blocks.reduced) - 1:
            size = blocks.reduced[-1]
            assert isinstance(size, int), "words are filled up where it is known"
            k_loop(blocks, block, (), last_word, (size,))
    count = w.mul(block.count, str(blocks.inner))
    if (many > isa.k_group or not has_words) and w.whole(count, many) != count:
        zeros(w.whole(w.minus(count, "1"), many), many)


def pack_b(blocks: Blocks, columns: ColumnBlock, block: KBlock) -> None:
    """Writes the packing of a block of columns."""
    w, total = blocks.w, blocks.w.size(blocks.column_count)

    def panel(at: str, _: list[Value]) -> Sequence[Value]:
        start = w.add(columns.start, at)
        offset = w.mul(at, str(blocks.kc))
        base = blocks.at(blocks.packed_b, offset, blocks.packed_type)
        if blocks.has_steps:
            # They lie in whole panels.
            return _pack_steps(blocks, block, start, base)
        partial = "false"
        if blocks.has_edge:
            end = w.add(start, str(blocks.nr))
            partial = w.emit(f"icmp sgt i64 {end}, {total}")
        edge, whole = _pack_edge_panel, _pack_panel
        if blocks.in_words:
            edge, whole = pack_edge_panel, pack_panel
        return w.branch(
            partial,
            lambda: edge(blocks, block, start, base),
            lambda: whole(blocks, block, start, base),
        )

    w.loop("0", w.minus(columns.stop, columns.start), blocks.nr, (), panel)


def _pack_panel(
    blocks: Blocks, block: KBlock, start: str, base: str, valid: str = ""
) -> list[Value]:
    """
    Writes the packing of NR columns, in vectors: of columns, or where these are apart
    and k side by side, of as many k as lanes, in squares that are transposed. Where
    a number of columns are `valid`, the last of them stands for those after it.
    """
    w, lanes, memory = blocks.w, blocks.lanes, blocks.host.memory
    side = _side(blocks)

    def copy(k: str, count: int, _: list[Value]) -> Sequence[Value]:
        for inside in range(0, blocks.nr, lanes):
            with blocks.scope.inner(Lanes(blocks.column, lanes)):
                blocks.set_index(blocks.column, w.add(start, str(inside)))
                loaded: Sequence[Value | None] = [None]
                if side > 1:
                    last = w.minus(valid, str(inside + 1)) if valid else ""
                    loaded = memory.load_across(blocks.b, count, last)
                values = [
                    w.splat(blocks.element(blocks.b, each), lanes) for each in loaded
                ]
            for number, value in enumerate(values):
                offset = w.mul(w.add(k, str(number)), str(blocks.nr))
                memory.put(value, blocks.at(base, w.add(offset, str(inside))))
        return ()

    by = [*sides(blocks.reduced[-1], side), 1] if side > 1 else [1]
    return k_loop(blocks, block, (), copy, by)


def _side(blocks: Blocks) -> int:
    """How many k of B are read at once, where they are side by side; else one."""
    body = blocks.op.k_loop.block
    if blocks.b not in loads_across(body, blocks.k_indices[-1], blocks.column):
        return 1
    return min(blocks.lanes, blocks.host.target.registers.data // 2)


def _pack_steps(blocks: Blocks, block: KBlock, start: str, base: str) -> list[Value]:
    """Writes the packing of NR columns that are made of steps."""
    w, lanes = blocks.w, blocks.lanes

    def put(k: str, b: list[Value], carried: list[Value]) -> list[Value]:
        for vector, value in enumerate(b):
            offset = w.add(w.mul(k, str(blocks.nr)), str(vector * lanes))
            blocks.host.memory.put(value, blocks.at(base, offset))
        return carried

    return StepsWriter(blocks, start, blocks.nr // lanes).write(block, [], put)


def _pack_edge_panel(
    blocks: Blocks, block: KBlock, start: str, base: str
) -> list[Value]:
    """Writes the packing of fewer than NR columns, with others beside them."""
    w = blocks.w
    count = w.minus(w.size(blocks.column_count), start)
    if _side(blocks) > 1:
        return _pack_panel(blocks, block, start, base, count)
    initial = w.splat(blocks.scope[blocks.op.initial], blocks.lanes)
    is_masked = blocks.lanes > 1 and can_mask(
        [blocks.b], blocks.column, blocks.host.target
    )

    def copy(k: str, _: int, __: list[Value]) -> Sequence[Value]:
        def element(inside: str, _: list[Value]) -> Sequence[Value]:
            offset = w.add(w.mul(k, str(blocks.nr)), inside)
            with blocks.scope.inner(SCALAR):
                blocks.set_index(blocks.column, w.add(start, inside))
                value = blocks.element(blocks.b)
            blocks.host.memory.put(value, blocks.at(base, offset))
            return ()

        for inside in range(0, blocks.nr, blocks.lanes):
            offset, value = w.add(w.mul(k, str(blocks.nr)), str(inside)), initial
            if is_masked:
                mask = mask_of(w, count, blocks.lanes, inside)
                with blocks.scope.inner(Lanes(blocks.column, blocks.lanes, mask=mask)):
                    blocks.set_index(blocks.column, w.add(start, str(inside)))
                    value = w.splat(blocks.element(blocks.b), blocks.lanes)
            blocks.host.memory.put(value, blocks.at(base, offset))
        return () if is_masked else w.loop("0", count, 1, (), element)

    return k_loop(blocks, block, (), copy, (1,))
