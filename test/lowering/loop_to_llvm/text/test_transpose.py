"""Shuffles that transpose vectors, by what they do to the numbers of elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log2

import pytest
from xdsl.dialects.builtin import f32

from static_runtime.lowering.loop_to_llvm.text.function import FunctionWriter
from static_runtime.lowering.loop_to_llvm.text.transpose import (
    transposed,
    unwoven,
    woven,
)
from static_runtime.lowering.loop_to_llvm.text.types import Value

SHUFFLE = re.compile(
    r"(%\S+) = shufflevector <\d+ x float> (\S+), <\d+ x float> (\S+), "
    r"<\d+ x i32> <(.*)>"
)


def shuffled(
    count: int,
    lanes: int,
    moved: Callable[[FunctionWriter, list[Value]], list[Value]] = transposed,
) -> tuple[list[list[object]], int]:
    """What becomes of rows with elements (row, lane), and how many shuffles."""
    w = FunctionWriter({})
    rows = [Value(f"%row{number}", f32, lanes) for number in range(count)]
    found = moved(w, rows)
    known: dict[str, list[object]] = {"poison": [None] * lanes}
    for number, row in enumerate(rows):
        known[row.text] = [(number, lane) for lane in range(lanes)]
    for line in w.lines:
        match = SHUFFLE.fullmatch(line.strip())
        assert match is not None, line
        name, one, other, picked = match.groups()
        both = known[one] + known[other]
        known[name] = [both[int(each.split()[1])] for each in picked.split(",")]
    return [known[each.text] for each in found], len(w.lines)


@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_columns_are_those_of_a_square(count: int):
    columns, shuffles = shuffled(count, count)
    assert columns == [[(row, at) for row in range(count)] for at in range(count)]
    assert shuffles == count * log2(count)


@pytest.mark.parametrize(("count", "lanes"), [(16, 4), (8, 2), (16, 8)])
def test_of_few_lanes_the_first_columns_are_theirs(count: int, lanes: int):
    columns, _ = shuffled(count, lanes)
    assert columns[:lanes] == [
        [(row, at) for row in range(count)] for at in range(lanes)
    ]


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8])
def test_elements_by_turns(count: int, lanes: int):
    vectors, shuffles = shuffled(count, lanes, woven)
    turns = [(row, lane) for lane in range(lanes) for row in range(count)]
    assert [each for vector in vectors for each in vector] == turns
    halvings = (count & -count).bit_length() - 1
    odd = count >> halvings
    assert shuffles == count * (halvings + odd - 1)


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("count", [2, 4, 8])
def test_turns_are_taken_apart(count: int, lanes: int):
    vectors, shuffles = shuffled(count, lanes, lambda w, rows: unwoven(w, rows))
    whole = [(row, lane) for row in range(count) for lane in range(lanes)]
    assert vectors == [whole[first::count] for first in range(count)]
    assert shuffles == count * log2(count)
