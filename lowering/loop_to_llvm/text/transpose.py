"""
Transpose a square of elements that vectors hold, by shuffles of two vectors each.

Blocks of one element off the diagonal change places, then blocks of two, of four, and
so on: for n vectors n * log2(n) shuffles (J. O. Eklundh, "A fast computer method for
matrix transposing", IEEE Transactions on Computers 21, 1972). Those that keep elements
within 128 bits, and those that move such parts, are one instruction on most machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....dialects import Dim
from .function import FunctionWriter
from .types import Value


def sides(size: Dim, side: int, least: int = 2) -> Iterator[int]:
    """
    The sides of the squares of a known size: the largest, then the smaller ones, powers
    of two, that are left; of a size that only a run knows the largest.
    """
    yield side
    while isinstance(size, int) and side > least:
        side //= 2
        if size & side:
            yield side


def transposed(w: FunctionWriter, rows: Sequence[Value]) -> list[Value]:
    """
    Writes the columns of a power of two of vectors, at least as many as each has lanes:
    vector `i` of the result has lane `i` of each. Where vectors have fewer lanes, the
    last columns have any values.
    """
    count = len(rows)
    found = [_widened(w, each, count) for each in rows]
    size = 1
    while size < count:
        for row in range(count):
            if not row & size:
                pair = found[row], found[row + size]
                found[row], found[row + size] = exchanged(w, *pair, size)
        size *= 2
    return found


def _widened(w: FunctionWriter, row: Value, count: int) -> Value:
    """A vector with more lanes, if it has fewer, whose values are any."""
    if row.lanes == count:
        return row
    none = Value("poison", row.type, row.lanes)
    return shuffled(w, row, none, [min(each, row.lanes) for each in range(count)])


def exchanged(
    w: FunctionWriter, one: Value, other: Value, size: int
) -> tuple[Value, Value]:
    """Two vectors, with the odd blocks of the first for the even ones of the other."""
    lanes = range(one.lanes)
    first = [each - size + one.lanes if each & size else each for each in lanes]
    second = [each + one.lanes if each & size else each + size for each in lanes]
    return shuffled(w, one, other, first), shuffled(w, one, other, second)


def woven(w: FunctionWriter, rows: Sequence[Value]) -> list[Value]:
    """
    Writes the elements of vectors by turns, the first of each and then the second: as
    many vectors as there are. Of an even number the odd vectors are woven, the others
    too, and then both, element by element.
    """
    lanes = rows[0].lanes
    if len(rows) == 1:
        return [*rows]
    if len(rows) % 2 == 0:
        halves = woven(w, rows[::2]), woven(w, rows[1::2])
        sides = [range(0, lanes // 2), range(lanes // 2, lanes)]
        picks = [[each + of for each in side for of in (0, lanes)] for side in sides]
        return [
            shuffled(w, one, other, picked)
            for one, other in zip(*halves, strict=True)
            for picked in picks
        ]
    turns = [divmod(each, len(rows)) for each in range(lanes * len(rows))]
    starts = range(0, len(turns), lanes)
    return [_gathered(w, rows, turns[each : each + lanes]) for each in starts]


def unwoven(w: FunctionWriter, rows: Sequence[Value]) -> list[Value]:
    """
    Writes the vectors that `woven` makes these of, a power of two of them: elements of
    even numbers and the others are taken apart, and each half again.
    """
    if len(rows) == 1:
        return [*rows]
    lanes = rows[0].lanes
    pairs = [*zip(rows[::2], rows[1::2], strict=True)]
    even, odd = (
        unwoven(w, [shuffled(w, *pair, range(of, 2 * lanes, 2)) for pair in pairs])
        for of in (0, 1)
    )
    return [each for both in zip(even, odd, strict=True) for each in both]


def _gathered(
    w: FunctionWriter, rows: Sequence[Value], at: Sequence[tuple[int, int]]
) -> Value:
    """Writes a vector of the elements at these lanes of these rows."""
    lanes, found = rows[0].lanes, rows[0]
    picked = [lane for lane, _ in at]
    for number, row in enumerate(rows[1:], start=1):
        # Lanes of rows after this one have any value until then.
        picked = [
            lanes + lane if of == number else old
            for (lane, of), old in zip(at, picked, strict=True)
        ]
        found = shuffled(w, found, row, picked)
        picked = [*range(lanes)]
    return found


def shuffled(
    w: FunctionWriter, one: Value, other: Value, lanes: Sequence[int]
) -> Value:
    """These lanes of two vectors, the second's after the first's."""
    numbers = ", ".join(f"i32 {each}" for each in lanes)
    shuffle = f"shufflevector {one.typed}, {other.typed}, <{len(lanes)} x i32>"
    return w.value(f"{shuffle} <{numbers}>", one.type, len(lanes))
