"""The estimate of branches: what pays, and how works are distributed."""

import pytest
from xdsl.dialects.builtin import f32, i1
from xdsl.ir import Block

from static_runtime.compiler.cost import Work, distributed, pays, total, work_of
from static_runtime.dialects import tensor
from static_runtime.dialects.graph import (
    UNLIMITED,
    GraphOp,
    IfOp,
    LoopOp,
    MatmulOp,
    YieldOp,
)
from static_runtime.runtime.abi import GRAIN

SMALL = Work.of_kernel(GRAIN)
LARGE = Work.of_kernel(64 * GRAIN)


def chain(work: Work, count: int) -> Work:
    """Some kernels, one after the other."""
    return total([work], count)


def product(size: int) -> GraphOp:
    """The product of two squares."""
    square = tensor(f32, size, size)
    return MatmulOp(*Block(arg_types=[square, square]).args)


def test_threads_share_what_has_enough_work():
    assert SMALL.times == (SMALL.whole,) * 4
    alone, two, four, eight = LARGE.times
    assert alone > 1.8 * two > 3.4 * four > 6 * eight


@pytest.mark.parametrize(
    ("works", "expected"),
    [
        ([chain(SMALL, 50), chain(SMALL, 50)], True),
        ([chain(SMALL, 50)] * 5, True),
        # Threads share each of these kernels as well.
        ([chain(LARGE, 50), chain(LARGE, 50)], False),
        # One of the chains is nearly all.
        ([chain(SMALL, 50), chain(SMALL, 4)], False),
        # To begin takes longer.
        ([SMALL, SMALL], False),
        # One thread has the small kernels while another has the large ones.
        ([chain(SMALL, 64), LARGE], True),
    ],
)
def test_small_kernels_pay(works: list[Work], expected: bool):
    assert pays(works) is expected


def test_each_thread_gets_about_the_same():
    works = [chain(SMALL, count) for count in (5, 9, 4, 8, 1)]
    first, second = distributed(works, 2)
    # 9, 4, 1 against 8, 5.
    assert sorted(first) == [1, 2, 4]
    assert sorted(second) == [0, 3]
    assert [len(each) for each in distributed(works, 8)] == [1] * 5


@pytest.mark.parametrize(("trips", "times"), [(10, 10), (UNLIMITED, 64)])
def test_a_loop_is_as_long_as_its_trips(trips: int, times: int):
    square = tensor(f32, 32, 32)
    body = Block(arg_types=[square])
    inner = MatmulOp(body.args[0], body.args[0])
    body.add_ops([inner, YieldOp(inner)])
    loop = LoopOp.of(body, trips, carried=[Block(arg_types=[square]).args[0]])
    assert work_of(loop).whole == times * work_of(product(32)).whole


def test_a_choice_takes_the_shorter_way():
    square = tensor(f32, 32, 32)
    long, short = Block(arg_types=[square]), Block(arg_types=[square])
    inner = MatmulOp(long.args[0], long.args[0])
    long.add_ops([inner, YieldOp(inner)])
    short.add_op(YieldOp(short.args[0]))
    condition, value = Block(arg_types=[tensor(i1), square]).args
    assert work_of(IfOp.of(condition, [value], long, short)).whole == 0


def test_many_rows_read_a_weight_once():
    per_row = [
        work_of(
            MatmulOp(
                *Block(arg_types=[tensor(f32, rows, 64), tensor(f32, 64, 64)]).args
            )
        ).whole
        for rows in (1, 64)
    ]
    assert per_row[1] < 64 * per_row[0] / 2
