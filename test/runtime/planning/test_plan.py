"""What a plan promises, and what `verify` and `plan` refuse."""

import pytest

from static_runtime.runtime.planning import (
    PLANNERS,
    OverlapError,
    Plan,
    Record,
    lower_bound,
    overlap,
    plan,
    verify,
)

RECORDS = [Record(8, 0, 2), Record(4, 1, 1), Record(8, 2, 3)]


def test_records_overlap_when_they_share_an_op():
    a, b, c = RECORDS
    assert overlap(a, b)
    assert overlap(b, a)
    assert overlap(a, c)
    assert not overlap(b, c)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ((-1, 0, 1), "expected a size of at least 0 bytes, got -1"),
        ((1, 3, 2), "expected an interval of ops that runs forward, got 3 to 2"),
    ],
)
def test_refuses_a_record_that_cannot_be(record: tuple[int, int, int], message: str):
    with pytest.raises(ValueError, match=message):
        Record(*record)


def test_the_lower_bound_is_the_fullest_op():
    assert lower_bound(RECORDS) == 16
    assert lower_bound([]) == 0


@pytest.mark.parametrize("offsets", [(0, 8, 8), (8, 0, 0), (8, 4, 0)])
def test_accepts_a_plan_that_holds(offsets: tuple[int, ...]):
    verify(RECORDS, Plan(offsets, 16, 16))


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        (
            (0, 4, 8),
            "expected records 0 and 1 to be apart, as both live at op 1, "
            "got bytes 0 to 8 and 4 to 8",
        ),
        (
            (4, 0, 8),
            "expected records 0 and 2 to be apart, as both live at op 2, "
            "got bytes 4 to 12 and 8 to 16",
        ),
        ((0, 8, 9), "record 2: expected to lie within bytes 0 to 16, got 9 to 17"),
        ((0, -1, 8), "record 1: expected to lie within bytes 0 to 16, got -1 to 3"),
    ],
)
def test_names_the_records_that_are_wrong(offsets: tuple[int, ...], message: str):
    with pytest.raises(OverlapError, match=f"^{message}$"):
        verify(RECORDS, Plan(offsets, 16, 16))


def test_finds_an_overlap_around_a_record_that_has_ended():
    records = [Record(64, 0, 9), Record(8, 0, 0), Record(0, 0, 9), Record(8, 1, 1)]
    verify(records, Plan((8, 0, 32, 0), 72, 72))
    with pytest.raises(OverlapError, match="records 0 and 3"):
        verify(records, Plan((8, 0, 32, 40), 72, 72))


def test_refuses_a_plan_of_other_records():
    with pytest.raises(ValueError, match=r"expected 3 offsets, .*, got 1"):
        verify(RECORDS, Plan((0,), 16, 16))


@pytest.mark.parametrize("planner", PLANNERS)
def test_rounds_sizes_up_to_the_alignment(planner: str):
    records = [Record(1, 0, 1), Record(65, 1, 2), Record(0, 0, 2), Record(64, 2, 3)]
    made = plan(records, planner)
    assert made.lower_bound == 192
    assert made.size in (192, 256)
    assert all(offset % 64 == 0 for offset in made.offsets)


@pytest.mark.parametrize("planner", PLANNERS)
def test_no_records_and_empty_records_need_no_memory(planner: str):
    assert plan([], planner) == Plan((), 0, 0)
    assert plan([Record(0, 0, 1), Record(0, 1, 1)], planner) == Plan((0, 0), 0, 0)


def test_refuses_a_planner_that_is_not_known():
    message = (
        "expected a planner among naive, greedy-by-size, greedy-by-breadth, "
        "storage-groups, in-order, equality, shared-greedy-by-size, "
        "shared-greedy-by-breadth, size-improved, min-cost-flow, conflict-driven, "
        "standard_resizing, precomputed_offsets, got 'greedy-size'; "
        r"did you mean greedy-by-size\?"
    )
    with pytest.raises(ValueError, match=message):
        plan(RECORDS, "greedy-size")


def test_refuses_an_alignment_of_nothing():
    with pytest.raises(ValueError, match="alignment of at least 1 byte, got 0"):
        plan(RECORDS, alignment=0)


def test_refuses_sizes_that_no_address_reaches():
    with pytest.raises(ValueError, match=rf"less than 2.*, got {2**63}"):
        plan([Record(2**62, 0, 0), Record(2**62 - 1, 0, 0)])
