"""An array grows in its buffer, and what was returned of it before stays as it is."""

from __future__ import annotations

import gc
import threading
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt
import pytest

from static_runtime.runtime.call.buffer import Buffer, buffer_of, capacity_for

Array = npt.NDArray[Any]


def filled(rows: int, room: int = 8) -> tuple[Buffer, Array]:
    """A buffer of some rows along the axis 1, and all of it."""
    past = np.arange(2.0 * rows * 3).reshape(2, rows, 3)
    buffer = Buffer((2, room, 3), np.float64, 1, past)
    return buffer, buffer.whole()


@pytest.mark.parametrize(
    ("rows", "room"), [(0, 64), (1, 64), (64, 64), (65, 128), (128, 128), (129, 256)]
)
def test_the_room_doubles(rows: int, room: int):
    assert capacity_for(rows) == room


def test_a_part_is_the_first_rows_and_may_not_be_written():
    buffer, whole = filled(4)
    part = buffer.part(whole, 4)
    assert part.shape == (2, 4, 3)
    np.testing.assert_array_equal(part, np.arange(24.0).reshape(2, 4, 3))
    with pytest.raises(ValueError, match="read-only"):
        part[0, 0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        part.flags.writeable = True


def test_the_buffer_of_a_part_is_found():
    buffer, whole = filled(4)
    part = buffer.part(whole, 4)
    buffer.part(whole, 2)
    for each in (part, part[:, :3], part[:], part.view()):
        assert (found := buffer_of(each)) is not None
        assert found[0] is buffer


def test_other_arrays_are_of_no_buffer():
    buffer, whole = filled(4)
    part = buffer.part(whole, 4)
    others = (
        part.copy(),
        part[:, 1:],
        part[1:],
        part[:, :, :2],
        part[:, ::2],
        part[:, ::-1],
        part.transpose(0, 2, 1),
        part.view(np.int64),
        part[0],
        np.zeros((2, 4, 3))[:, :2],
        np.array(1.0),
    )
    for each in others:
        assert buffer_of(each) is None, (each.shape, each.strides)


def test_rows_are_taken_once():
    buffer, _ = filled(4)
    assert not buffer.take(3, 1)
    assert not buffer.take(4, 5)
    assert buffer.take(4, 1)
    assert not buffer.take(4, 1)
    assert buffer.take(5, 3)
    assert buffer.take(8, 0)
    assert not buffer.take(8, 1)


def test_rows_that_nobody_saw_are_given_back():
    buffer, _ = filled(4)
    assert buffer.take(4, 2)
    buffer.give_back(4, 2)
    assert buffer.take(4, 1)
    # By then the rows are of another call.
    assert buffer.take(5, 1)
    buffer.give_back(4, 1)
    assert not buffer.take(4, 1)
    assert buffer.take(6, 1)


def test_of_many_threads_one_takes_rows():
    for _ in range(20):
        buffer, _ = filled(4)
        barrier, won = threading.Barrier(8), list[int]()

        def run(number: int):
            barrier.wait()
            if buffer.take(4, 1):
                won.append(number)

        threads = [threading.Thread(target=run, args=(each,)) for each in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(won) <= 1
        # Those who came together may all have found it busy, and have copied.
        assert buffer.take(5 if won else 4, 1)


def test_memory_goes_with_the_last_part():
    buffer, whole = filled(4)
    part, gone = buffer.part(whole, 4), ref(buffer)
    del buffer, whole
    assert gone() is not None
    enabled = gc.isenabled()
    gc.disable()
    try:
        del part
        assert gone() is None
    finally:
        if enabled:
            gc.enable()


def test_the_error_of_a_buffer_says_what_memory_was_for():
    with pytest.raises(MemoryError, match=r"a cache of shape \(1, 1125899906842624\)"):
        Buffer((1, 1 << 50), np.float64, 1, np.zeros((1, 0)))
