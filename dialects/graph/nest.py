"""
How a graph op is computed: a loop nest, described but not yet built.

A `Nest` says what happens at one point of an iteration space: which elements are read,
what is computed from them, where the value is written. The lowering decides how to
loop. Ops and loops meet only here; neither knows the other.

    point      a number for each of `bounds`; the last `reductions` of them are reduced
    position   where along one dimension of a tensor: linear in the point, or looked up
    source     a scalar at this point: an element of an operand, a position, a dimension

Contractions, convolutions, poolings and broadcasts differ only in their positions.

Several nests of one op run one after the other. The points of a nest have no order
unless it is scattered: its write position is looked up, or its value is combined with
one that an earlier nest wrote, so that several points may write one element. They write
in the order of the points, the last axis fastest; when values replace each other, the
last one stays.

A point may write several scalars, as a tile of an image, which are computed together.
Where the last tile reaches beyond the image, coordinates are clamped: what is beyond is
written to the last row or column first, and what belongs there after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from xdsl.ir import SSAValue

from ..agreement import is_open
from ..dims import Dim, minimum


@dataclass(frozen=True)
class Linear:
    """A position `offset + sum(factor * point[axis])`."""

    factors: tuple[tuple[int, Dim], ...] = ()
    offset: Dim = 0

    def __add__(self, other: Linear | Dim) -> Linear:
        if not isinstance(other, Linear):
            return Linear(self.factors, self.offset + other) if other != 0 else self
        if not self.factors and self.offset == 0:
            return other
        factors = dict(self.factors)
        for axis, factor in other.factors:
            factors[axis] = factors.get(axis, 0) + factor
        kept = tuple(sorted((a, f) for a, f in factors.items() if f != 0))
        return Linear(kept, self.offset + other.offset)

    def __mul__(self, factor: Dim) -> Linear:
        if factor == 1:
            return self
        if factor == 0:
            return Linear()
        scaled = tuple((axis, each * factor) for axis, each in self.factors)
        return Linear(scaled, self.offset * factor)

    def at(self, point: Sequence[Linear]) -> Linear:
        """This position composed with a point that is a function of another point."""
        result = Linear(offset=self.offset)
        for axis, factor in self.factors:
            result = result + point[axis] * factor
        return result


@dataclass(frozen=True)
class Lookup:
    """A position read from memory: the integer at `at` in `operand`, below `bound`."""

    operand: int
    at: tuple[Linear, ...]
    bound: Dim
    wraps: bool
    """Whether a negative integer counts from the end; else it is refused."""


Position: TypeAlias = Linear | Lookup


@dataclass(frozen=True)
class Read:
    """The element of an operand at one position for each of its dimensions."""

    operand: int
    at: tuple[Position, ...]


@dataclass(frozen=True)
class Extent:
    """The value of a dimension, as an i64."""

    size: Dim


@dataclass(frozen=True)
class Where:
    """A position as an i64, for bodies that depend on the point itself."""

    position: Linear


Source: TypeAlias = Read | Extent | Where

Combiner: TypeAlias = Literal["add", "mul", "max", "min"]
"""The combining operation of a reduction, which starts from its identity."""

Body: TypeAlias = Callable[..., SSAValue]
"""Builds, from one scalar for each source, the scalar that the nest computes."""

Bodies: TypeAlias = Callable[..., Sequence[SSAValue]]
"""Builds, from one scalar for each source, all scalars of a point."""


def same(x: SSAValue) -> SSAValue:
    """The body of a nest that only moves elements."""
    return x


def only_moves(nests: Sequence[Nest] | None) -> bool:
    """Whether nests compute nothing: each element of a result is one of an operand."""
    return bool(nests) and all(
        each.body is same and each.combine is None and each.onto is None
        for each in nests or ()
    )


@cache
def axis(number: int) -> Linear:
    """The position that is the point's coordinate along one axis."""
    return Linear(((number, 1),))


@cache
def axes(count: int, start: int = 0) -> tuple[Linear, ...]:
    """The point's own coordinates along `count` axes from `start`."""
    return tuple(axis(number) for number in range(start, start + count))


