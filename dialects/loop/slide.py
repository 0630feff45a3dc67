"""
Tell which elements the rows of a tile share: a sliding window, as of a convolution.

In a convolution, a row reads for the innermost k what the next row read a few k before.
Where rows are `a` elements apart and k are `b`, row `r` and `k` lead to the place
`(r * a + k * b) / gcd(a, b)`, and all with one place read one element.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from xdsl.dialects import arith
from xdsl.ir import Block, Operation

from .ops.memory import LoadOp
from .ops.tile import TileOp

_MOST_TAPS = 1 << 12
"""Taps of a window that is looked at; registers hold the places of a few rows."""


@dataclass(frozen=True)
class Slide:
    """How the places of a window follow from a row and the innermost k."""

    row: int
    """Places from one row to the next."""
    k: int
    """Places from one k to the next."""
    taps: int
    """How many k there are."""
    ops: frozenset[Operation]
    """The ops of the k-loop that compute one value for all with one place."""

    def place(self, row: int, k: int) -> int:
        """The place of a row and a k."""
        return row * self.row + k * self.k

    def places(self, rows: int) -> int:
        """How many places some rows have for all k."""
        return len({self.place(r, k) for r in range(rows) for k in range(self.taps)})

    def held(self, rows: int) -> int:
        """
        How many places, at most, are needed again of those that were read, if k goes
        up and takes all rows.
        """
        return _held(self.row, self.k, self.taps, rows)


@lru_cache(256)
def _held(by_row: int, by_k: int, taps: int, rows: int) -> int:
    of_k = [{r * by_row + k * by_k for r in range(rows)} for k in range(taps)]
    none = set[int]()
    return max(
        len(none.union(*of_k[: k + 1]) & none.union(*of_k[k:])) for k in range(taps)
    )


def find_slide(tile: TileOp) -> Slide | None:
    """The window that slides along the rows of a tile; None where no two share any."""
    taps = tile.sizes[-1] if len(tile.sizes) > 2 else 0
    if tile.schedule is not None or not isinstance(taps, int) or taps > _MOST_TAPS:
        return None
    block = tile.k_loop.block
    steps = {
        each: found
        for each in block.ops
        if isinstance(each, LoadOp) and (found := _steps(each, block)) is not None
    }
    if not steps:
        return None
    row, k = next(iter(steps.values()))
    if row >= taps:
        return None
    loads = {each for each, found in steps.items() if found == (row, k)}
    return Slide(row, k, taps, frozenset(_made_of(loads, block)))


def _steps(load: LoadOp, block: Block) -> tuple[int, int] | None:
    """The places that a load moves by row and by k, if it moves by both."""
    row, *_, k, _ = block.args
    at = load.at
    blocked = {e.index for e in (at.blocked, at.vnni) if e is not None}
    computed = at.is_computed_in(block)
    by_row, by_k = at.step(row), at.step(k)
    if computed or blocked & {row, k}:
        return None
    if by_row == by_k:
        return 1, 1
    if not (isinstance(by_row, int) and isinstance(by_k, int)) or min(by_row, by_k) < 1:
        return None
    unit = gcd(by_row, by_k)
    return by_row // unit, by_k // unit


def _made_of(loads: set[LoadOp], block: Block) -> set[Operation]:
    """Some loads, and the ops that compute of them, and of constants, alone."""
    found, constants = set[Operation](loads), set[Operation]()
    for op in block.ops:
        if isinstance(op, arith.ConstantOp):
            constants.add(op)
        elif op.results and op.operands and not isinstance(op, LoadOp):
            owners = {each.owner for each in op.operands}
            if owners & found and owners <= found | constants:
                found.add(op)
    return found
