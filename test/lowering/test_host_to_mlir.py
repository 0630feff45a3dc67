"""What a builder makes computes the same once it is MLIR, by xDSL's interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from static_runtime.lowering.host_to_mlir import functions_to_mlir
from static_runtime.runtime.hostcode import ADDRESS, WORD, Builder, Signature
from static_runtime.runtime.hostcode.arithmetic import FOLDED

from ..runtime.hostcode.binary_ops import computed_and_folded
from .host_interpreter import Oracle


def half(number: int) -> int:
    """A function outside."""
    return number // 2


def run(b: Builder, *arguments: int) -> int:
    """What a function that was built returns."""
    module = functions_to_mlir([b.function])
    module.verify()
    oracle = Oracle(module, lambda name, arguments: 0, {"half": half})
    return oracle.call(b.function.signature.name, *arguments)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("name", FOLDED)
def test_an_op_is_what_it_is_of_numbers_that_are_known(name: str):
    computed, folded = computed_and_folded(name, run, (0, 1, 31, 63))
    assert computed == folded


def test_branches_and_loops_carry_values():
    b = Builder(Signature("collatz", (WORD,), WORD))
    with b.repeat(goes=True, at=b.parameters[0], steps=0) as turn:
        with b.when(b.eq(b.binary("and", turn.at, 1), 0), at=turn.at) as even:
            even.at = b.call(Signature("half", (WORD,), WORD), turn.at)
        with even.otherwise():
            even.at = b.add(b.mul(turn.at, 3), 1)
        turn.at = even.at
        turn.steps = b.add(turn.steps, 1)
        turn.goes = b.ne(even.at, 1)
    b.leave(turn.steps)
    assert run(b, 27) == 111


def test_a_function_may_leave_from_anywhere():
    b = Builder(Signature("first", (ADDRESS, WORD, WORD), WORD))
    numbers, count, wanted = b.parameters
    with b.loop(0, count) as each:
        b.leave_if(b.eq(b.load(b.at(numbers, each.index)), wanted), each.index)
    b.leave(-1)
    data = np.array([4, 7, 9])
    assert run(b, data.ctypes.data, 3, 7) == 1
    assert run(b, data.ctypes.data, 3, 8) == -1


def test_memory_is_read_and_written_by_bytes():
    b = Builder(Signature("f", (ADDRESS,), WORD))
    (data,) = b.parameters
    table = b.table("numbers", 4, [5, 6, 2**31 - 1])
    b.store(b.load(b.at(table, 2, 4), width=4), data, 1)
    b.store(-1, data, 2, width=1)
    room = b.alloca(4)
    b.store(b.load(data, width=1, is_volatile=True), room, 3)
    words = b.words(7, b.load(room, 3))
    b.leave(b.word(words, 1))
    memory = np.array([0x1234, 0, 0])
    assert run(b, memory.ctypes.data) == 0x34
    assert memory.tolist() == [0x1234, 2**31 - 1, 0xFF]


def test_what_only_machine_code_does_is_refused():
    b = Builder(Signature("f", (ADDRESS,), WORD))
    b.leave(b.atomic("load", "acquire", 8, b.parameters[0]))
    with pytest.raises(VerifyException, match=r"got atomic; .* \(-t llvm\)"):
        functions_to_mlir([b.function])
    b = Builder(Signature("f", (), ADDRESS))
    b.leave(b.outside("sr_marks"))
    with pytest.raises(VerifyException, match="got table"):
        functions_to_mlir([b.function])
    b = Builder(Signature("f", (WORD,), WORD))
    with b.forever():
        b.leave(0)
    with pytest.raises(VerifyException, match="got forever"):
        functions_to_mlir([b.function])
