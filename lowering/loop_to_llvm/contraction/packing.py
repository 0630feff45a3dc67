"""
Write the copies that a schedule asks for: of rows side by side, of columns into panels.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..text.types import Value
from .blocks import Blocks, Columns, Depth


def copy_rows(blocks: Blocks, depth: Depth, start: str, end: str) -> None:
    """Writes the copy of a block of rows, one after the other."""
    w, host = blocks.w, blocks.host
    *_, last, _ = blocks.op.step.block.args
    strides = dict(blocks.down.at.terms)
    by = (blocks.lanes, 1) if strides.get(last) == 1 and blocks.lanes > 1 else (1,)

    def row(at: str, _: list[Value]) -> Sequence[Value]:
        row_at = w.mul(at, str(blocks.pitch))
        base = blocks.at(blocks.row_copy, row_at, blocks.row_type)
        blocks.let(blocks.op.step.block.args[0], w.add(start, at))

        def copy(flat: str, lanes: int, _: list[Value]) -> Sequence[Value]:
            host.side_by_side, host.lanes = last if lanes > 1 else None, lanes
            value = blocks.element(blocks.down, narrow=blocks.in_words)
            host.put(value, blocks.at(base, flat, blocks.row_type))
            return ()

        blocks.over(depth, (), copy, lambda _: by)
        count = blocks.steps_of(depth)
        if blocks.tiles is not None and w.whole(count, blocks.isa.k) != count:
            # Steps that fill up the last multiplication of matrices.
            rest = blocks.at(base, count, blocks.row_type)
            w.do(f"store <{blocks.isa.k} x i16> zeroinitializer, ptr {rest}, align 2")
        return ()

    w.loop("0", blocks.w.minus(end, start), 1, (), row)


def copy_columns(blocks: Blocks, columns: Columns, depth: Depth) -> None:
    """Writes the copy of a block of columns into panels."""
    w, total = blocks.w, blocks.w.size(blocks.column_count)
    column = blocks.op.step.block.args[1]

    def vectors(start: str, base: str) -> list[Value]:
        def copy(flat: str, _: int, __: list[Value]) -> Sequence[Value]:
            for inside in range(0, blocks.width, blocks.lanes):
                blocks.let(column, w.add(start, str(inside)))
                wide = blocks.lanes > 1
                blocks.host.side_by_side = column if wide else None
                blocks.host.lanes = blocks.lanes
                line = w.add(w.mul(flat, str(blocks.width)), str(inside))
                value = w.splat(blocks.element(blocks.across), blocks.lanes)
                blocks.host.put(value, blocks.at(base, line))
            return ()

        return blocks.over(depth, (), copy, lambda _: (1,))

    def one_by_one(start: str, base: str) -> list[Value]:
        blocks.host.side_by_side, blocks.host.lanes = None, 1

        def copy(flat: str, _: int, __: list[Value]) -> Sequence[Value]:
            def element(inside: str, _: list[Value]) -> Sequence[Value]:
                # Past the last column the last is taken again: it is not stored.
                here = w.least(w.add(start, inside), blocks.w.minus(total, "1"))
                blocks.let(column, here)
                line = w.add(w.mul(flat, str(blocks.width)), inside)
                blocks.host.put(blocks.element(blocks.across), blocks.at(base, line))
                return ()

            return w.loop("0", str(blocks.width), 1, (), element)

        return blocks.over(depth, (), copy, lambda _: (1,))

    def panel(at: str, _: list[Value]) -> Sequence[Value]:
        start = w.add(columns.start, at)
        base = blocks.at(blocks.panel_copy, w.mul(at, str(blocks.deep)))
        partial = "false"
        if blocks.has_edge:
            end = w.add(start, str(blocks.width))
            partial = w.emit(f"icmp sgt i64 {end}, {total}")
        return w.branch(
            partial,
            lambda: one_by_one(start, base),
            lambda: vectors(start, base),
        )

    w.loop("0", blocks.w.minus(columns.stop, columns.start), blocks.width, (), panel)
