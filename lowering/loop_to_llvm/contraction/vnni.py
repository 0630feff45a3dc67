"""
Write the k-loop of a register tile whose panels are in the VNNI layout.

A vector of B is a word of 32 bits for each column, and a word holds the elements of
successive k (`Isa.k_group`), the first in its low bits. Where A is packed as well, a
word of A is broadcast, and the instruction set multiplies words with words: by one
instruction, by one for each of the parts that words are widened to, or by a
multiply-add for each k. Where A is read unpacked, words of B are unpacked, and
multiplied one k after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32

from ..text.scope import SCALAR
from ..text.types import Value, type_text
from .blocks import Blocks, KBlock
from .k_loop import k_loop
from .k_range import packed_range
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
        many, set = blocks.isa.k_group, blocks.instructions
        parts, align = blocks.parts, blocks.isa.bytes

        def one_part(k: str, part: int, carried: Sequence[Value]) -> list[Value]:
            b = [set.take_b(w, each, part) for each in self.load_words(k)]
            results = list[Value]()
            for row, own in enumerate(self.tile.by_row(carried)):
                offset = w.add(w.mul(k, str(parts)), str(row * blocks.a_pitch * parts))
                offset = w.add(offset, str(part * many))
                here = blocks.at(rows, offset, blocks.packed_type)
                one = Value(w.emit(f"load i32, ptr {here}, align {align}"), i32)
                a = w.splat(one, blocks.lanes)
                for each, accumulator in zip(b, own, strict=True):
                    results.append(set.multiply(w, a, each, accumulator))
            return results

        def one_word(word: str, carried: Sequence[Value]) -> list[Value]:
            k = w.mul(word, str(many))
            for part in range(parts):
                if part:
                    # Else both parts of B would be in registers at once.
                    w.fence()
                carried = one_part(k, part, carried)
            return list(carried)

        def several(word: str, count: int, carried: list[Value]) -> list[Value]:
            self.prefetch.write(w.mul(word, str(many)), many * count)
            return unrolled(blocks, word, count, carried, one_word)

        own = packed_range(blocks, block, self.tile, many)
        counts = own.unrolled(blocks)
        return w.loop_by(counts, own.stop, accumulators, several, own.start)

    def write_elements(
        self, block: KBlock, accumulators: list[Value], multiply: Multiply
    ) -> list[Value]:
        """Writes the k-loop over unpacked A; the accumulators after it."""
        blocks, w, scope = self.blocks, self.blocks.w, self.blocks.scope
        many, unpack = blocks.isa.k_group, blocks.instructions.unpack
        last = blocks.k_indices[-1]

        def one_word(k: str, count: int, carried: list[Value]) -> list[Value]:
            self.prefetch.write(k, many)
            words, first = self.load_words(k), scope[last].text
            for number in range(count):
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

        return k_loop(blocks, block, accumulators, one_word, (many,))

    def write_zero_row(self, block: KBlock) -> None:
        """Writes what a row of zeros comes to in a block of k, into scratch memory."""
        blocks, w, set = self.blocks, self.blocks.w, self.blocks.instructions
        assert set.zeros is not None, "a row of zeros has a sum"
        many, lanes = blocks.isa.k_group, blocks.lanes
        zeros = w.splat(set.zeros, lanes)
        nothing = w.splat(Value("0", i32), lanes)

        def one_word(word: str, _: int, sums: list[Value]) -> list[Value]:
            b = self.load_words(w.mul(word, str(many)))
            return [
                set.multiply(w, zeros, each, own)
                for each, own in zip(b, sums, strict=True)
            ]

        bound = w.div(blocks.count_k(block), many)
        start = [nothing for _ in range(self.tile.shape.vectors)]
        for number, each in enumerate(w.loop_by((1,), bound, start, one_word)):
            blocks.host.memory.put(
                each, blocks.at(blocks.zero_row, str(number * lanes))
            )

    def load_words(self, k: str) -> list[Value]:
        """Writes the loads of a row of words of B."""
        blocks, w = self.blocks, self.blocks.w
        row, found = w.mul(k, str(blocks.nr)), list[Value]()
        for vector in range(self.tile.shape.vectors):
            number, inside = divmod(vector * blocks.lanes, blocks.nr)
            pitch = w.mul(self.panel.pitch, str(number))
            offset = w.add(row, w.add(pitch, str(blocks.isa.k_group * inside)))
            here = blocks.at(self.panel.start, offset, blocks.isa.element)
            type = type_text(i32, blocks.lanes)
            text = w.emit(f"load {type}, ptr {here}, align {blocks.isa.bytes}")
            found.append(Value(text, i32, blocks.lanes))
        return found
