"""Weights of few bits: how they are packed, and the products that read them so."""

from __future__ import annotations

from ..ops.round_blocks import RoundBlocksOp
from .panels import block_of, in_panels, multiplied_bytes
from .words import STEP_BITS, WORD_BITS, makes_factor, multiplied, numbers, packed

__all__ = [
    "RoundBlocksOp",
    "STEP_BITS",
    "WORD_BITS",
    "block_of",
    "in_panels",
    "makes_factor",
    "multiplied",
    "multiplied_bytes",
    "numbers",
    "packed",
]
