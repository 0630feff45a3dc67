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
from .interpreter import BINARY
from .llvm import llvm_text
from .llvm_ops import Callee
from .prelude import interpreter_text, placing_text, pool_text
from .uniting import PLANNING

__all__ = [
    "ADDRESS",
    "BINARY",
    "BIT",
    "Block",
    "Builder",
    "Callee",
    "Function",
    "INT32",
    "NULL",
    "Op",
    "PLANNING",
    "Signature",
    "Value",
    "WORD",
    "interpreter_text",
    "llvm_text",
    "placing_text",
    "pool_text",
]
