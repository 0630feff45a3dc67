"""The search finds orders that hold, and the best ones where all can be tried."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from static_runtime.compiler.passes.order_search import (
    Work,
    better_order,
    may_be_lower,
)


def random_ops(seed: int, count: int) -> tuple[list[Work], list[int]]:
    """Ops of a random graph: each makes a buffer and reads some made before."""
    rng = random.Random(seed)
    sizes = [rng.choice((0, 1, 2, 8, 64, 100)) for _ in range(count)]
    ops: list[Work] = []
    for at in range(count):
        some = min(at, rng.choice((0, 1, 1, 2, 3)))
        read = frozenset(rng.sample(range(at), some))
        extra = rng.choice((0, 0, 0, 50))
        ops.append(Work(read, read | {at}, extra))
    return ops, sizes


def all_orders(ops: Sequence[Work], done: tuple[int, ...] = ()) -> Iterator[list[int]]:
    """Every order that the ops may have."""
    if len(done) == len(ops):
        yield [*done]
    for at, op in enumerate(ops):
        if at not in done and op.after <= {*done}:
            yield from all_orders(ops, (*done, at))


def peak_in(ops: Sequence[Work], sizes: Sequence[int], order: Sequence[int]) -> int:
    """The most bytes alive at one time in an order, as its definition says."""
    most = 0
    for place, at in enumerate(order):
        before = {each for op in order[: place + 1] for each in ops[op].buffers}
        after = {each for op in order[place:] for each in ops[op].buffers}
        live = sum(sizes[each] for each in before & after)
        most = max(most, live + ops[at].extra)
    return most


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("seed", range(60))
def test_no_order_is_better_than_the_one_found(seed: int):
    ops, sizes = random_ops(seed, 7)
    now = peak_in(ops, sizes, range(len(ops)))
    best = min(peak_in(ops, sizes, order) for order in all_orders(ops))
    found = better_order(ops, sizes)
    assert (found is None) == (best == now)
    assert may_be_lower(ops, sizes) or best == now
    if found is not None:
        assert peak_in(ops, sizes, found) == best


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("seed", range(20))
def test_an_order_of_many_ops_holds_and_is_lower(seed: int):
    ops, sizes = random_ops(seed, 150)
    found = better_order(ops, sizes)
    assert found == better_order(ops, sizes)
    if found is None:
        return
    assert sorted(found) == list(range(len(ops)))
    done: set[int] = set()
    for at in found:
        assert ops[at].after <= done
        done.add(at)
    assert peak_in(ops, sizes, found) < peak_in(ops, sizes, range(len(ops)))


def test_branches_are_done_one_after_the_other():
    """Each of eight branches is large, then small; the last op reads all of them."""
    large = [Work(frozenset(), frozenset({at})) for at in range(8)]
    small = [Work(frozenset({at}), frozenset({at, 8 + at})) for at in range(8)]
    ends = frozenset(range(8, 16))
    ops, sizes = [*large, *small, Work(ends, ends)], [100] * 8 + [1] * 8
    assert peak_in(ops, sizes, range(len(ops))) == 801
    assert may_be_lower(ops, sizes)
    found = better_order(ops, sizes)
    assert found is not None
    assert peak_in(ops, sizes, found) == 108


def test_what_is_alive_in_any_order_is_known_without_a_search():
    """A chain beside a buffer that its first op makes and its last op reads."""
    ops = [Work(frozenset(), frozenset({0, 1}))]
    ops += [Work(frozenset({at - 1}), frozenset({at, at + 1})) for at in range(1, 5)]
    ops.append(Work(frozenset({4}), frozenset({0, 5})))
    assert not may_be_lower(ops, [100, 1, 1, 50, 1, 1])
