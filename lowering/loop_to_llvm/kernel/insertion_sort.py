"""
Write how a short row is sorted: each number is inserted among those before it.

    for each number: move those before it whose keys are above its own one place on,
        from the last one on; store it where they end
"""

from __future__ import annotations

from ..text.types import Value
from .sort_row import SortRow


def write_insertion_sort(row: SortRow, size: str) -> None:
    """Writes the sort of a row of `size` elements, one or more."""

    def body(at: str, _: list[Value]) -> list[Value]:
        _insert(row, at)
        return []

    row.w.loop("0", size, 1, [], body)


def _insert(row: SortRow, number: str) -> None:
    """Writes the insertion of a number among all those below it."""
    w = row.w
    key = row.key(number)
    head, compare, move, end = (w.fresh(e) for e in ("insert", "look", "on", "here"))
    place, lower = (f"%{w.fresh('place')}" for _ in range(2))
    before = w.label
    w.do(f"br label %{head}")
    w.start(head)
    w.do(f"{place} = phi i64 [{number}, %{before}], [{lower}, %{move}]")
    is_first = w.emit(f"icmp eq i64 {place}, 0")
    w.do(f"br i1 {is_first}, label %{end}, label %{compare}")
    w.start(compare)
    w.do(f"{lower} = add nsw i64 {place}, -1")
    other = row.get(lower)
    is_above = w.emit(f"icmp ugt {row.key(other).typed}, {key.text}")
    w.do(f"br i1 {is_above}, label %{move}, label %{end}")
    w.start(move)
    row.put(place, other)
    w.do(f"br label %{head}")
    w.start(end)
    row.put(place, number)
