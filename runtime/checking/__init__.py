"""Checks of memory around the calls of kernels, for modules that ask for them."""

from __future__ import annotations

from .memory_check import MemoryChecks, MemoryFault
from .memory_notes import CheckedCall, MemoryNotes

__all__ = ["CheckedCall", "MemoryChecks", "MemoryFault", "MemoryNotes"]