@dataclass(frozen=True)
class Nest:
    """The computation of one result, or of a part of it."""

    bounds: tuple[Dim, ...]
    sources: tuple[Source, ...]
    body: Body
    write: tuple[Position, ...]
    """The position in the result; it depends on parallel axes only."""

    reductions: int = 0
    """The number of reduced axes, which are the last."""

    combine: Combiner | None = None

    in_turn: int = 0
    """
    The number of reduced axes, which are the first of them, whose points come one after
    the other where the order matters; the points of the others become partial results.
    """

    keeps_accumulators: bool = False
    """
    Whether each step along the only reduced axis writes the value accumulated so far,
    as in a prefix sum; the steps run in order, and the write depends on that axis too.
    """

    onto: Combiner | None = None
    """
    How a value is combined with the element that it is written to; None when it
    replaces it.
    """

    clamped: tuple[tuple[Linear, Dim], ...] = ()
    """
    Further coordinates of a point, numbered after its axes: a position, or the last one
    below a bound where it is not below that.
    """

    bodies: Bodies | None = None
    """Builds all scalars where a point writes several, the first as `body` does."""

    also: tuple[tuple[Linear, ...], ...] = ()
    """The positions of all scalars but the first, which are written in this order."""

    inside: tuple[tuple[Linear, Dim, Dim], ...] = ()
    """
    Positions, each with the first value that may count, and the one after the last:
    what is summed is zero elsewhere.
    """

    @property
    def lookups(self) -> Iterator[Lookup]:
        """The positions that are looked up, of reads and of the write."""
        read = (each.at for each in self.sources if isinstance(each, Read))
        for at in (*read, self.write):
            for position in at:
                if isinstance(position, Lookup):
                    yield position

    @property
    def is_scattered(self) -> bool:
        """Whether several points of this nest may write one element of the result."""
        return self.onto is not None or any(isinstance(p, Lookup) for p in self.write)

    @property
    def ordered(self) -> frozenset[int]:
        """The axes along which several points may write one element."""
        if not self.is_scattered:
            return frozenset()
        alone = {
            position.factors[0][0]
            for position in self.write
            if isinstance(position, Linear) and len(position.factors) == 1
        }
        return frozenset(range(len(self.bounds) - self.reductions)) - alone

    @property
    def is_pointwise(self) -> bool:
        """
        Whether each point writes the element at its own index, and every element is
        written.
        """
        return self.reductions == 0 and self.writes_whole

    @property
    def writes_whole(self) -> bool:
        """Whether the parallel axes are the axes of the result, in order."""
        here = axes(len(self.bounds) - self.reductions)
        return self.write == here and self.onto is None


def broadcast_positions(
    bounds: Sequence[Dim], shapes: Sequence[Sequence[Dim]]
) -> list[tuple[Linear, ...]]:
    """
    Where tensors of these shapes are read at a point within `bounds`, to which they
    broadcast.
    """
    rank = len(bounds)
    found: list[list[Linear]] = [[] for _ in shapes]
    for number, bound in enumerate(bounds):
        sizes = [
            shape[number - rank] if rank - number <= len(shape) else None
            for shape in shapes
        ]
        opens = is_open([bound, *(each for each in sizes if each is not None)])
        for each, size in zip(found, sizes, strict=True):
            if size is not None:
                each.append(axis(number) * _step(size, bound, opens))
    return [tuple(each) for each in found]


def _step(size: Dim, bound: Dim, opens: bool) -> Dim:
    """How far an index moves along an axis of this size with each step of a point."""
    if size == 1:
        return 0
    if isinstance(size, int) or size == bound or not opens:
        return 1
    return minimum(1, size - 1)


def elementwise(
    bounds: Sequence[Dim], operands: Sequence[Sequence[Dim]], body: Body
) -> Nest:
    """The nest over `bounds` that reads each operand where numpy broadcasts it."""
    rank = len(bounds)
    at = broadcast_positions(bounds, operands)
    sources = tuple(Read(number, each) for number, each in enumerate(at))
    return Nest(tuple(bounds), sources, body, axes(rank))


def tile_nest(
    bounds: Sequence[Dim],
    clamped: Sequence[tuple[Linear, Dim]],
    sources: Sequence[Source],
    bodies: Bodies,
    writes: Sequence[tuple[Linear, ...]],
) -> Nest:
    """
    The nest whose points write several scalars each, which `bodies` builds together; no
    two points may write to one element.
    """

    def first(*scalars: SSAValue) -> SSAValue:
        return bodies(*scalars)[0]

    write, *also = writes
    return Nest(
        tuple(bounds),
        tuple(sources),
        first,
        write,
        clamped=tuple(clamped),
        bodies=bodies,
        also=tuple(also),
    )
