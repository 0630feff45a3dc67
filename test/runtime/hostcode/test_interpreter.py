"""The interpreter computes as Python does, whatever the numbers of 64 bits."""

from __future__ import annotations

import operator
import platform
import struct
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from static_runtime.compiler.runtime_folder import interpreter_object
from static_runtime.runtime.abi import ContextLayout, ModelTable, Opcode, Words
from static_runtime.runtime.elf import read_object
from static_runtime.runtime.machine.interpreter import Interpreted

pytestmark = pytest.mark.usefixtures("runs_host")

NUMBERS = [0, 1, -1, 2, -2, 3, 7, -7, 2**31, -(2**31), 2**62, -(2**63), 2**63 - 1]
FIRST = ContextLayout.HEAD
"""The field of the context that tests write to."""


def run(code: Sequence[tuple[int, ...]], context: Words, registers: int) -> int:
    """Runs code on a context; its status."""
    words = np.array(code, np.int64).reshape(-1)
    head = {ModelTable.CONTEXT: context.size}
    data = Interpreted(words, registers, (), head, (), lambda _: ())
    made = data.link(interpreter_object(platform.machine()), {}, KeyError)
    memory = np.zeros(context.size + registers, np.int64)
    memory[: context.size] = context
    status = made.run(memory.ctypes.data)
    context[:] = memory[: context.size]
    return status


def quotient(a: int, b: int) -> int:
    """The quotient rounded down, or zero."""
    return a // b if b else 0


@pytest.mark.parametrize(
    ("op", "function"),
    [
        (Opcode.ADD, operator.add),
        (Opcode.SUBTRACT, operator.sub),
        (Opcode.MULTIPLY, operator.mul),
        (Opcode.DIVIDE, quotient),
        (Opcode.MINIMUM, min),
        (Opcode.MAXIMUM, max),
        (Opcode.EQUAL, operator.eq),
        (Opcode.LESS, operator.lt),
    ],
)
def test_arithmetic(op: Opcode, function: Callable[[int, int], int]):
    pairs = [(a, b) for a in NUMBERS for b in NUMBERS]
    code: list[tuple[int, ...]] = []
    for at, (a, b) in enumerate(pairs):
        code += [(Opcode.CONSTANT, 1, a, 0), (Opcode.CONSTANT, 2, b, 0)]
        code += [(op, 3, 1, 2), (Opcode.STORE, 3, 0, 8 * (FIRST + at))]
    context = np.zeros(FIRST + len(pairs), np.int64)
    assert run([*code, (Opcode.RETURN, 0, 0, 0)], context, 4) == 0
    wanted = [int(function(a, b)) & 2**64 - 1 for a, b in pairs]
    assert context[FIRST:].view(np.uint64).tolist() == wanted


def test_loads_and_jumps():
    data = np.array([5, 0x0102, -2], np.int64)
    context = np.zeros(FIRST + 3, np.int64)
    context[FIRST] = data.ctypes.data
    code = [
        (Opcode.LOAD, 1, 0, 8 * FIRST),
        (Opcode.LOAD, 2, 1, 0),
        (Opcode.LOAD_BYTE, 3, 1, 9),
        (Opcode.LOAD_HALF, 7, 1, 16),
        (Opcode.CONSTANT, 4, -1, 0),
        # From here on: five times r5 += r3.
        (Opcode.JUMP_IF_ZERO, 2, 9, 0),
        (Opcode.ADD, 5, 5, 3),
        (Opcode.ADD, 2, 2, 4),
        (Opcode.JUMP, 0, 5, 0),
        (Opcode.MOVE, 6, 5, 0),
        (Opcode.STORE, 6, 0, 8 * (FIRST + 1)),
        (Opcode.STORE, 7, 0, 8 * (FIRST + 2)),
        (Opcode.RETURN, 42, 0, 0),
    ]
    assert run(code, context, 8) == 42
    assert context[FIRST + 1 :].tolist() == [5, 2**32 - 2]


def test_the_object_of_other_machines_is_code_for_them():
    for machine in ("x86_64", "aarch64"):
        assert read_object(interpreter_object(machine)).machine == machine
    assert platform.machine() in ("x86_64", "aarch64")
    assert struct.calcsize("P") == 8
