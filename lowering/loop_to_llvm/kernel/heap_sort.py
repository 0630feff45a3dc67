"""
Write how the first elements of a row are found by a heap of them, the last at its root.

    the heap: the first `count` numbers; for each node that has children, from the last
        one on: sift it down
    for each number after these: if it comes before the root, it takes its place; sift
        it down
    for each node from the last one on: swap it with the root, and sift that down above

Of numbers after the heap most are compared with the root and no more. Where keys lie
side by side, this is done for a vector of them at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import i1, i64

from ..text.types import Value, type_text
from .sort_row import SortRow

Entry = tuple[str, Value]
"""The number of an element, and its key."""


@dataclass(frozen=True)
class HeapWriter:
    """Writes the heap of one row."""

    row: SortRow
    lanes: int
    """How many keys fit a vector."""

    def write(self, count: str, size: str) -> None:
        """Writes which `count` elements come first; there are one or more."""
        self.fill(count)
        self.arrange(count)
        self.select(count, size)
        self.unwind(count)

    def fill(self, count: str) -> None:
        """Writes the loop that makes the first numbers the nodes."""

        def body(at: str, _: list[Value]) -> list[Value]:
            self.row.put(at, at)
            return []

        self.row.w.loop("0", count, 1, [], body)

    def arrange(self, count: str) -> None:
        """Writes the loop that makes a heap of the nodes."""
        w = self.row.w
        half = w.div(count, 2)

        def body(at: str, _: list[Value]) -> list[Value]:
            root = w.add(w.minus(half, at), "-1")
            self.sift(root, count, self.entry(root))
            return []

        w.loop("0", half, 1, [], body)

    def select(self, count: str, size: str) -> None:
        """Writes the loops over the elements after the heap."""
        w = self.row.w
        _, last = self.entry("0")
        done, carried = count, [last]
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
            return [self.replace((at, self.row.key(at)), inner[0], count)]

        w.loop(done, size, 1, carried, body)

    def compare(self, first: str, last: Value, count: str) -> Value:
        """
        Writes the comparison of a vector of keys with that of the root, and the loop
        over those that come before it; the key of the root after that.
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
        after = self.replace((number, self.row.key(number)), so_far, count)
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

    def replace(self, entry: Entry, last: Value, count: str) -> Value:
        """
        Writes how an element that comes before the root takes its place; the key of the
        root after that.
        """
        w = self.row.w

        def yes() -> list[Value]:
            self.sift("0", count, entry)
            return [self.entry("0")[1]]

        # Its number is above all of the heap: of equal keys it comes last.
        is_before = w.emit(f"icmp ult {entry[1].typed}, {last.text}")
        return w.branch(is_before, yes, lambda: [last])[0]

    def unwind(self, count: str) -> None:
        """Writes the loop that makes the heap a row in order."""
        w = self.row.w
        last = w.add(count, "-1")

        def body(at: str, _: list[Value]) -> list[Value]:
            end = w.minus(last, at)
            moving = self.entry(end)
            self.row.put(end, self.row.get("0"))
            self.sift("0", end, moving)
            return []

        w.loop("0", last, 1, [], body)

    def sift(self, root: str, size: str, moving: Entry) -> None:
        """
        Writes the loop that moves an element from a node down until its children come
        before it.
        """
        w = self.row.w
        head, compare, move, end = (
            w.fresh(e) for e in ("sift", "down", "up", "placed")
        )
        node, following = (f"%{w.fresh('node')}" for _ in range(2))
        before = w.label
        w.do(f"br label %{head}")
        w.start(head)
        w.do(f"{node} = phi i64 [{root}, %{before}], [{following}, %{move}]")
        child = w.add(w.mul(node, "2"), "1")
        has_child = w.below(child, size)
        w.do(f"br i1 {has_child}, label %{compare}, label %{end}")
        w.start(compare)
        other = w.least(w.add(child, "1"), w.add(size, "-1"))
        left, right = self.entry(child), self.entry(other)
        is_right = self.precedes(left, right)
        w.do(f"{following} = select i1 {is_right}, i64 {other}, i64 {child}")
        number = w.emit(f"select i1 {is_right}, i64 {right[0]}, i64 {left[0]}")
        keys = f"{right[1].typed}, {left[1].typed}"
        key = w.value(f"select i1 {is_right}, {keys}", left[1].type)
        goes_up = self.precedes(moving, (number, key))
        w.do(f"br i1 {goes_up}, label %{move}, label %{end}")
        w.start(move)
        self.row.put(node, number)
        w.do(f"br label %{head}")
        w.start(end)
        self.row.put(node, moving[0])

    def precedes(self, one: Entry, other: Entry) -> str:
        """Writes whether an element comes before another."""
        w, (number, key), (later, greater) = self.row.w, one, other
        below = w.emit(f"icmp ult {key.typed}, {greater.text}")
        equal = w.emit(f"icmp eq {key.typed}, {greater.text}")
        first = w.emit(f"icmp ult {Value(number, i64).typed}, {later}")
        return w.emit(f"select i1 {equal}, i1 {first}, i1 {below}")

    def entry(self, node: str) -> Entry:
        """Writes the load of a node, and its key."""
        number = self.row.get(node)
        return number, self.row.key(number)
