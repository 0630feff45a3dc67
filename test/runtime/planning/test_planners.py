"""Every planner: known answers, plans that hold, and the lower bound on real models."""

import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from static_runtime.runtime.planning import (
    PLANNERS,
    Record,
    lower_bound,
    overlap,
    plan,
    shared_lower_bound,
)
from static_runtime.runtime.planning.greedy_by_breadth import order_by_breadth
from static_runtime.runtime.planning.shared_objects import positional_maxima

CHAIN = [Record(size, op, op + 1) for op, size in enumerate((16, 8, 64, 32, 8))]

COMPLEX = [
    Record(32, 0, 1),
    Record(32, 1, 4),
    Record(8, 2, 5),
    Record(16, 3, 5),
    Record(8, 4, 5),
    Record(64, 5, 7),
    Record(8, 6, 8),
    Record(8, 7, 8),
    Record(16, 8, 9),
]

# The offsets by size are the golden ones of TensorFlow Lite's memory planner. The other
# ones were worked out by hand from what the planners say they do.
GOLDEN = {
    ("naive", 1): [0, 16, 24, 88, 120],
    ("greedy-by-size", 1): [0, 64, 0, 64, 0],
    ("greedy-by-size", 8): [0, 64, 0, 64, 0],
    ("greedy-by-size", 128): [0, 128, 0, 128, 0],
    ("greedy-by-breadth", 1): [0, 64, 0, 64, 0],
    ("storage-groups", 1): [0, 64, 0, 64, 0],
    ("standard_resizing", 1): [0, 64, 0, 64, 0],
    ("precomputed_offsets", 128): [0, 128, 0, 128, 0],
    ("conflict-driven", 8): [0, 64, 0, 64, 0],
    ("conflict-driven", 128): [0, 128, 0, 128, 0],
}


@pytest.mark.parametrize(("planner", "alignment"), GOLDEN)
def test_offsets_of_a_chain(planner: str, alignment: int):
    made = plan(CHAIN, planner, alignment)
    assert [*made.offsets] == GOLDEN[planner, alignment]


@pytest.mark.parametrize("alignment", [1, 8])
def test_offsets_of_a_graph_with_branches(alignment: int):
    for planner in ("greedy-by-size", "conflict-driven"):
        made = plan(COMPLEX, planner, alignment)
        assert made.offsets == (0, 32, 80, 64, 88, 0, 64, 72, 0)
        assert made.size == made.lower_bound == 96


# The objects of each record of `COMPLEX`, and how large these are: the golden answers
# of TensorFlow Lite's planners of shared objects.
SHARED = {
    "in-order": ([0, 1, 0, 2, 3, 1, 3, 2, 0], [32, 64, 16, 8]),
    "equality": ([0, 1, 2, 3, 4, 5, 4, 2, 3], [32, 32, 8, 16, 8, 64]),
    "min-cost-flow": ([0, 1, 2, 0, 3, 1, 3, 2, 0], [32, 64, 8, 8]),
    "shared-greedy-by-breadth": ([0, 4, 2, 1, 3, 0, 2, 3, 1], [64, 16, 8, 8, 32]),
    "size-improved": ([1, 0, 2, 1, 3, 0, 1, 2, 0], [64, 32, 8, 8]),
}


@pytest.mark.parametrize("planner", SHARED)
def test_objects_of_a_graph_with_branches(planner: str):
    objects, sizes = SHARED[planner]
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    made = plan(COMPLEX, planner, 1)
    assert [*made.offsets] == [starts[number] for number in objects]
    assert made.size == sum(sizes) >= shared_lower_bound(COMPLEX)


@pytest.mark.parametrize("planner", SHARED)
def test_objects_of_a_chain(planner: str):
    made = plan(CHAIN, planner, 1)
    if planner == "equality":
        # The two records of 8 bytes share memory, and no others.
        assert made.offsets == (0, 16, 24, 88, 16)
    else:
        assert made.offsets == (0, 64, 0, 64, 0)
        assert made.size == shared_lower_bound(CHAIN) == 96


def test_by_size_alone_the_first_record_takes_the_place_of_the_second():
    made = plan(CHAIN, "shared-greedy-by-size", 1)
    assert (made.offsets, made.size) == ((64, 96, 0, 64, 96), 104)


