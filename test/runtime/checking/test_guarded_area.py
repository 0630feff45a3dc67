"""An area knows whose each of its bytes is, and which of them changed."""

from __future__ import annotations

import numpy as np

from static_runtime.runtime.checking.guarded_area import Area, Shadow, first_run

A, B = ("activations", 0), ("activations", 1)


def test_bytes_belong_to_who_wrote_them_last():
    shadow = Shadow(100)
    shadow.give(10, 50, A)
    shadow.give(20, 30, B)
    shadow.give(60, 60, B)
    assert [*shadow.within(0, 60)] == [
        (0, 10, None),
        (10, 20, A),
        (20, 30, B),
        (30, 50, A),
        (50, 60, None),
    ]
    assert shadow.owner_at(25) == (B, 5)
    assert shadow.owner_at(30) == (A, 0)
    assert shadow.owner_at(9) is None
    assert shadow.owner_at(50) is None


def test_what_is_over_belongs_to_nobody():
    shadow = Shadow(40)
    shadow.give(0, 10, A)
    shadow.give(10, 20, B)
    shadow.drop(lambda owner: owner == A)
    assert [*shadow.gaps()] == [(0, 10), (20, 40)]


def test_the_first_run_of_true_elements():
    assert first_run(np.array([0, 0], bool)) is None
    assert first_run(np.array([0, 1, 1, 0, 1], bool)) == (1, 3)
    assert first_run(np.array([0, 1, 1], bool)) == (1, 3)


def test_bytes_that_change_beside_what_may_be_written_are_found():
    area = Area.of("x", 16)
    area.own(A, np.arange(4, dtype=np.int32))
    area.fill(0x7A)
    begin = area.end - 16
    area.content[4:8] = 255
    assert area.changed([(begin + 4, begin + 8)]) is None
    assert area.changed([(begin + 4, begin + 6)]) == (begin + 6, begin + 8)
    area.memory[area.end] = 0
    assert area.changed([(begin, area.end)]) == (area.end, area.end + 1)


def test_an_area_begins_at_a_vector_and_has_its_content():
    area = Area.of("x", 8)
    area.own(A, np.array([[1, 2]], np.int32))
    area.fill(0x7A)
    assert area.address % 64 == 0
    assert area.content.view(np.int32).tolist() == [1, 2]
    assert area.memory[area.end] == 0x7A
