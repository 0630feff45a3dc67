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

from .blocks import Blocks
from .function import is_number
from .types import Value

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
) -> list[Value]:
    """Writes so many steps from the one that the indices stand for; the totals."""
    w, values = blocks.w, blocks.host.values
    *_, last, _ = blocks.op.step.block.args
    at = values[last].text if last in values else "0"
    for number in range(count):
        if number:
            w.fence()
        blocks.let(last, w.add(at, str(number)))
        totals = step(w.add(flat, str(number)), totals)
    return list(totals)
