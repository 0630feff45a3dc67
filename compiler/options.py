"""`Options`: what a user may choose of how a model is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from ..runtime.planning import PLANNERS
from ..runtime.thread_pool import is_supported, usable_threads
from .errors import CompileError

PRECISIONS = ("f32", "bf16")
"""How exactly a model may be computed."""


@dataclass(frozen=True)
class Options:
    """How a model is compiled; raises `CompileError` for a value that is not known."""

    planner: str = "conflict-driven"
    """How activations share memory: a name of `static_runtime.runtime.planning`."""

    cache: bool = True
    """Whether compiled code is kept on disk, and taken from there."""

    tune: bool = False
    """
    Whether contractions are measured on this machine, to choose how they are computed.
    What was found is kept on disk, and used again by what is compiled with this option.
    It takes some seconds a kernel, once. Bits do not depend on it.
    """

    threads: int | None = None
    """
    How many threads a run may use, and LLVM when the model is compiled; None for all
    that the process may run at once. Small kernels are run by the caller alone. Bits do
    not depend on it.
    """

    precision: str = "f32"
    """
    How exactly a model of f32 is computed: "f32" as it is; "bf16" with the weights of
    products rounded to bf16, which is half of their memory (`docs/precision.md`).
    """

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise CompileError(f"expected one thread or more, got {self.threads}")
        if self.planner not in PLANNERS:
            nearest = get_close_matches(self.planner, PLANNERS) or sorted(PLANNERS)
            raise CompileError(
                f"expected a planner like {', '.join(nearest)}, got {self.planner}"
            )

        if self.precision not in PRECISIONS:
            known = " or ".join(PRECISIONS)
            raise CompileError(f"expected a precision {known}, got {self.precision}")

    @property
    def usable_threads(self) -> int:
        """How many threads a run uses here."""
        if not is_supported():
            return 1
        return self.threads or usable_threads()

    @property
    def key(self) -> str:
        """What of the options the compiled code depends on."""
        names = ("planner", "precision", "tune")
        return " ".join(f"{each}={getattr(self, each)}" for each in names)
