"""`CompileReport`: what compiling a model took, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CompileReport:
    """What compiling a model took; times in seconds, sizes in bytes."""

    seconds: float
    """All of it, but for imports of frameworks."""

    warm: bool
    """Whether a compiled model was found on disk, so that nothing was compiled."""

    passes: tuple[tuple[str, float], ...] = ()
    """Every pass that ran, in order, and its time."""

    kernels: int = 0
    """Calls of kernels in the program."""

    distinct_kernels: int = 0
    """Kernels that differ, each compiled once."""

    cached_kernels: int = 0
    """Objects that were on disk already."""

    llvm_seconds: float = 0.0
    """The time that LLVM took."""

    planned_bytes: int = 0
    """The block of activations; 0 while that depends on symbols."""

    lower_bound: int = 0
    """The least that any plan needs for these values in this order."""

    constant_bytes: int = 0
    """The block of constants."""

    object_bytes: int = 0
    """Machine code."""
