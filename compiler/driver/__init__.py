"""From the IR of a model to an artifact: passes, machine code, description."""

from __future__ import annotations

from .describe import CALLS, constant_block, describe, program_of
from .driver import AfterPass, Driver, Lowered

__all__ = [
    "AfterPass",
    "CALLS",
    "Driver",
    "Lowered",
    "constant_block",
    "describe",
    "program_of",
]
