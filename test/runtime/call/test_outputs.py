"""Arrays that share a byte are told from those that do not."""

import numpy as np
import pytest

from static_runtime.runtime.call.outputs import apart, overlap

ROOM = np.zeros(20, np.uint8)


@pytest.mark.parametrize("one", [(0, 4), (4, 8), (3, 9), (0, 20), (5, 5), (20, 20)])
@pytest.mark.parametrize("other", [(0, 4), (8, 12), (7, 8), (0, 0), (5, 6), (1, 19)])
def test_overlap_is_that_of_the_bytes(one: tuple[int, int], other: tuple[int, int]):
    a, b = ROOM[slice(*one)], ROOM[slice(*other)]
    shared = bool({*range(*one)} & {*range(*other)})
    assert overlap(a, b) == overlap(b, a) == shared


def test_only_inputs_that_share_memory_are_copied():
    inputs = [ROOM[:4], ROOM[4:8], np.zeros(4, np.uint8)]
    results = apart(inputs, [ROOM[6:10], ROOM[15:]])
    assert [result is each for result, each in zip(results, inputs)] == [
        True,
        False,
        True,
    ]
    assert not np.shares_memory(results[1], ROOM)
