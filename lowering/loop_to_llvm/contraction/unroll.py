"""
Write several steps of a tile in a row, each after the one before.

A step of 12 multiply-adds has 8 loads; a loop needs 5 instructions more, be it for one
step or for four. On a core of its own the loop hides behind the multiply-adds. Where
two hardware threads share a core, each may begin half as many instructions, and those
five took 10 to 25 % of the time (`docs/performance.md`).

Between steps stands a fence that no instruction comes of. Without it LLVM would load
for the next step early, and run out of registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from ..text.function import is_number
from ..text.types import Value
from .blocks import Blocks

UNROLL = 4
"""Steps in a row: with 8, registers are spilled."""


def unrolled(bound: str) -> Sequence[int]:
    """How many steps are written in a row, then how many of those left over."""
    if is_number(bound):
        for each in range(UNROLL, 1, -1):
            if int(bound) % each == 0:
                return (each,)
    return (UNROLL, 1)


def in_a_row(
    blocks: Blocks,
    flat: str,
    count: int,
    totals: Sequence[Value],
    step: Callable[[str, Sequence[Value]], Sequence[Value]],
    index: SSAValue | None = None,
) -> list[Value]:
    """
    Writes so many steps, of which the first has a number and a value of the index, if
    steps read one; the totals after them.
    """
    w = blocks.w
    at = "" if index is None else blocks.host.values[index].text
    for number in range(count):
        if number:
            w.fence()
        if index is not None:
            blocks.let(index, w.add(at, str(number)))
        totals = step(w.add(flat, str(number)), totals)
    return list(totals)
