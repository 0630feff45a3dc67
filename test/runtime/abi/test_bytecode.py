"""Instructions are checked before they run: opcodes, registers, kernels, jumps."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.runtime.abi import Opcode, Words, check_bytecode

FIELDS, REGISTERS, ARGUMENTS, CALLS = 20, 8, (3, 2), 4

GOOD = [
    (Opcode.CONSTANT, 1, -5, 0),
    (Opcode.LOAD, 2, 0, 8),
    (Opcode.ADD, 3, 1, 2),
    (Opcode.JUMP_IF_ZERO, 3, 6, 0),
    (Opcode.CALL, 0, 5, 3),
    (Opcode.STORE, 3, 0, 152),
    (Opcode.RETURN, 0, 0, 0),
]


def words(instructions: list[tuple[int, ...]]) -> Words:
    """Instructions as words."""
    return np.array(instructions, np.int64).reshape(-1)


def check(code: Words, registers: int = REGISTERS) -> None:
    """Checks code of a program with these fields, kernels and calls."""
    check_bytecode(code, registers, ARGUMENTS, FIELDS, CALLS)


def test_takes_instructions():
    check(words([*GOOD]))


@pytest.mark.parametrize(
    ("at", "bad"),
    [
        (0, (max(Opcode) + 1, 0, 0, 0)),
        (0, (-1, 0, 0, 0)),
        (0, (Opcode.CONSTANT, 8, 0, 0)),
        (0, (Opcode.MOVE, 1, -1, 0)),
        (2, (Opcode.ADD, 3, 1, 8)),
        (1, (Opcode.LOAD, 2, 0, 160)),
        (1, (Opcode.LOAD, 2, 0, 4)),
        (1, (Opcode.LOAD_BYTE, 2, 0, -8)),
        (1, (Opcode.LOAD_HALF, 2, 0, 4)),
        (1, (Opcode.LOAD_HALF, 2, -1, 0)),
        (5, (Opcode.STORE, 3, 1, 8)),
        (5, (Opcode.STORE, 3, 0, -8)),
        (3, (Opcode.JUMP_IF_ZERO, 3, 7, 0)),
        (3, (Opcode.JUMP, 0, -1, 0)),
        (4, (Opcode.CALL, 2, 5, 3)),
        (4, (Opcode.CALL, 0, 6, 3)),
        (4, (Opcode.CALL, 0, 2**62, 3)),
        (4, (Opcode.CALL, 0, 5, 4)),
    ],
)
def test_refuses_what_is_not_there(at: int, bad: tuple[int, ...]):
    made: list[tuple[int, ...]] = [*GOOD]
    made[at] = bad
    with pytest.raises(ValueError, match=f"expected an instruction, got .* at {at}"):
        check(words(made))


def test_refuses_code_without_an_end():
    with pytest.raises(ValueError, match="returns at its end"):
        check(words([*GOOD[:3]]))
    with pytest.raises(ValueError, match="of four words, got 27"):
        check(words([*GOOD])[:-1])
    with pytest.raises(ValueError, match="of four words, got 0"):
        check(words([]))
    for registers in (0, 2**40):
        with pytest.raises(ValueError, match="registers, got"):
            check(words([*GOOD]), registers)


def test_a_kernel_is_never_called_without_its_arguments():
    made = [*GOOD]
    made[4] = (Opcode.CALL, 1, 6, 0)
    check(words(made))
    with pytest.raises(ValueError, match="at 4"):
        check_bytecode(words(made), REGISTERS, (), FIELDS, CALLS)
