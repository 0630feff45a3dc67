"""Weights of few bits: how they are packed, and the products that read them so."""

from __future__ import annotations

from .words import STEP_BITS, WORD_BITS, makes_factor, multiplied, numbers, packed

__all__ = [
    "STEP_BITS",
    "WORD_BITS",
    "makes_factor",
    "multiplied",
    "numbers",
    "packed",
]
