"""Rows are partitioned into register tiles: each once, none of more than MR rows."""

from __future__ import annotations

import pytest

from static_runtime.dialects.dims import symbol
from static_runtime.dialects.loop.isa import AMX_TILES
from static_runtime.lowering.loop_to_llvm.contraction.partition import (
    Part,
    partition_for_tile_registers,
    partition_rows,
)
from static_runtime.lowering.loop_to_llvm.text.function import FunctionWriter


def tiles(parts: list[Part]) -> list[tuple[int, int]]:
    """The rows of each tile, and its first row, where all numbers are known."""
    return [
        (rows, first)
        for rows, start, stop in parts
        for first in range(int(start), int(stop), rows)
    ]


@pytest.mark.parametrize("mr", [1, 4, 6, 12])
@pytest.mark.parametrize("count", [1, 5, 6, 7, 13, 64, 1000])
def test_known_rows_are_partitioned_evenly(count: int, mr: int):
    w = FunctionWriter({})
    found = tiles(partition_rows(w, count, mr, shared=False))
    rows = [each for each, _ in found]
    assert sum(rows) == count
    assert len(rows) == -(-count // mr)
    assert max(rows) <= mr
    assert max(rows) - min(rows) <= 1
    assert [first for _, first in found] == [sum(rows[:n]) for n in range(len(rows))]
    # Nothing is computed when the kernel runs.
    assert not w.lines


def test_no_rows_have_no_tiles():
    assert not tiles(partition_rows(FunctionWriter({}), 0, 6, shared=False))


@pytest.mark.parametrize(
    ("mr", "expected"), [(6, [6, 4, 2, 1]), (12, [12, 8, 4, 2, 1]), (4, [4, 2, 1])]
)
def test_rows_of_a_symbol_are_taken_by_tiles_of_powers_of_two(
    mr: int, expected: list[int]
):
    w = FunctionWriter({"n": "%symbol.n"})
    parts = partition_rows(w, symbol("n"), mr, shared=False)
    assert [rows for rows, _, _ in parts] == expected
    starts, stops = [start for _, start, _ in parts], [stop for _, _, stop in parts]
    # Each begins where the one before ends.
    assert starts == ["0", *stops[:-1]]


@pytest.mark.parametrize("count", [1, 16, 17, 32, 33, 48, 49, 64])
def test_tile_registers_take_two_tiles_of_rows_while_there_are_more_than_one(
    count: int,
):
    w = FunctionWriter({})
    parts = partition_for_tile_registers(w, count, 32, AMX_TILES, shared=False)
    found = tiles(parts)
    # A last tile may have room for more rows than there are.
    covered = sum(rows for rows, _ in found)
    assert count <= covered < count + 32
    assert [rows for rows, _ in found[:-1]] == [32] * (len(found) - 1)
    assert found[-1][0] == (16 if 0 < count % 32 <= 16 else 32)
