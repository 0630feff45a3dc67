"""Records in branches, against the partial order of ops and all cliques of records."""

import random
from itertools import combinations

import pytest

from static_runtime.runtime.planning import (
    PLANNERS,
    BranchRow,
    OverlapError,
    Plan,
    Record,
    branches_of,
    in_branches,
    lower_bound,
    overlap,
    plan,
    plan_in_order,
    verify,
)

ROWS = [(1, 5, 2, 3), (1, 5, 4, 4)]
"""A fork from op 1 to 5, of a branch of ops 2 and 3, and one of op 4."""

Path = tuple[tuple[int, int], ...]
"""The forks that an op is in, each with the number of the branch."""


class Drawn:
    """A random program of series and branches, and values that it needs."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.paths: list[Path] = []
        self.rows: list[BranchRow] = []
        self.records: list[Record] = []
        self.series((), 0)

    def step(self, path: Path) -> int:
        """The next op."""
        self.paths.append(path)
        return len(self.paths) - 1

    def series(self, path: Path, depth: int) -> None:
        """Ops one after the other, some of them forks, and values that they use."""
        ops: list[tuple[int, int]] = []
        for _ in range(self.random.randint(1, 3)):
            begin = end = self.step(path)
            if depth < 3 and self.random.random() < 0.5:
                spans: list[tuple[int, int]] = []
                for number in range(self.random.randint(1, 3)):
                    first = len(self.paths)
                    self.series((*path, (begin, number)), depth + 1)
                    spans.append((first, len(self.paths) - 1))
                end = self.step(path)
                self.rows += [(begin, end, *span) for span in spans]
            ops.append((begin, end))
        for _ in range(self.random.randint(0, 3)):
            first = self.random.randrange(len(ops))
            last = self.random.randrange(first, len(ops))
            size = self.random.randint(0, 5)
            self.records.append(Record(size, ops[first][0], ops[last][1]))

    def is_ordered(self, one: int, other: int) -> bool:
        """Whether an op ends before another begins, in every run."""
        for a, b in zip(self.paths[one], self.paths[other], strict=False):
            if a != b:
                return a[0] != b[0] and one < other
        return one < other

    def is_before(self, a: Record, b: Record) -> bool:
        """Whether all ops of one value are before all ops of another."""
        return all(
            self.is_ordered(x, y)
            for x in range(a.first, a.last + 1)
            for y in range(b.first, b.last + 1)
        )


def heaviest(records: list[Record]) -> int:
    """The most bytes of records that all overlap each other."""

    def extended(bytes: int, rest: list[Record]) -> int:
        most = bytes
        for at, each in enumerate(rest):
            if bytes + sum(it.size for it in rest[at:]) <= most:
                break
            beside = [it for it in rest[at + 1 :] if overlap(each, it)]
            most = max(most, extended(bytes + each.size, beside))
        return most

    return extended(0, sorted(records, key=lambda each: -each.size))


@pytest.mark.sampled(every=20)
@pytest.mark.parametrize("seed", range(60))
def test_plans_hold_for_all_orders_of_branches(seed: int):
    drawn = Drawn(seed)
    records = in_branches(drawn.records, drawn.rows)
    assert [(it.size, it.first, it.last) for it in records] == [
        (it.size, it.first, it.last) for it in drawn.records
    ]
    apart = {
        (a, b): drawn.is_before(records[a], records[b])
        or drawn.is_before(records[b], records[a])
        for a, b in combinations(range(len(records)), 2)
    }
    for (a, b), expected in apart.items():
        assert overlap(records[a], records[b]) is not expected
        assert overlap(records[b], records[a]) is not expected
    assert lower_bound(records) == heaviest(records)
    plans = [plan(records, planner, 1) for planner in PLANNERS]
    if records:
        plans.append(plan_in_order(records, [range(len(records))], 1))
    for made in plans:
        for (a, b), expected in apart.items():
            ends = [made.offsets[it] + records[it].size for it in (a, b)]
            below = ends[0] <= made.offsets[b] or ends[1] <= made.offsets[a]
            assert expected or below or not records[a].size * records[b].size


def test_branches_have_a_number_in_either_order():
    first, second = branches_of(ROWS)
    # Op 4 comes before ops 2 and 3 where branches are reversed: they are 3, 4 and 2.
    assert (first.shift, second.shift) == (1, -2)
    assert first.parent is second.parent is None


def test_branches_need_memory_side_by_side():
    records = in_branches([Record(8, 2, 3), Record(4, 4, 4), Record(2, 0, 5)], ROWS)
    assert lower_bound(records) == 14
    assert plan(records, alignment=1).is_optimal
    # One after the other they would share it.
    assert lower_bound([Record(8, 2, 3), Record(4, 4, 4), Record(2, 0, 5)]) == 10


def test_a_value_that_leaves_a_branch_lives_as_long_as_the_fork():
    (record,) = in_branches([Record(8, 3, 6)], ROWS)
    assert (record.first, record.last, record.branch) == (1, 6, None)


def test_a_plan_in_which_branches_meet_is_refused():
    records = in_branches([Record(8, 2, 3), Record(4, 4, 4)], ROWS)
    with pytest.raises(
        OverlapError, match="they live in branches of one fork, got bytes 0 to"
    ):
        verify(records, Plan((0, 0), 8, 8))
    verify(records, Plan((0, 8), 12, 12))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(1, 5, 2, 3)], "expected branches that are all of the fork from op 1 to 5"),
        ([(1, 5, 2, 4), (1, 5, 4, 4)], "expected branches that are all of the fork"),
        ([*ROWS, (3, 6, 4, 5)], "expected a fork in one branch, got ops 3 to 6"),
        ([(0, 3, 1, 2), (2, 4, 3, 3)], "expected a fork in one branch, got ops 2 to 4"),
    ],
)
def test_branches_that_cannot_be_are_refused(rows: list[BranchRow], message: str):
    with pytest.raises(ValueError, match=message):
        branches_of(rows)
