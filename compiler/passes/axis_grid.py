"""
Follow how ops that only move elements split, order, repeat and join axes.

An operand and a result have axes that are made of those of a grid: 12 rows that are
read as 3 x 4, and written with others between, are two of them. Axes of size one are
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...dialects import Dim, guess


@dataclass(frozen=True)
class AxisGrid:
    """
    The sizes of the axes of a grid, and those that each axis of the operand, and of the
    result, is made of, the last one moving by one element.
    """

    sizes: tuple[Dim, ...]
    reads: tuple[tuple[int, ...], ...]
    writes: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(shape: Sequence[Dim]) -> AxisGrid:
        """The grid of an operand that is the result."""
        wide = [size for size in shape if size != 1]
        left = iter(range(len(wide)))
        groups = tuple(() if size == 1 else (next(left),) for size in shape)
        return AxisGrid(tuple(wide), groups, groups)

    @property
    def interleaves(self) -> bool:
        """Whether an axis of the result is made of elements that are apart."""
        after = dict(pairwise(each for group in self.reads for each in group))
        joined = (pair for group in self.writes for pair in pairwise(group))
        return any(after.get(outer) != inner for outer, inner in joined)

    @property
    def line(self) -> int | None:
        """
        The axis of the result that is the innermost one of the operand, if it is one.
        """
        last = next((group[-1] for group in reversed(self.reads) if group), None)
        alone = [number for number, group in enumerate(self.writes) if group == (last,)]
        return alone[0] if alone else None

    def permuted(self, order: Sequence[int]) -> AxisGrid:
        """The grid of a result with its axes in another order."""
        writes = tuple(self.writes[each] for each in order)
        return AxisGrid(self.sizes, self.reads, writes)

    def expanded(self, before: Sequence[Dim], after: Sequence[Dim]) -> AxisGrid | None:
        """The grid of a result that is repeated along axes of size one, if there is."""
        more = len(after) - len(before)
        groups = [*((),) * more, *self.writes]
        shape, grown = [*(1,) * more, *before], [*self.sizes]
        for number, (old, new) in enumerate(zip(shape, after, strict=True)):
            if old == new:
                continue
            if old != 1:
                return None
            groups[number] = (len(grown),)
            grown.append(new)
        return AxisGrid(tuple(grown), self.reads, tuple(groups))

    def repeated(self, axis: int, times: int) -> AxisGrid:
        """The grid of a result that has each element along an axis several times."""
        writes = [*self.writes]
        writes[axis] = (*writes[axis], len(self.sizes))
        return AxisGrid((*self.sizes, times), self.reads, tuple(writes))

    def reshaped(self, shape: Sequence[Dim]) -> AxisGrid | None:
        """The grid of the same elements with another shape, if one is found."""
        left = [each for group in self.writes for each in group]
        sizes, reads, writes = [*self.sizes], self.reads, list[tuple[int, ...]]()
        for size in shape:
            group, have = list[int](), 1
            while have != size:
                if not left:
                    return None
                first = left[0]
                if (parts := _parts(sizes[first], have, size)) is None:
                    return None
                sizes[first], rest = parts
                if rest != 1:
                    # Only the outer part of it is here.
                    inner = len(sizes)
                    sizes.append(rest)
                    reads = _split(reads, first, inner)
                    left.insert(1, inner)
                group.append(left.pop(0))
                have = have * sizes[first]
            writes.append((*group,))
        return None if left else AxisGrid(tuple(sizes), reads, tuple(writes))

    def joined(self) -> AxisGrid:
        """The same with as few axes as possible, numbered as the result has them."""
        beside = {a: b for group in self.reads for a, b in pairwise(group)}
        kept, sizes = dict[int, int](), list[Dim]()
        writes = list[tuple[int, ...]]()
        for group in self.writes:
            mine = list[int]()
            for number, each in enumerate(group):
                last = group[number - 1]
                if number and beside.get(last) == each:
                    kept[each] = kept[last]
                    sizes[kept[each]] = sizes[kept[each]] * self.sizes[each]
                    continue
                kept[each] = len(sizes)
                sizes.append(self.sizes[each])
                mine.append(kept[each])
            writes.append((*mine,))
        reads = tuple(
            tuple(dict.fromkeys(kept[each] for each in group)) for group in self.reads
        )
        return AxisGrid(tuple(sizes), reads, tuple(writes))


def _parts(size: Dim, have: Dim, wanted: Dim) -> tuple[Dim, Dim] | None:
    """
    What of an axis of the grid is in an axis of a shape that has elements already, and
    what is left for the next one; None where it does not go up in them.
    """
    if isinstance(size, int) and isinstance(have, int) and isinstance(wanted, int):
        if 0 in (size, have, wanted) or wanted % have:
            return None
        wanted //= have
        if wanted % size == 0:
            return size, 1
        return None if size % wanted else (wanted, size // wanted)
    # Symbols are in whole axes.
    return (size, 1) if guess(have * size) <= guess(wanted) else None


def _split(
    groups: tuple[tuple[int, ...], ...], axis: int, inner: int
) -> tuple[tuple[int, ...], ...]:
    """Groups in which another axis comes after this one."""
    return tuple(
        tuple(
            each for old in group for each in ((old, inner) if old == axis else (old,))
        )
        for group in groups
    )
