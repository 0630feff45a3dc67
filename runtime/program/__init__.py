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
from .program_json import read_program, read_structure
from .size import Size, Symbols, evaluate, integer, symbols_in
from .structure import (
    ARRAY,
    CLASSES,
    CONSTANT,
    LEAVES,
    MAPPINGS,
    MOST_DEEP,
    NUMBER,
    SEQUENCES,
    STRUCTURE,
    Constant,
    Structure,
    Tree,
)

__all__ = [
    "ALIGNMENT",
    "ARRAY",
    "Bytes",
    "CLASSES",
    "CONSTANT",
    "CallOut",
    "Check",
    "Constant",
    "ConstantBlock",
    "GENERAL",
    "LEAVES",
    "MAPPINGS",
    "MOST_DEEP",
    "NUMBER",
    "PIECE",
    "Program",
    "SEQUENCES",
    "STRUCTURE",
    "Size",
    "Skip",
    "Slot",
    "Structure",
    "Symbols",
    "TensorInfo",
    "Tree",
    "Way",
    "check_symbols",
    "evaluate",
    "integer",
    "named",
    "read_program",
    "read_structure",
    "symbols_in",
]
