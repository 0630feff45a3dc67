"""Axes that are split, moved, repeated and joined are followed as numpy does it."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from static_runtime.compiler.passes.axis_grid import AxisGrid
from static_runtime.dialects import dim


def place(grid: AxisGrid, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What a grid makes of an array, element by element."""
    bounds = [int(str(each)) for each in grid.sizes]

    def at(point: tuple[int, ...], groups: tuple[tuple[int, ...], ...]) -> Any:
        places: list[int] = []
        for group in groups:
            position = 0
            for each in group:
                position = position * bounds[each] + point[each]
            places.append(position)
        return tuple(places)

    def size(group: tuple[int, ...]) -> int:
        return int(np.prod([bounds[each] for each in group], dtype=int))

    result = np.full([size(group) for group in grid.writes], -1)
    for point in itertools.product(*map(range, bounds)):
        result[at(point, grid.writes)] = x[at(point, grid.reads)]
    return result


@pytest.mark.parametrize("seed", range(40))
def test_moves_are_those_of_numpy(seed: int):
    draw = random.Random(seed)
    shape = [draw.choice([1, 2, 3, 4, 6]) for _ in range(draw.randint(1, 3))]
    x = value = np.arange(np.prod(shape)).reshape(shape)
    grid = AxisGrid.of(shape)
    for _ in range(draw.randint(1, 5)):
        kind = draw.choice(["permute", "split", "merge", "repeat", "expand"])
        match kind:
            case "permute":
                order = draw.sample(range(value.ndim), value.ndim)
                value, after = value.transpose(order), grid.permuted(order)
            case "split" | "merge":
                wanted = [*value.shape]
                number = draw.randrange(len(wanted))
                if kind == "merge":
                    wanted[number : number + 2] = [
                        int(np.prod(wanted[number : number + 2]))
                    ]
                else:
                    part = draw.choice([1, 2, 3])
                    if wanted[number] % part:
                        continue
                    wanted[number : number + 1] = [part, wanted[number] // part]
                value, after = value.reshape(wanted), grid.reshaped(wanted)
            case "repeat":
                number = draw.randrange(value.ndim)
                value, after = value.repeat(2, number), grid.repeated(number, 2)
            case _:
                one = value[None]
                wide = (3, *value.shape)
                grid_of_one = grid.reshaped(one.shape)
                assert grid_of_one is not None
                value = np.broadcast_to(one, wide)
                after = grid_of_one.expanded(one.shape, wide)
        if after is None:
            # An axis that is split unevenly, as 6 = 2 * 3 into 3 * 2.
            return
        grid = after
        np.testing.assert_array_equal(place(grid, x), value)
        np.testing.assert_array_equal(place(grid.joined(), x), value)


def test_joined_axes_are_few():
    grid = AxisGrid.of((4, 6, 5)).reshaped((2, 2, 3, 2, 5))
    assert grid is not None
    whole = grid.reshaped((4, 6, 5))
    assert whole is not None
    assert whole.joined() == AxisGrid.of((4, 6, 5))
    assert not whole.interleaves


def test_what_interleaves():
    apart = AxisGrid.of((4, 6)).permuted((1, 0)).reshaped((24,))
    together = AxisGrid.of((4, 6)).reshaped((24,))
    assert apart is not None
    assert together is not None
    assert apart.interleaves
    assert not together.interleaves


def test_uneven_splits_have_no_grid():
    assert AxisGrid.of((6,)).reshaped((2, 3)) is not None
    assert AxisGrid.of((2, 3)).permuted((1, 0)).reshaped((2, 3)) is None
    assert AxisGrid.of((2, 0)).reshaped((0, 2)) is None


def test_symbols_stay_whole():
    rows = dim("n")
    grid = AxisGrid.of((rows, 6)).reshaped((rows, 2, 3))
    assert grid is not None
    moved = grid.permuted((1, 0, 2)).reshaped((2 * rows, 3))
    assert moved is not None
    assert moved.interleaves
    assert AxisGrid.of((rows, 6)).reshaped((6, rows)) is None
    assert AxisGrid.of((4 * rows,)).reshaped((rows, 4)) is None
