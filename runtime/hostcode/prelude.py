"""The LLVM IR of the functions that no model decides on."""

from __future__ import annotations

from functools import cache

from .interpreter import interpreting
from .llvm import llvm_text
from .placing import placing
from .pool import pool_functions, pool_pause
from .rows import rows
from .uniting import planning


@cache
def placing_text() -> str:
    """What plans the slots of a call: `sr_plan_slots`, `sr_place`."""
    return llvm_text([*placing(), *planning()])


@cache
def interpreter_text() -> str:
    """The interpreter of bytecode, and what plans as bytecode call."""
    return llvm_text([*interpreting(), *placing(), *planning(), *rows()])


def pool_text(machine: str) -> str:
    """The pool of threads for a machine: x86_64 or aarch64."""
    return llvm_text(pool_functions(machine), pause=pool_pause(machine))
