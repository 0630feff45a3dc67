"""A block of constants has its arrays where they belong, however it is made."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.runtime.abi import ALIGNMENT
from static_runtime.runtime.program.constant_block import (
    PIECE,
    Array,
    ConstantBlock,
    runs,
)

RNG = np.random.default_rng(0)
WIDE = RNG.random((3, 5 * PIECE // 8 + 7))
ARRAYS: dict[str, Array] = {
    "one number": np.array(3.0),
    "nothing": np.zeros((0, 4)),
    "booleans": RNG.random(70) < 0.5,
    "several pieces": RNG.random(3 * PIECE // 8 + 5),
    "columns first": RNG.random((700, 900)).T,
    "panels": RNG.random((300, 40, 64)).transpose(1, 0, 2),
    "long rows": WIDE[:, ::2],
    "repeated": np.broadcast_to(np.float32(2), (600, 900)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_its_bytes_in_order(name: str):
    array = ARRAYS[name]
    assert b"".join(each.tobytes() for each in runs(array)) == array.tobytes()


def test_has_every_array_at_its_place_and_zeros_between():
    arrays: list[tuple[int, Array]] = []
    expected, at = b"", 0
    for array in ARRAYS.values():
        arrays.append((at, array))
        data = array.tobytes()
        expected += data + bytes(-len(data) % ALIGNMENT)
        at = len(expected)
    block = ConstantBlock(tuple(reversed(arrays)))
    assert block.nbytes == len(expected)
    pieces = [piece.tobytes() for piece in block.pieces()]
    assert b"".join(pieces) == expected
    assert {len(piece) for piece in pieces[:-1]} == {PIECE}
    memory = block.in_memory()
    assert memory.tobytes() == expected
    assert memory.ctypes.data % ALIGNMENT == 0


def test_may_be_empty():
    assert ConstantBlock(()).nbytes == 0
    assert ConstantBlock(()).in_memory().size == 0
