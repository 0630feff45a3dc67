"""The LLVM IR of the functions that no model decides on."""

from __future__ import annotations

from functools import cache

from .function import Function
from .interpreter import interpreting
from .llvm import llvm_text
from .placing import placing
from .pool import pool_functions, pool_pause
from .rows import rows
from .uniting import planning


@cache
def placing_text() -> str:
    """What plans the slots of a call: `PLANNING`, and what these functions call."""
    return llvm_text([*placing(), *planning()])


def interpreter_functions() -> list[Function]:
    """The interpreter of bytecode, and what plans as bytecode call."""
    return [*interpreting(), *placing(), *planning(), *rows()]


@cache
def interpreter_text() -> str:
    """The text of these functions."""
    return llvm_text(interpreter_functions())


def pool_text(machine: str) -> str:
    """The pool of threads for a machine: x86_64 or aarch64."""
    return llvm_text(pool_functions(machine), pause=pool_pause(machine))
