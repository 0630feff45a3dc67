"""The generator of `graph.random_uniform` is Random123's, by its known answers."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.dialects.graph.ops.random_uniform import philox

ANSWERS = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (
        [0xFFFFFFFF] * 4,
        [0xFFFFFFFF] * 2,
        [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
    ),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
"""Counters, keys and results of philox4x32-10, as Random123 publishes them."""


@pytest.mark.parametrize(("counter", "key", "wanted"), ANSWERS)
def test_known_answers(counter: list[int], key: list[int], wanted: list[int]):
    words = [np.array([each], np.uint64) for each in counter]
    found = philox(words, [np.array([each], np.uint64) for each in key])
    assert [int(each[0]) for each in found] == wanted
