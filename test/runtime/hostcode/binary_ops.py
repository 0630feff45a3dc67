"""Ops of two numbers, computed by a function that a builder made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from static_runtime.runtime.abi import LIMIT
from static_runtime.runtime.hostcode import ADDRESS, WORD, Builder, Signature
from static_runtime.runtime.hostcode.arithmetic import COMPARISONS, FOLDED

NUMBERS = [0, 1, -1, 2, -2, 3, 7, -8, 64, 2**31, 2**62, -(2**62), 2**63 - 1, -(2**63)]
"""Integers at which ops of 64 bits differ."""


class Run(Protocol):
    """Calls a function that was built."""

    def __call__(self, b: Builder, /, *arguments: int) -> int: ...


def operands_of(name: str, shifts: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of numbers that an op is defined for; one that shifts, by these bits."""
    pairs = [(x, y) for x in NUMBERS for y in NUMBERS]
    if name in ("shl", "lshr"):
        return [(x, y) for x in NUMBERS for y in shifts]
    if name.endswith("capped"):
        return [(x, y) for x, y in pairs if 0 <= x <= LIMIT and 0 <= y <= LIMIT]
    return pairs


def computed_and_folded(
    name: str, run: Run, shifts: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The results of an op on operands in memory, and what a builder folds it to."""
    pairs = operands_of(name, shifts)
    given = np.array(pairs, np.int64)
    found = np.zeros(len(pairs), np.int64)
    b = Builder(Signature("each", (ADDRESS, ADDRESS, WORD), WORD))
    numbers, results, count = b.parameters
    with b.loop(0, count) as each:
        one, other = (b.load(b.at(numbers, each.index, 16), at) for at in (0, 1))
        made = b.binary(name, one, other)
        made = b.select(made, 1, 0) if name in COMPARISONS else made
        b.store(made, b.at(results, each.index))
    b.leave(0)
    assert run(b, given.ctypes.data, found.ctypes.data, len(pairs)) == 0
    return found.tolist(), [int(FOLDED[name](x, y)) for x, y in pairs]
