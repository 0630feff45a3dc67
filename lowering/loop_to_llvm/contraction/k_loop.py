"""Write the loops over a block of k: over each reduced index that is part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from ....dialects import Dim, product
from ..text.dimensions import is_multiple
from ..text.index_arithmetic import is_number
from ..text.transpose import sides
from ..text.types import Value
from .blocks import Blocks, KBlock
from .k_range import KRange

_Values: TypeAlias = Sequence[Value]

Build: TypeAlias = Callable[[str, int, list[Value]], Sequence[Value]]
"""Writes some k: takes the first, how many, and what is carried."""


def k_loop(
    blocks: Blocks,
    block: KBlock,
    carried: Sequence[Value],
    build: Build,
    by: Sequence[int] = (),
    enter: tuple[int, Callable[[], None]] | None = None,
    ranges: Mapping[int, Sequence[KRange]] | None = None,
    of_rows: Callable[[range], Build] | None = None,
) -> list[Value]:
    """
    Writes loops over the reduced indices of a block, the innermost unrolled.

    `build` takes the number of the first k in the block; `by` says how many k are
    written at a time, else it is as the tile says. Where the least of these is more
    than one, what is left of it comes last. `enter` says within how many of the loops
    something is written before the loops that are left, and what. `ranges` are
    what loops go over that do not go over all, by the number of loops around; `of_rows`
    says what builds the k that some rows of a tile need. The innermost adds to a hidden
    sum: LLVM's strength reduction would try to split it.
    """
    w, axis = blocks.w, blocks.axis
    sizes, filled = blocks.reduced[axis:], blocks.filled[axis:]

    def level(
        indices: list[str], k: str, count: int, carried: _Values, rows: range | None
    ) -> list[Value]:
        number = len(indices)
        if enter is not None and number == enter[0]:
            with blocks.scope.inner():
                blocks.set_k(block, [*indices, *["0"] * (len(sizes) - number)])
                enter[1]()
        if number == len(sizes):
            own = of_rows(rows) if of_rows and rows is not None else build
            with blocks.scope.inner():
                blocks.set_k(block, indices)
                return list(own(k, count, list(carried)))
        bound = w.size(sizes[number]) if number else block.count
        k = w.hidden_number(k) if number == len(sizes) - 1 else k
        stride = w.size(product(filled[number + 1 :]))

        def body(
            at: str, count: int, inner: list[Value], rows: range | None = rows
        ) -> _Values:
            here = at if number else w.add(block.start, at)
            first = w.add(k, w.mul(at, stride))
            return level([*indices, here], first, count, inner, rows)

        counts: Sequence[int] = (1,)
        if number == len(sizes) - 1:
            counts = by or blocks.unrolled(_divided(blocks, bound, number))
        if ranges and number in ranges:
            return _write_ranges(blocks, ranges[number], counts, carried, body)
        least = counts[-1]
        if least == 1 or is_multiple(sizes[number], least):
            return w.loop_by(counts, bound, carried, body)
        carried = w.loop_by(counts, w.whole(bound, least), carried, body)
        return _write_rest(blocks, (bound, sizes[number]), least, carried, body)

    return level([], "0", 1, carried, None)


def _divided(blocks: Blocks, bound: str, number: int) -> Dim:
    """How many k a loop has, or a size without divisors that this lacks."""
    return int(bound) if is_number(bound) else blocks.divisors_of(number)


def copied_at_once(blocks: Blocks, unit: int) -> list[int]:
    """
    How many elements of a row of A are copied at a time, the most first: units for each
    lane of a vector, fewer for what is left, at last one unit if any may be.
    """
    lanes, size = blocks.lanes, blocks.reduced[-1]
    if lanes == 1 or dict(blocks.a.at.terms).get(blocks.k_indices[-1]) != 1:
        return [unit]
    many = unit * lanes
    if blocks.axis == len(blocks.reduced) - 1 or not isinstance(size, int):
        # A block may end anywhere.
        return [*dict.fromkeys((many, many // 2, unit) if unit > 1 else (many, unit))]
    return [*sides(size, many, unit)]


def _write_ranges(
    blocks: Blocks,
    ranges: Sequence[KRange],
    counts: Sequence[int],
    carried: _Values,
    body: Callable[..., _Values],
) -> list[Value]:
    """Writes a loop over each range, by several k where the whole is written so."""
    for own in ranges:
        is_unrolled = counts != (1,)
        many = own.unrolled(blocks) if is_unrolled else counts
        some = body if own.rows is None else partial(body, rows=own.rows)
        carried = blocks.w.loop_by(many, own.stop, carried, some, own.start)
    return [*carried]


def _write_rest(
    blocks: Blocks, bound: tuple[str, Dim], unit: int, carried: list[Value], body: Build
) -> list[Value]:
    """Writes the k that are left of whole units of a loop, if any are."""
    w, (stop, size) = blocks.w, bound
    whole = w.whole(stop, unit)
    left = w.minus(stop, whole)
    for count in [size % unit] if isinstance(size, int) else range(1, unit):

        def rest(count: int = count, carried: list[Value] = carried) -> list[Value]:
            return list(body(whole, count, carried))

        def none(carried: list[Value] = carried) -> list[Value]:
            return carried

        carried = w.branch(w.same(left, str(count)), rest, none)
    return carried