def test_the_bound_of_shared_objects_is_of_the_largest_at_each_place():
    # Op 4 has 32, 16, 8 and 8 bytes, and op 5 has 64, 16, 8 and 8.
    assert positional_maxima(COMPLEX) == [64, 32, 8, 8]
    assert shared_lower_bound([]) == 0


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("part", range(4))
def test_no_shared_objects_are_smaller_than_their_bound(part: int):
    for seed in range(part, 100, 4):
        records = random_records(seed)
        bound = shared_lower_bound(records)
        assert lower_bound(records) <= bound
        for planner in (*SHARED, "shared-greedy-by-size"):
            assert plan(records, planner, 1).size >= bound


def test_a_flow_costs_the_least_there_is():
    """No other choice of what follows what costs less, as far as all can be tried."""
    rng = random.Random(2)
    for _ in range(60):
        firsts = sorted(rng.randrange(8) for _ in range(rng.randrange(1, 7)))
        records = [
            Record(rng.randrange(60), first, first + rng.randrange(4))
            for first in firsts
        ]
        assert flow_cost(records) == least_cost(records)


def flow_cost(records: list[Record]) -> int:
    """What the planner pays: each record its size, less what it finds there."""
    made = plan(records, "min-cost-flow", 1).offsets
    latest: dict[int, Record] = {}
    cost = 0
    # Objects of no bytes have the place of the next one, and cost nothing.
    for at, record in sorted(zip(made, records), key=lambda pair: pair[1].first):
        known = latest.get(at)
        is_free = known is not None and not overlap(known, record)
        cost += max(record.size - (known.size if known and is_free else 0), 0)
        latest[at] = record if record.size or known is None else known
    return cost


def least_cost(records: list[Record], used: frozenset[int] = frozenset()) -> int:
    """The least that the last records can cost, when some are followed already."""
    if not records:
        return 0
    *rest, last = records
    costs = [last.size + least_cost(rest, used)]
    for at, each in enumerate(rest):
        if at not in used and not overlap(each, last):
            more = max(last.size - each.size, 0)
            costs.append(more + least_cost(rest, used | {at}))
    return min(costs)


def test_very_many_records_are_shared_in_a_simpler_way(monkeypatch: pytest.MonkeyPatch):
    for name in ("min_cost_flow", "size_improved"):
        planner = import_module(f"static_runtime.runtime.planning.{name}")
        assert planner._MAX_RECORDS >= 1000
        monkeypatch.setattr(planner, "_MAX_RECORDS", 100)
    records = [Record(64 + at % 7, at, at + 3) for at in range(110)]
    assert plan(records, "min-cost-flow") == plan(records, "in-order")
    by_size = plan(records, "shared-greedy-by-size")
    assert plan(records, "size-improved") == by_size


def test_breadth_takes_the_fullest_op_first():
    # Op 5 holds 96 bytes, op 7 80 (and op 6 less), op 1 64, and op 8 32.
    assert order_by_breadth(COMPLEX) == [5, 3, 2, 4, 6, 7, 0, 1, 8]


def test_the_group_freed_last_is_taken_first():
    records = [Record(8, 0, 0), Record(8, 0, 1), Record(24, 2, 2), Record(8, 2, 2)]
    made = plan(records, "storage-groups", 1)
    # Record 2 takes the group of record 1, which was freed last, and makes it larger.
    assert made.offsets == (0, 8, 8, 0)
    assert made.size == 32


def test_a_conflict_is_resolved():
    records = [Record(3, 4, 4), Record(2, 2, 3), Record(3, 3, 4), Record(3, 0, 2)]
    # By size 0 comes before 2, which it lifts, and 1 finds no room between 3 and 2.
    assert plan(records, "greedy-by-size", 1).offsets == (0, 6, 3, 0)
    assert plan(records, "conflict-driven", 1).is_optimal


def random_records(seed: int) -> list[Record]:
    """Records of one of several characters: few or many, short or long, with zeros."""
    rng = random.Random(seed)
    ops, longest = rng.choice([(1, 1), (20, 20), (40, 3), (10**9, 10**8), (60, 8)])
    sizes = rng.choice([range(2), range(5), range(1, 2000), range(0, 10**12, 64)])
    return [
        Record(rng.choice(sizes), first, first + rng.randrange(longest))
        for first in (rng.randrange(ops) for _ in range(rng.randrange(60)))
    ]


