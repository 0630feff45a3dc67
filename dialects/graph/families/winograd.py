"""
Winograd's minimal filtering, F(m x m, 3 x 3): the transforms of tiles and of windows.

A tile of m + 2 by m + 2 elements has m by m results of a window of 3 by 3. With the
matrices A, B and G of m they are A' ((G g G') * (B' d B)) A: a product for each of
(m + 2)^2 positions instead of 9 m^2. With several channels the products at a position
are summed up over channels, which is a product of matrices (Winograd 1980; for
convolutions Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015,
which has these matrices). For m = 2 factors are 1 and 1/2, and sums are as exact as
those of products; for m = 4 they are up to 8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from xdsl.dialects import math
from xdsl.ir import SSAValue

from ...shape import Array
from .. import scalar

TILES = (2, 4)
"""The rows and columns of results that tiles may have."""

_G = {
    2: [[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]],
    4: [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ],
}
_B = {
    2: [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]],
    4: [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ],
}
_A = {
    2: [[1, 1, 1, 0], [0, 1, -1, -1]],
    4: [
        [1, 1, 1, 1, 1, 0],
        [0, 1, -1, 2, -2, 0],
        [0, 1, 1, 4, 4, 0],
        [0, 1, -1, 8, -8, 1],
    ],
}

_OTHER_ROUNDINGS = 6
"""About how many times an element is rounded besides in its sum over channels."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class _Steps(Generic[_T]):
    """The steps of transforms, on scalars that are built or on arrays."""

    add: Callable[[_T, _T], _T]
    sub: Callable[[_T, _T], _T]
    scaled: Callable[[float, _T, _T], _T]
    """`factor * x + y`, rounded once."""


_Line = Callable[[_Steps[_T], Sequence[_T]], list[_T]]
"""The transform of a row or a column of a tile."""


def transformed_windows(weight: Array, tile: int) -> Array:
    """
    Windows 3x3xCxO as (m + 2)^2 matrices CxO, computed in f64 and rounded once to the
    dtype of the weight.
    """
    made = _transformed_windows(weight.astype(np.float64), tile)
    return made.reshape(-1, *weight.shape[2:]).astype(weight.dtype)


def _transformed_windows(weight: Array, tile: int) -> Array:
    """Windows 3x3xCxO as a row and a column of matrices CxO."""
    rows = _sums(_G[tile], weight)
    return _sums(_G[tile], rows.swapaxes(0, 1)).swapaxes(0, 1)


def _sums(factors: Sequence[Sequence[float]], parts: Array) -> Array:
    """Sums of parts by rows of factors, in order: the same bits on each machine."""
    made = np.zeros((len(factors), *parts.shape[1:]), parts.dtype)
    for result, row in zip(made, factors, strict=True):
        for factor, part in zip(row, parts, strict=True):
            if factor:
                result += factor * part
    return made


def expected_error(windows: Array, tile: int) -> float:
    """
    How far results in f32 are from those of exact arithmetic, at most as is to be
    expected, relative to the largest one, for an image of independent random numbers.

    It is twice the standard deviation of errors beside that of results, computed in f64
    of windows 3x3xCxO: each rounding is off by a random part of half a unit in the last
    place; in sums of products they grow by the transforms as the sums do. Inputs
    that cancel each other may be off by more, as in other sums.
    """
    wide = windows.astype(np.float64)
    sums = np.square(_transformed_windows(wide, tile)).sum(axis=2)
    grown = np.square(np.array(_B[tile])).sum(axis=1)
    sums *= np.multiply.outer(grown, grown)[:, :, None]
    a = np.square(np.array(_A[tile]))
    results = np.einsum("pa,abo,qb->pqo", a, sums, a).max(initial=0)
    roundings = (windows.shape[2] / 2 + _OTHER_ROUNDINGS) / 3
    largest = np.square(wide).sum(axis=(0, 1, 2)).max(initial=0)
    if not largest:
        return 0.0
    return float(2 * 2.0**-24 * np.sqrt(results * roundings / largest))


