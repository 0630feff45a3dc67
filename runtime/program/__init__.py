"""A program as data: kernels, slots, sizes of symbols, and constants."""

from __future__ import annotations

from .constant_block import ALIGNMENT, PIECE, Bytes, ConstantBlock
from .program import (
    GENERAL,
    CallOut,
    Check,
    Program,
    Skip,
    Slot,
    TensorInfo,
    Way,
    check_symbols,
    named,
)
from .program_json import read_program
from .size import Size, Symbols, evaluate, integer, symbols_in

__all__ = [
    "ALIGNMENT",
    "Bytes",
    "CallOut",
    "Check",
    "ConstantBlock",
    "GENERAL",
    "PIECE",
    "Program",
    "Size",
    "Skip",
    "Slot",
    "Symbols",
    "TensorInfo",
    "Way",
    "check_symbols",
    "evaluate",
    "integer",
    "named",
    "read_program",
    "symbols_in",
]
