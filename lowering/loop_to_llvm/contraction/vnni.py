"""
Write the k-loop of a register tile whose panels are in the VNNI layout.

A vector of B is a word of 32 bits for each column, and a word holds the elements of
successive k (`Isa.k_group`), the first in its low bits. Where A is packed as well, a
word of A is broadcast, and the instruction set multiplies words with words: by one
instruction, or by a multiply-add for each k. Where A is read unpacked, words of B are
unpacked, and multiplied one k after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32

from ..text.scope import SCALAR
from ..text.types import Value, type_text
from .blocks import Blocks, KBlock
from .prefetch import Panel, PanelPrefetch
from .register_tile import RegisterTile
from .unroll import unrolled

Multiply = Callable[[Value, Sequence[Value], Sequence[Value]], list[Value]]
"""Writes one k of the accumulators of a row."""


@dataclass(frozen=True)
class VnniWriter:
    """Writes the k-loop of one register tile, a word at a time."""

    blocks: Blocks
    tile: RegisterTile
    panel: Panel
    prefetch: PanelPrefetch

    def write_words(
        self, block: KBlock, rows: str, accumulators: list[Value]
    ) -> list[Value]:
        """Writes the k-loop over words of packed A; the accumulators after it."""
        blocks, w = self.blocks, self.blocks.w
        many, multiply = blocks.isa.k_group, blocks.instructions.multiply

        def one_word(word: str, carried: Sequence[Value]) -> list[Value]:
            k = w.mul(word, str(many))
            b, results = self.load_words(k), list[Value]()
            for row, own in enumerate(self.tile.by_row(carried)):
                offset = w.add(k, str(row * blocks.a_pitch))
                here = blocks.at(rows, offset, blocks.packed_type)
                one = Value(w.emit(f"load i32, ptr {here}, align 2"), i32)
                a = w.splat(one, blocks.lanes)
                for each, accumulator in zip(b, own, strict=True):
                    results.append(multiply(w, a, each, accumulator))
            return results

        def several(word: str, count: int, carried: list[Value]) -> list[Value]:
            self.prefetch.write(w.mul(word, str(many)), many * count)
            return unrolled(blocks, word, count, carried, one_word)

        bound = w.div(blocks.count_k(block), many)
        return w.loop_by(blocks.unrolled(bound), bound, accumulators, several)

    def write_elements(
        self, block: KBlock, accumulators: list[Value], multiply: Multiply
    ) -> list[Value]:
        """Writes the k-loop over unpacked A; the accumulators after it."""
        blocks, w, scope = self.blocks, self.blocks.w, self.blocks.scope
        many, unpack = blocks.isa.k_group, blocks.instructions.unpack
        last = blocks.k_indices[-1]

        def one_word(k: str, _: int, carried: list[Value]) -> list[Value]:
            self.prefetch.write(k, many)
            words, first = self.load_words(k), scope[last].text
            for number in range(many):
                with scope.inner(SCALAR):
                    blocks.set_index(last, w.add(first, str(number)))
                    b = [unpack(w, each, number) for each in words]
                    results = list[Value]()
                    rows = zip(self.tile.rows, self.tile.by_row(carried), strict=True)
                    for at, own in rows:
                        with scope.inner():
                            blocks.set_index(blocks.row, at)
                            one = blocks.element(blocks.a)
                        a = w.splat(one, blocks.lanes)
                        results += multiply(a, b, own)
                    carried = results
            return carried

        return blocks.k_loop(block, accumulators, one_word, (many,))

    def load_words(self, k: str) -> list[Value]:
        """Writes the loads of a row of words of B."""
        blocks, w = self.blocks, self.blocks.w
        row, found = w.mul(k, str(blocks.nr)), list[Value]()
        for vector in range(self.tile.shape.vectors):
            number, inside = divmod(vector * blocks.lanes, blocks.nr)
            pitch = w.mul(self.panel.pitch, str(number))
            offset = w.add(row, w.add(pitch, str(blocks.isa.k_group * inside)))
            here = blocks.at(self.panel.start, offset, blocks.b.element)
            type = type_text(i32, blocks.lanes)
            text = w.emit(f"load {type}, ptr {here}, align 2")
            found.append(Value(text, i32, blocks.lanes))
        return found
