"""A program as data: kernels, slots, sizes of symbols, and constants."""

from __future__ import annotations

from .constant_block import PIECE, Bytes, ConstantBlock
from .growth import GROWTH, Cache, Growth
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
from .program_json import read_growth, read_program, read_structure
from .size import Size, Symbols, evaluate, integer, symbols_in
from .structure import (
    ARRAY,
    CLASSES,
    COMPLEX,
    CONSTANT,
    LEAVES,
    MAPPINGS,
    MOST_DEEP,
    NUMBER,
    RECORDS,
    SEQUENCES,
    STRUCTURE,
    TEXTS,
    Constant,
    Structure,
    Tree,
)

__all__ = [
    "ARRAY",
    "COMPLEX",
    "Bytes",
    "CLASSES",
    "CONSTANT",
    "Cache",
    "CallOut",
    "Check",
    "Constant",
    "ConstantBlock",
    "GENERAL",
    "GROWTH",
    "Growth",
    "LEAVES",
    "MAPPINGS",
    "MOST_DEEP",
    "NUMBER",
    "PIECE",
    "Program",
    "RECORDS",
    "SEQUENCES",
    "STRUCTURE",
    "Size",
    "Skip",
    "Slot",
    "Structure",
    "Symbols",
    "TEXTS",
    "TensorInfo",
    "Tree",
    "Way",
    "check_symbols",
    "evaluate",
    "integer",
    "named",
    "read_growth",
    "read_program",
    "read_structure",
    "symbols_in",
]