def transform_tiles(tiles: Array, tile: int) -> Array:
    """Tiles (m + 2)^2x... as what is multiplied with windows."""
    return _transformed(_INPUTS[tile], tiles, tile)


def transform_products(products: Array, tile: int) -> Array:
    """Sums of products (m + 2)^2x... as results m^2x..."""
    return _transformed(_OUTPUTS[tile], products, tile)


def build_tile(tile: int, elements: Sequence[SSAValue]) -> list[SSAValue]:
    """Builds what is multiplied with windows, of the elements of a tile, row by row."""
    return _both(_INPUTS[tile], _BUILDING, elements, tile + 2)


def build_results(tile: int, products: Sequence[SSAValue]) -> list[SSAValue]:
    """Builds the results of a tile, row by row, of its sums of products."""
    return _both(_OUTPUTS[tile], _BUILDING, products, tile + 2)


def _transformed(line: _Line[Array], values: Array, tile: int) -> Array:
    """The transform of all columns of tiles, then of all rows of what that gives."""
    with np.errstate(all="ignore"):
        return np.stack(_both(line, _COMPUTING, list(values), tile + 2))


def _both(
    line: _Line[_T], steps: _Steps[_T], elements: Sequence[_T], width: int
) -> list[_T]:
    """The transform of all columns, then of all rows of what that gives."""
    columns = [line(steps, elements[column::width]) for column in range(width)]
    rows = (line(steps, row) for row in zip(*columns, strict=True))
    return [each for row in rows for each in row]


def _input_of_two(s: _Steps[_T], d: Sequence[_T]) -> list[_T]:
    """B' d for m = 2."""
    return [
        s.sub(d[0], d[2]),
        s.add(d[1], d[2]),
        s.sub(d[2], d[1]),
        s.sub(d[1], d[3]),
    ]


def _output_of_two(s: _Steps[_T], m: Sequence[_T]) -> list[_T]:
    """A' m for m = 2."""
    return [s.add(s.add(m[0], m[1]), m[2]), s.sub(s.sub(m[1], m[2]), m[3])]


def _input_of_four(s: _Steps[_T], d: Sequence[_T]) -> list[_T]:
    """B' d for m = 4."""
    even, odd = s.scaled(-4.0, d[2], d[4]), s.scaled(-4.0, d[1], d[3])
    far, near = s.sub(d[4], d[2]), s.sub(d[3], d[1])
    return [
        s.scaled(4.0, d[0], s.scaled(-5.0, d[2], d[4])),
        s.add(even, odd),
        s.sub(even, odd),
        s.scaled(2.0, near, far),
        s.scaled(-2.0, near, far),
        s.scaled(4.0, d[1], s.scaled(-5.0, d[3], d[5])),
    ]


def _output_of_four(s: _Steps[_T], m: Sequence[_T]) -> list[_T]:
    """A' m for m = 4."""
    near, far = s.add(m[1], m[2]), s.add(m[3], m[4])
    inner, outer = s.sub(m[1], m[2]), s.sub(m[3], m[4])
    return [
        s.add(s.add(m[0], near), far),
        s.scaled(2.0, outer, inner),
        s.scaled(4.0, far, near),
        s.add(s.scaled(8.0, outer, inner), m[5]),
    ]


_INPUTS: dict[int, Any] = {2: _input_of_two, 4: _input_of_four}
_OUTPUTS: dict[int, Any] = {2: _output_of_two, 4: _output_of_four}


def _build_scaled(factor: float, x: SSAValue, y: SSAValue) -> SSAValue:
    """Builds `factor * x + y`, rounded once."""
    return math.FmaOp(scalar.constant(factor, x.type), x, y).result


def _compute_scaled(factor: float, x: Array, y: Array) -> Array:
    """`factor * x + y` of f32, whose product is exact in f64."""
    wide = np.float64(factor) * x.astype(np.float64) + y
    return wide.astype(x.dtype)


_BUILDING = _Steps(scalar.add, scalar.sub, _build_scaled)
_COMPUTING = _Steps[Array](np.add, np.subtract, _compute_scaled)
