"""
The block of constants of a program, before it is anywhere: arrays and their offsets.

It is made a piece at a time, straight into the file that is mapped afterwards. So a
large model is copied once, and there is never a block of it besides that file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..abi import ALIGNMENT, aligned

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

PIECE = 2**20
"""Bytes of a piece: few enough to stay in a cache while they are summed up."""


@dataclass(frozen=True)
class ConstantBlock:
    """A block of bytes that arrays fill, each at its offset; zeros between them."""

    arrays: tuple[tuple[int, Array], ...]
    """Each with its offset in bytes."""

    @property
    def nbytes(self) -> int:
        """The size of the block."""
        end = max((at + array.nbytes for at, array in self.arrays), default=0)
        return aligned(end)

    def pieces(self) -> Iterator[Bytes]:
        """
        The bytes of the block in order, `PIECE` at a time, and fewer in the end.

        Each piece is overwritten by the next one.
        """
        piece, filled = np.zeros(PIECE, np.uint8), 0
        for run in self._runs():
            while run.size:
                part, run = run[: PIECE - filled], run[PIECE - filled :]
                piece[filled : filled + part.size] = part
                filled += part.size
                if filled == PIECE:
                    yield piece
                    filled = 0
        if filled:
            yield piece[:filled]

    def in_memory(self) -> Bytes:
        """The block in memory of its own."""
        room = np.empty(self.nbytes + ALIGNMENT, np.uint8)
        start = -room.ctypes.data % ALIGNMENT
        block, at = room[start : start + self.nbytes], 0
        for piece in self.pieces():
            block[at : at + piece.size] = piece
            at += piece.size
        return block

    def _runs(self) -> Iterator[Bytes]:
        """The bytes of the block in order, in runs of any length."""
        end = 0
        # What is empty may have the offset of another.
        for at, array in sorted(self.arrays, key=lambda each: (each[0], each[1].size)):
            assert at >= end, "constants do not overlap"
            yield np.zeros(at - end, np.uint8)
            yield from runs(array)
            end = at + array.nbytes
        yield np.zeros(self.nbytes - end, np.uint8)


def runs(array: Array) -> Iterator[Bytes]:
    """The bytes of an array in row-major order; a view is copied in parts."""
    if array.flags.c_contiguous or array.nbytes <= PIECE:
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return
    rows = PIECE // array[0].nbytes
    if rows < 2:
        for each in array:
            yield from runs(each)
    else:
        for start in range(0, len(array), rows):
            yield from runs(array[start : start + rows])
