"""The step that every heap takes: an element moves down to where it belongs."""

from __future__ import annotations

from collections.abc import Callable

from ..text.function import FunctionWriter
from ..text.types import Value

Entry = tuple[Value, ...]
"""An element of a heap: its number and what decides its order, or both in a word."""


def sift_down(
    w: FunctionWriter,
    root: str,
    size: str,
    moving: Entry,
    get: Callable[[str], Entry],
    put: Callable[[str, Entry], None],
    is_above: Callable[[Entry, Entry], str],
) -> None:
    """
    Writes the loop that moves an element from a node down, until it is above its
    children; `get` and `put` write the load and the store of a node.
    """
    head, compare, move, end = (w.fresh(e) for e in ("sift", "down", "up", "placed"))
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
    left, right = get(child), get(other)
    is_right = is_above(right, left)
    w.do(f"{following} = select i1 {is_right}, i64 {other}, i64 {child}")
    upper = tuple(
        w.value(f"select i1 {is_right}, {two.typed}, {one.typed}", one.type)
        for one, two in zip(left, right, strict=True)
    )
    goes_up = is_above(upper, moving)
    w.do(f"br i1 {goes_up}, label %{move}, label %{end}")
    w.start(move)
    put(node, upper)
    w.do(f"br label %{head}")
    w.start(end)
    put(node, moving)
