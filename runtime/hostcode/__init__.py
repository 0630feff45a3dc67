"""
The host level: what a call does besides kernels, written once for all who run it.

A `Builder` makes functions over 64-bit integers and addresses; `llvm_text` prints them.
"""

from __future__ import annotations

from .builder import Builder
from .function import (
    ADDRESS,
    BIT,
    INT32,
    NULL,
    WORD,
    Block,
    Function,
    Op,
    Signature,
    Value,
)
from .interpreter import BINARY, INTERPRET
from .llvm import llvm_text
from .llvm_ops import Callee
from .prelude import (
    interpreter_functions,
    interpreter_text,
    placing_text,
    pool_text,
)
from .rows import FACTOR, FIND, find_row, note_need
from .uniting import PLANNING

__all__ = [
    "ADDRESS",
    "BINARY",
    "BIT",
    "Block",
    "Builder",
    "Callee",
    "FACTOR",
    "FIND",
    "Function",
    "INT32",
    "INTERPRET",
    "NULL",
    "Op",
    "PLANNING",
    "Signature",
    "Value",
    "WORD",
    "find_row",
    "interpreter_functions",
    "interpreter_text",
    "llvm_text",
    "note_need",
    "placing_text",
    "pool_text",
]
