"""
Bytecode: a program as data, which an interpreter runs over kernels of a library.

An instruction is four words: an opcode, and the operands `a`, `b`, `c`. Registers hold
integers of 64 bits, the first the address of the context; kernels take their arguments
from registers that follow each other. `hostcode/interpreter.py` interprets it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.int64]

WIDTH = 4
"""Words of an instruction."""

CONTEXT, START = 0, 1
"""The registers that hold the address of the context, and where a run goes on."""

_MOST_REGISTERS = 1 << 22
"""Registers of a program, at most: 32 MiB."""


class Opcode(IntEnum):
    """What an instruction does; `r` is a register, and a number stands as it is."""

    RETURN = 0
    """Ends the run with the status `a`."""
    CONSTANT = 1
    """r[a] = b"""
    MOVE = 2
    """r[a] = r[b]"""
    LOAD = 3
    """r[a] = the word at r[b] + c"""
    LOAD_BYTE = 4
    """r[a] = the byte at r[b] + c"""
    STORE = 5
    """the word at r[b] + c = r[a]"""
    ADD = 6
    """r[a] = r[b] + r[c]"""
    SUBTRACT = 7
    """r[a] = r[b] - r[c]"""
    MULTIPLY = 8
    """r[a] = r[b] * r[c]"""
    DIVIDE = 9
    """r[a] = r[b] / r[c], rounded down; zero where r[c] is zero"""
    MINIMUM = 10
    """r[a] = the lesser of r[b] and r[c]"""
    MAXIMUM = 11
    """r[a] = the greater of r[b] and r[c]"""
    EQUAL = 12
    """r[a] = 1 where r[b] and r[c] are equal, else 0"""
    LESS = 13
    """r[a] = 1 where r[b] is less than r[c], else 0"""
    ADD_CAPPED = 14
    """r[a] = r[b] + r[c] of numbers from 0 to 2**62, or 2**62 where that is less"""
    MULTIPLY_CAPPED = 15
    """r[a] = r[b] * r[c] of such numbers, or 2**62 where that is less"""
    AND = 16
    """r[a] = the bits that r[b] and r[c] both have"""
    MOVE_IF = 17
    """r[a] = r[b] where r[c] is not zero"""
    JUMP_IF_ZERO = 18
    """Goes on at the instruction b where r[a] is zero."""
    JUMP = 19
    """Goes on at the instruction b."""
    POLL = 20
    """
    Counts r[a] points of loops off those that are left to a run; where none are, ends
    it with `PAUSED`, to go on at the next instruction.
    """
    CALL = 21
    """
    Runs the kernel `a` on the registers from b on; a status that is not zero ends the
    run, with `c` as the number of the call.
    """
    LOAD_HALF = 22
    """r[a] = the four bytes at r[b] + c, as a number that is not negative"""


_THREE = range(Opcode.ADD, Opcode.MOVE_IF + 1)
"""The ops on three registers."""
_READS_B = [
    *(Opcode.MOVE, Opcode.LOAD, Opcode.LOAD_BYTE, Opcode.LOAD_HALF),
    *(Opcode.STORE, Opcode.CALL, *_THREE),
]
_LOADS = [Opcode.LOAD, Opcode.LOAD_BYTE, Opcode.LOAD_HALF, Opcode.STORE]
_JUMPS = [Opcode.JUMP_IF_ZERO, Opcode.JUMP]
_NO_REGISTER_A = [Opcode.RETURN, Opcode.JUMP, Opcode.CALL]

_UNKNOWN = max(Opcode) + 1
"""Stands for what is no op."""


def _among(ops: Iterable[int]) -> npt.NDArray[np.bool_]:
    """A table of whether an op is among some, by its number; `_UNKNOWN` never is."""
    found = np.zeros(_UNKNOWN + 1, np.bool_)
    found[[*ops]] = True
    return found


_IS_OP, _HAS_B, _HAS_C = map(_among, ([*Opcode], _READS_B, _THREE))
_HAS_A = _IS_OP & ~_among(_NO_REGISTER_A)
_IS_LOAD, _IS_JUMP = map(_among, (_LOADS, _JUMPS))


def check_bytecode(
    code: Words, registers: int, arguments: Sequence[int], fields: int, calls: int
) -> None:
    """
    Raises `ValueError` unless each instruction is one, and works on registers, kernels,
    fields of a context and instructions that there are.

    `arguments` are how many each kernel takes, and `calls` how many calls there are
    numbers of. Addresses of memory are not known before
    the run, so that a program must come from who is trusted, as code must.
    """
    if code.size == 0 or code.size % WIDTH:
        raise ValueError(f"expected instructions of four words, got {code.size} words")
    if not START < registers <= _MOST_REGISTERS:
        raise ValueError(
            f"expected from {START + 1} to {_MOST_REGISTERS} registers, got {registers}"
        )
    table = code.reshape(-1, WIDTH)
    op, a, b, c = table.T
    kind = np.where(_within(op, _UNKNOWN), op, _UNKNOWN)
    counts = np.array([*arguments, 0], np.int64)
    is_call = op == Opcode.CALL
    known = np.clip(np.where(is_call, a, 0), 0, max(len(arguments) - 1, 0))
    in_context = _IS_LOAD[kind] & (b == CONTEXT)
    is_bad = (
        ~_IS_OP[kind]
        | (_HAS_A[kind] & ~_within(a, registers))
        | (_HAS_B[kind] & ~_within(b, registers))
        | (_HAS_C[kind] & ~_within(c, registers))
        | (_IS_JUMP[kind] & ~_within(b, len(table)))
        | (is_call & ~_within(a, len(arguments)))
        | (is_call & (b > registers - counts[known]))
        | (is_call & ~_within(c, calls))
        | (in_context & (~_within(c, 8 * fields) | (c % 8 != 0)))
        | ((op == Opcode.STORE) & (b != CONTEXT))
    )
    if is_bad.any():
        at = int(np.flatnonzero(is_bad)[0])
        raise ValueError(f"expected an instruction, got {table[at].tolist()} at {at}")
    if op[-1] not in (Opcode.RETURN, Opcode.JUMP):
        raise ValueError("expected a program that returns at its end, got another")


def _within(values: Words, count: int) -> npt.NDArray[np.bool_]:
    """Which values are indices below `count`."""
    return (values >= 0) & (values < count)
