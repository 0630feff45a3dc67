"""
Write the packing of factors into words, as instructions multiply them: bytes and bf16,
and f32 that are rounded on the way.

A word has the elements of successive k (`dialects/loop/isa.py`); zeros fill up the
last. A row of packed A has its words one after the other, each as the parts that are
multiplied. A panel of packed B has a word of each of NR columns side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i16, i32

from ....dialects.loop import LoadOp
from ..text.scope import SCALAR, Lanes
from ..text.types import Value, type_text
from .blocks import Blocks, KBlock
from .k_loop import copied_at_once, k_loop

_BYTE = 8


def pack_row(blocks: Blocks, block: KBlock, base: str) -> None:
    """Writes the packing of the row of A that the scope is at."""
    w, a, many = blocks.w, blocks.a, blocks.isa.k_group
    counts = copied_at_once(blocks, many)
    wide = counts[0] > many

    def copy(k: str, count: int, _: list[Value]) -> Sequence[Value]:
        with blocks.scope.inner(SCALAR):
            if wide and count >= many:
                words = _side_by_side(blocks, count // many)
            else:
                words = _read_words(blocks, a, count)
        to = blocks.at(base, w.mul(k, str(blocks.parts)), blocks.packed_type)
        _put_words(blocks, words, to)
        return ()

    k_loop(blocks, block, (), copy, counts)


def _side_by_side(blocks: Blocks, count: int) -> Value:
    """Writes the load of the next words of A, whose elements lie side by side."""
    w, memory = blocks.w, blocks.host.memory
    here = memory.address(blocks.a.buffer, memory.offsets(blocks.a.at).first)
    return w.value(f"load {type_text(i32, count)}, ptr {here}, align 1", i32, count)


def _read_words(blocks: Blocks, load: LoadOp, count: int) -> Value:
    """
    Writes the words of the next elements of a factor, one for each lane of the scope:
    loads of whole words where these lie in memory, else made of single elements.
    """
    w, scope, memory = blocks.w, blocks.scope, blocks.host.memory
    last, lanes = blocks.k_indices[-1], scope.lanes.count
    type = type_text(i32, lanes)
    are_words = dict(load.at.terms).get(last) == 1
    are_words = are_words and load.element in blocks.isa.elements
    if count == blocks.isa.k_group and are_words:
        found, offsets = "poison", memory.lane_offsets(memory.offsets(load.at))
        for lane, offset in enumerate(offsets):
            here = memory.address(load.buffer, offset)
            word = w.emit(f"load i32, ptr {here}, align 1")
            if lanes == 1:
                return Value(word, i32)
            found = w.emit(f"insertelement {type} {found}, i32 {word}, i64 {lane}")
        return Value(found, i32, lanes)
    first, words = scope[last].text, w.splat(Value("0", i32), lanes).text
    for number in range(count):
        with scope.inner(scope.lanes):
            blocks.set_index(last, w.add(first, str(number)))
            low = _low_bits(blocks, load, lanes)
        by = w.splat(Value(str(_BYTE * blocks.isa.bytes * number), i32), lanes).text
        moved = w.emit(f"shl {type} {low}, {by}")
        words = w.emit(f"or {type} {words}, {moved}")
    return Value(words, i32, lanes)


def _low_bits(blocks: Blocks, load: LoadOp, lanes: int) -> str:
    """Writes words whose low bits are an element of a factor, with zeros above."""
    w, type = blocks.w, type_text(i32, lanes)
    if blocks.isa.is_exact:
        one = w.splat(blocks.element(load), lanes)
        return w.emit(f"and {one.typed}, {w.splat(Value('255', i32), lanes).text}")
    one = w.splat(blocks.element(load, narrow=True), lanes)
    half = type_text(i16, lanes)
    bits = w.emit(f"bitcast {one.typed} to {half}")
    return w.emit(f"zext {half} {bits} to {type}")


def _put_words(blocks: Blocks, words: Value, to: str) -> None:
    """Writes the stores of words of A as they are multiplied, parts side by side."""
    w, lanes = blocks.w, words.lanes
    if blocks.tiles is not None:
        parts = [words]
    else:
        take = blocks.instructions.take_a
        parts = [take(w, words, part) for part in range(blocks.parts)]
    (found, *others) = parts
    text = found.typed
    for each in others:
        # Of two vectors the first of each, then the second of each, and so on.
        if lanes == 1:
            one = w.emit(f"insertelement <2 x i32> poison, {found.typed}, i64 0")
            both = w.emit(f"insertelement <2 x i32> {one}, {each.typed}, i64 1")
        else:
            numbers = ", ".join(
                f"i32 {lane + lanes * part}" for lane in range(lanes) for part in (0, 1)
            )
            order = f"<{2 * lanes} x i32> <{numbers}>"
            both = w.emit(f"shufflevector {found.typed}, {each.typed}, {order}")
        text = f"<{2 * lanes} x i32> {both}"
    w.do(f"store {text}, ptr {to}, align 4")


def pack_panel(blocks: Blocks, block: KBlock, start: str, base: str) -> list[Value]:
    """Writes the packing of NR columns, in vectors."""
    w, lanes, many = blocks.w, blocks.lanes, blocks.isa.k_group

    def copy(k: str, count: int, _: list[Value]) -> Sequence[Value]:
        for inside in range(0, blocks.nr, lanes):
            with blocks.scope.inner(Lanes(blocks.column, lanes)):
                blocks.set_index(blocks.column, w.add(start, str(inside)))
                words = _read_words(blocks, blocks.b, count)
            offset = w.add(w.mul(k, str(blocks.nr)), str(many * inside))
            to = blocks.at(base, offset, blocks.packed_type)
            w.do(f"store {words.typed}, ptr {to}, align 4")
        return ()

    return k_loop(blocks, block, (), copy, (many,))


def pack_edge_panel(
    blocks: Blocks, block: KBlock, start: str, base: str
) -> list[Value]:
    """Writes the packing of fewer than NR columns, with zeros beside them."""
    w, many = blocks.w, blocks.isa.k_group
    valid = w.minus(w.size(blocks.column_count), start)

    def copy(k: str, count: int, _: list[Value]) -> Sequence[Value]:
        row = blocks.at(base, w.mul(k, str(blocks.nr)), blocks.packed_type)
        w.do(f"store <{blocks.nr} x i32> zeroinitializer, ptr {row}, align 4")

        def column(inside: str, _: list[Value]) -> Sequence[Value]:
            with blocks.scope.inner(SCALAR):
                blocks.set_index(blocks.column, w.add(start, inside))
                words = _read_words(blocks, blocks.b, count)
            to = blocks.at(row, w.mul(inside, str(many)), blocks.packed_type)
            w.do(f"store {words.typed}, ptr {to}, align 4")
            return ()

        return w.loop("0", valid, 1, (), column)

    return k_loop(blocks, block, (), copy, (many,))
