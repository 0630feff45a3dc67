"""What a builder makes computes what Python does, once LLVM has compiled it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from static_runtime.runtime.hostcode import ADDRESS, WORD, Builder, Signature
from static_runtime.runtime.hostcode.arithmetic import FOLDED
from static_runtime.runtime.hostcode.llvm import llvm_text
from static_runtime.runtime.machine.llvm_text import link_text

from .binary_ops import computed_and_folded

pytestmark = pytest.mark.usefixtures("runs_host")


def run(b: Builder, *arguments: int) -> int:
    """What a function that was built returns."""
    name = b.function.signature.name
    image = link_text(llvm_text([b.function]), [name])
    word = ctypes.c_int64
    function: Any = ctypes.CFUNCTYPE(word, *[word] * len(arguments))(image[name])
    return function(*arguments)


def words(*values: int) -> npt.NDArray[np.int64]:
    """Numbers in memory."""
    return np.array(values, np.int64)


@pytest.mark.parametrize("name", FOLDED)
def test_an_op_is_what_it_is_of_numbers_that_are_known(name: str):
    computed, folded = computed_and_folded(name, run, range(64))
    assert computed == folded


def test_numbers_are_computed_at_once():
    b = Builder(Signature("f", (WORD,), WORD))
    (x,) = b.parameters
    assert b.add(2, b.mul(3, 4)) == 14
    assert b.add(x, 0) is x
    assert b.mul(x, 1) is x
    assert b.both(True, b.eq(x, 3)) is b.eq(x, 3)
    assert b.either(True, b.eq(x, 3)) is True
    assert b.select(False, 1, x) is x
    assert b.leave_if(False, 3) is None
    assert len(b.function.body.ops) == 1


def test_an_op_is_built_once_where_its_operands_are():
    b = Builder(Signature("f", (WORD, WORD), WORD))
    x, y = b.parameters
    with b.loop(0, x, total=0) as each:
        product = b.mul(x, y)
        with b.when(b.lt(each.index, y), total=each.total) as small:
            small.total = b.add(each.total, b.mul(y, x))
        each.total = small.total
    assert product in b.function.body.ops
    b.leave(each.total)
    assert run(b, 5, 3) == 3 * 15
    assert run(b, 2, 3) == 2 * 6


def test_branches_and_loops_carry_values():
    b = Builder(Signature("collatz", (WORD,), WORD))
    with b.repeat(goes=True, at=b.parameters[0], steps=0) as turn:
        with b.when(b.eq(b.binary("and", turn.at, 1), 0), at=turn.at) as even:
            even.at = b.floordiv(turn.at, 2)
        with even.otherwise():
            even.at = b.add(b.mul(turn.at, 3), 1)
        turn.at = even.at
        turn.steps = b.add(turn.steps, 1)
        turn.goes = b.ne(even.at, 1)
    b.leave(turn.steps)
    assert run(b, 27) == 111


def test_values_that_are_carried_may_change_places():
    b = Builder(Signature("fibonacci", (WORD,), WORD))
    with b.loop(0, b.parameters[0], one=0, other=1) as each:
        each.one, each.other = each.other, b.add(each.one, each.other)
    b.leave(each.one)
    assert run(b, 10) == 55


def test_a_switch_takes_one_case_and_the_last_for_all_others():
    b = Builder(Signature("f", (WORD,), WORD))
    with b.switch(b.parameters[0], found=0) as switch:
        for number, found in ((3, 30), (-1, 10)):
            with switch.case(number):
                switch.found = found
        with switch.case(7):
            b.leave(70)
    b.leave(b.add(switch.found, 1))
    assert [run(b, each) for each in (3, -1, 7, 8)] == [31, 11, 70, 70]


def test_a_function_may_leave_from_anywhere():
    b = Builder(Signature("first", (ADDRESS, WORD, WORD), WORD))
    numbers, count, wanted = b.parameters
    b.go_unless(b.lt(0, count), "none")
    with b.loop(0, count) as each:
        b.leave_if(b.eq(b.load(b.at(numbers, each.index)), wanted), each.index)
    b.leave(-1)
    with b.exit("none"):
        b.leave(-2)
    data = words(4, 7, 9)
    assert run(b, data.ctypes.data, 3, 7) == 1
    assert run(b, data.ctypes.data, 3, 8) == -1
    assert run(b, 0, 0, 8) == -2


def test_memory_is_read_and_written_by_bytes():
    b = Builder(Signature("f", (ADDRESS,), WORD))
    (data,) = b.parameters
    table = b.table("numbers", 4, [5, 6, 2**31])
    b.store(b.load(b.at(table, 2, 4), width=4), data, 1)
    b.store(-1, data, 2, width=1)
    room = b.alloca(4)
    b.store(b.load(data, width=1), room, 3)
    b.leave(b.load(room, 3))
    memory = words(0x1234, 0, 0)
    assert run(b, memory.ctypes.data) == 0x34
    assert memory.tolist() == [0x1234, 2**31, 0xFF]
