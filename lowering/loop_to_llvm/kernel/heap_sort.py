"""
Write how the first elements of a row are found by a heap of them, the last at its root.

    the heap: the first `count` numbers; for each node that has children, from the last
        one on: sift it down
    for each number after these: if it comes before the root, it takes its place; sift
        it down
    for each node from the last one on: swap it with the root, and sift that down above

Of numbers after the heap most are compared with the root and no more. Where keys lie
side by side, this is done for a vector of them at a time.

A node is the number of an element, whose key is looked up; or, where both fit, its key
above its number in one word, which becomes the number once its place is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import i1, i64

from ..text.types import Value, type_text
from .heap import Entry, sift_down
from .sort_row import SortRow

HALF = 32
"""The bits of a number in a word, and the most of a key."""


@dataclass(frozen=True)
class HeapWriter:
    """Writes the heap of one row."""

    row: SortRow
    lanes: int
    """How many keys fit a vector."""

    packs: bool
    """Whether nodes are words; there are no more elements than half of one counts."""

    def write(self, count: str, size: str) -> None:
        """Writes which `count` elements come first; there are one or more."""
        self.fill(count)
        self.arrange(count)
        self.select(count, size)
        self.unwind(count)

    def fill(self, count: str) -> None:
        """Writes the loop that makes the first numbers the nodes."""

        def body(at: str, _: list[Value]) -> list[Value]:
            self.put(at, self.entry(at))
            return []

        self.row.w.loop("0", count, 1, [], body)

    def arrange(self, count: str) -> None:
        """Writes the loop that makes a heap of the nodes."""
        w = self.row.w
        half = w.div(count, 2)

        def body(at: str, _: list[Value]) -> list[Value]:
            root = w.add(w.minus(half, at), "-1")
            self.sift(root, count, self.get(root))
            return []

        w.loop("0", half, 1, [], body)

    def select(self, count: str, size: str) -> None:
        """Writes the loops over the elements after the heap."""
        w = self.row.w
        done, carried = count, [self.key_of(self.get("0"))]
        if self.lanes > 1 and self.row.is_contiguous:
            whole = w.whole(w.minus(size, count), self.lanes)
            done = w.add(count, whole)
            carried = w.loop(
                count,
                done,
                self.lanes,
                carried,
                lambda at, inner: [self.compare(at, inner[0], count)],
            )

        def body(at: str, inner: list[Value]) -> list[Value]:
            return [self.replace(at, inner[0], count)]

        w.loop(done, size, 1, carried, body)

    def compare(self, first: str, last: Value, count: str) -> Value:
        """
        Writes the comparison of a vector of keys with the root's key, and the loop in
        which elements with lesser keys replace the root; the root's key after that.
        """
        w = self.row.w
        keys = self.row.keys_from(first, self.lanes)
        bound = w.splat(last, self.lanes)
        holds = w.emit(f"icmp ult {keys.typed}, {bound.text}")
        bits = f"i{self.lanes}"
        mask = w.emit(f"bitcast {type_text(i1, self.lanes)} {holds} to {bits}")
        head, step, end = (w.fresh(each) for each in ("any", "one", "none"))
        left, root, rest = (f"%{w.fresh('n')}" for _ in range(3))
        before, phis = w.label, len(w.lines) + 2
        w.do(f"br label %{head}")
        w.start(head)
        more = w.emit(f"icmp ne {bits} {left}, 0")
        w.do(f"br i1 {more}, label %{step}, label %{end}")
        w.start(step)
        lane = w.emit(f"call {bits} @llvm.cttz.{bits}({bits} {left}, i1 true)")
        if self.lanes != 64:
            wide = "zext" if self.lanes < 64 else "trunc"
            lane = w.emit(f"{wide} {bits} {lane} to i64")
        number = w.add(first, lane)
        so_far = Value(root, last.type)
        after = self.replace(number, so_far, count)
        lower = w.emit(f"add {bits} {left}, -1")
        w.do(f"{rest} = and {bits} {left}, {lower}")
        w.do(f"br label %{head}")
        w.lines[phis:phis] = [
            f"  {left} = phi {bits} [{mask}, %{before}], [{rest}, %{w.label}]",
            f"  {root} = phi {last.typed.split()[0]} [{last.text}, %{before}], "
            f"[{after.text}, %{w.label}]",
        ]
        w.start(end)
        return so_far

    def replace(self, number: str, last: Value, count: str) -> Value:
        """
        Writes the branch in which an element replaces a root that it comes before; the
        root's key after that.
        """
        w = self.row.w
        key = self.row.key(number)

        def yes() -> list[Value]:
            self.sift("0", count, self.entry(number, key))
            return [self.key_of(self.get("0"))]

        # Its number is above all of the heap: of equal keys it comes last.
        is_before = w.emit(f"icmp ult {key.typed}, {last.text}")
        return w.branch(is_before, yes, lambda: [last])[0]

    def unwind(self, count: str) -> None:
        """Writes the loop that makes the heap a row in order."""
        w = self.row.w
        last = w.add(count, "-1")

        def body(at: str, _: list[Value]) -> list[Value]:
            end = w.minus(last, at)
            moving = self.get(end)
            self.place(end)
            self.sift("0", end, moving)
            return []

        w.loop("0", last, 1, [], body)
        self.place("0")

    def place(self, end: str) -> None:
        """Writes the store of the root's number where the heap ends."""
        number, *key = self.get("0")
        if not key:
            low = self.row.w.emit(f"and i64 {number.text}, {(1 << HALF) - 1}")
            number = Value(self.row.held(low), i64)
        self.row.put(end, number.text)

    def sift(self, root: str, size: str, moving: Entry) -> None:
        """
        Writes the loop that moves an element from a node down until its children come
        before it.
        """

        def is_above(one: Entry, other: Entry) -> str:
            return self.precedes(other, one)

        sift_down(self.row.w, root, size, moving, self.get, self.put, is_above)

    def precedes(self, one: Entry, other: Entry) -> str:
        """Writes whether an element comes before another."""
        w = self.row.w
        first = w.emit(f"icmp ult {one[0].typed}, {other[0].text}")
        if self.packs:
            return first
        below = w.emit(f"icmp ult {one[1].typed}, {other[1].text}")
        equal = w.emit(f"icmp eq {one[1].typed}, {other[1].text}")
        return w.emit(f"select i1 {equal}, i1 {first}, i1 {below}")

    def entry(self, number: str, key: Value | None = None) -> Entry:
        """Writes the entry of an element, whose key may be known."""
        w = self.row.w
        if not self.packs:
            return Value(number, i64), key or self.row.key(number)
        known = key or self.row.key(number)
        wide = w.emit(f"zext {known.typed} to i64")
        high = w.emit(f"shl i64 {wide}, {HALF}")
        return (w.value(f"or i64 {high}, {number}", i64),)

    def key_of(self, entry: Entry) -> Value:
        """Writes the key of an entry."""
        w, type = self.row.w, self.row.type
        if not self.packs:
            return entry[1]
        high = w.emit(f"lshr i64 {entry[0].text}, {HALF}")
        return w.value(f"trunc i64 {high} to {type_text(type)}", type)

    def get(self, node: str) -> Entry:
        """Writes the load of a node."""
        if not self.packs:
            return self.entry(self.row.get(node))
        address = self.row.address(node)
        return (self.row.w.value(f"load i64, ptr {address}, align 8", i64),)

    def put(self, node: str, entry: Entry) -> None:
        """Writes the store of a node."""
        self.row.put(node, entry[0].text)
