"""
Write how a row is sorted by the digits of its keys, the lowest digit first.

    for each key: count its digits, of 8 bits each
    for each digit that not all keys share, from the lowest on:
        where each value of it begins: the sum of the counts before
        for each number so far: append it to the numbers with the same digit

Numbers of 32 bits go from one half of the row's memory to the other and back. At the
end they become numbers of 64 bits, in the order in which none is overwritten before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32, i64

from ..text.types import Value
from .sort_row import SortRow

_BITS = 8
"""The bits of a digit."""

_VALUES = 1 << _BITS

_COUNTS_PER_CLEAR = 16
"""Counts that are cleared at a time."""


@dataclass(frozen=True)
class RadixWriter:
    """Writes the sort of one row."""

    row: SortRow

    @property
    def digits(self) -> int:
        """How many digits a key has."""
        return self.row.type.width.data // _BITS

    def write(self, size: str) -> None:
        """Writes the sort of a row of `size` elements, one or more."""
        w = self.row.w
        counts = w.allocate(Value("0", i32), self.digits * _VALUES)
        self.count(size, counts)

        def body(at: str, carried: list[Value]) -> Sequence[Value]:
            return [self.pass_over(at, carried[0], size, counts)]

        (start,) = w.loop("0", str(self.digits), 1, [Value("0", i64)], body)
        self.widen(size, start.text)

    def count(self, size: str, counts: str) -> None:
        """Writes the numbers in order, and counts each value of each digit."""
        w = self.row.w

        def clear(at: str, _: list[Value]) -> list[Value]:
            zeros = f"<{_COUNTS_PER_CLEAR} x i32> zeroinitializer"
            w.do(f"store {zeros}, ptr {self.place(counts, at)}, align 4")
            return []

        def body(at: str, _: list[Value]) -> list[Value]:
            self.put(self.row.base, at, at)
            key = self.row.key(at)
            for digit in range(self.digits):
                value = self.value_of(key, str(digit * _BITS))
                place = self.place(counts, w.add(value, str(digit * _VALUES)))
                before = w.emit(f"load i32, ptr {place}, align 4")
                after = w.emit(f"add i32 {before}, 1")
                w.do(f"store i32 {after}, ptr {place}, align 4")
            return []

        w.loop("0", str(self.digits * _VALUES), _COUNTS_PER_CLEAR, [], clear)
        w.loop("0", size, 1, [], body)

    def pass_over(self, digit: str, start: Value, size: str, counts: str) -> Value:
        """
        Writes the pass over one digit of the numbers from `start` of the halves on;
        where they are after it.
        """
        w = self.row.w
        own = self.place(counts, w.mul(digit, str(_VALUES)))
        shift = w.mul(digit, str(_BITS))
        some = self.value_of(self.row.key("0"), shift)
        equal = self.get(own, some)

        def sort() -> list[Value]:
            end = w.minus(size, start.text)
            source, sink = (
                self.place(self.row.base, each) for each in (start.text, end)
            )
            self.begin(own)
            self.distribute(size, shift, own, source, sink)
            return [Value(end, i64)]

        return w.branch(w.same(equal, size), lambda: [start], sort)[0]

    def begin(self, counts: str) -> None:
        """Writes the loop that makes counts the places where values begin."""
        w = self.row.w

        def body(at: str, carried: list[Value]) -> list[Value]:
            place, sum = self.place(counts, at), carried[0]
            count = w.emit(f"load i32, ptr {place}, align 4")
            w.do(f"store {sum.typed}, ptr {place}, align 4")
            return [w.value(f"add {sum.typed}, {count}", i32)]

        w.loop("0", str(_VALUES), 1, [Value("0", i32)], body)

    def distribute(
        self, size: str, shift: str, places: str, source: str, sink: str
    ) -> None:
        """Writes the loop that moves each number to the next place of its value."""
        w = self.row.w

        def body(at: str, _: list[Value]) -> list[Value]:
            number = self.row.held(self.get(source, at))
            value = self.value_of(self.row.key(number), shift)
            place = self.get(places, value)
            self.put(places, value, w.add(place, "1"))
            # Keys may have changed since they were counted.
            self.put(sink, self.row.held(place), number)
            return []

        w.loop("0", size, 1, [], body)

    def widen(self, size: str, start: str) -> None:
        """
        Writes the loops that widen the numbers in one half to 64 bits: in the first
        half from the last number down, in the second half from the first number up.
        """
        w = self.row.w
        source = self.place(self.row.base, start)

        def up(at: str, _: list[Value]) -> list[Value]:
            self.row.put(at, self.get(source, at))
            return []

        def down(at: str, _: list[Value]) -> list[Value]:
            return up(w.minus(w.add(size, "-1"), at), [])

        def loop_up() -> list[Value]:
            return w.loop("0", size, 1, [], up)

        def loop_down() -> list[Value]:
            return w.loop("0", size, 1, [], down)

        w.branch(w.same(start, "0"), loop_down, loop_up)

    def value_of(self, key: Value, shift: str) -> str:
        """Writes the digit of a key that begins at a bit, as an i64."""
        w, bits = self.row.w, self.row.type.width.data
        if bits == _BITS:
            return w.emit(f"zext {key.typed} to i64")
        text = key.text
        wide = text if bits == 64 else w.emit(f"zext {key.typed} to i64")
        moved = wide if shift == "0" else w.emit(f"lshr i64 {wide}, {shift}")
        return w.emit(f"and i64 {moved}, {_VALUES - 1}")

    def get(self, base: str, at: str) -> str:
        """Writes the load of a number of 32 bits, as an i64."""
        number = self.row.w.emit(f"load i32, ptr {self.place(base, at)}, align 4")
        return self.row.w.emit(f"zext i32 {number} to i64")

    def put(self, base: str, at: str, number: str) -> None:
        """Writes the store of a number of 32 bits."""
        narrow = number
        if not number.isdigit():
            narrow = self.row.w.emit(f"trunc i64 {number} to i32")
        place = self.place(base, at)
        self.row.w.do(f"store i32 {narrow}, ptr {place}, align 4")

    def place(self, base: str, at: str) -> str:
        """Writes the address of a number of 32 bits."""
        if at == "0":
            return base
        return self.row.w.emit(f"getelementptr inbounds i32, ptr {base}, i64 {at}")