def assert_holds(records: list[Record], offsets: tuple[int, ...], total: int):
    """Compares every record with every other, as `verify` does not."""
    places = [(at, at + record.size) for at, record in zip(offsets, records)]
    assert all(0 <= start <= end <= total for start, end in places)
    for i, (start, end) in enumerate(places):
        for j in range(i):
            together = max(records[i].first, records[j].first) <= min(
                records[i].last, records[j].last
            )
            shared = min(end, places[j][1]) - max(start, places[j][0])
            assert not together or shared <= 0, (i, j)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 150), marks=pytest.mark.full)], ids=str
)
@pytest.mark.parametrize("planner", PLANNERS)
def test_random_plans_hold(planner: str, seeds: Sequence[int]):
    for seed in seeds:
        records = random_records(seed)
        made = plan(records, planner, 1)
        assert_holds(records, made.offsets, made.size)
        assert made == plan(records, planner, 1)
        live = (
            sum(other.size for other in records if other.first <= op <= other.last)
            for op in {record.first for record in records}
        )
        assert made.lower_bound == max(live, default=0) <= made.size


@pytest.mark.parametrize(
    ("seeds", "least"), [(30, 2), pytest.param(150, 10, marks=pytest.mark.full)]
)
def test_conflicts_never_cost_more_than_greed(seeds: int, least: int):
    better = 0
    for seed in range(seeds):
        records = random_records(seed)
        by_conflict = plan(records, "conflict-driven", 1).size
        for planner in ("greedy-by-size", "greedy-by-breadth"):
            greedy = plan(records, planner, 1).size
            assert by_conflict <= greedy
            better += by_conflict < greedy
    assert better > least


def test_another_process_makes_the_same_plan():
    records = [record for seed in range(5) for record in random_records(seed)]
    code = (
        "from static_runtime.runtime.planning import Record, plan\n"
        f"print(plan({records}).offsets)"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.strip() == str(plan(records).offsets)


TRACES = Path(__file__).with_name("glow_alloc_models.txt")


def read_traces() -> Iterator[tuple[str, int, list[Record]]]:
    """The name, the alignment and the records of each model that Glow was traced on."""
    for text in re.split(r"^MODEL ", TRACES.read_text(), flags=re.MULTILINE)[1:]:
        name, *lines = text.splitlines()
        events = [line.split() for line in lines]
        alignment = next(int(event[1]) for event in events if event[0] == "ALIGN")
        events = [event for event in events if event[0] in ("ALLOC", "FREE")]
        freed = {event[1]: op for op, event in enumerate(events) if event[0] == "FREE"}
        yield (
            name,
            alignment,
            [
                Record(int(event[2]), op, freed[event[1]] - 1)
                for op, event in enumerate(events)
                if event[0] == "ALLOC"
            ],
        )


def test_conflict_driven_is_optimal_on_every_trace():
    traces = [*read_traces()]
    assert len(traces) == 79
    larger = [
        name
        for name, alignment, records in traces
        if not plan(records, "conflict-driven", alignment).is_optimal
    ]
    assert larger == []


def test_greedy_by_size_is_optimal_on_70_traces():
    traces = read_traces()
    plans = [plan(records, "greedy-by-size", size) for _, size, records in traces]
    assert sum(made.is_optimal for made in plans) == 70


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(("ops", "longest"), [(5000, 6), (1000, 10), (5000, 5000)])
def test_five_thousand_records_are_planned_well(ops: int, longest: int):
    rng = random.Random(0)
    firsts = [rng.randrange(ops) for _ in range(5000)]
    records = [
        Record(rng.randrange(64, 64_000, 64), first, first + rng.randrange(longest))
        for first in firsts
    ]
    made = plan(records)
    assert lower_bound(records) <= made.size <= 1.1 * made.lower_bound


def test_more_than_can_be_placed_one_by_one_is_planned(monkeypatch: pytest.MonkeyPatch):
    """A plan of very many records that meet is one of storage groups, and holds."""
    planner = import_module("static_runtime.runtime.planning.conflict_driven")
    monkeypatch.setattr(planner, "MEETINGS", 100)
    records = [Record(64, at, at + 20) for at in range(50)]
    assert plan(records) == plan(records, "storage-groups")
    few = [Record(64, at, at + 1) for at in range(50)]
    assert plan(few).is_optimal
