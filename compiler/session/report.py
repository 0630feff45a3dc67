"""`CompileReport`: the times and the results of compiling a model."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import FileIO
from typing import NamedTuple

from ...runtime.library import Artifact, written_constants
from ...runtime.program import Size

NOTED = (
    *("ops_read", "ops", "kernels", "distinct_kernels"),
    *("planned_bytes", "lower_bound", "object_bytes", "operations"),
    *("foreign_calls", "fewer_products"),
)
"""What of a report an artifact keeps."""

MEMORY = "memory"
"""The note of an artifact on a program whose memory is checked."""

OPS_NOTE = "custom_ops"
"""The note of an artifact with digests of the ops of users, by their names."""

SPELLED_NOTE = "spelled_ops"
"""The note of an artifact with digests of the ops that spellings meant, or None."""

PACKAGES_NOTE = "custom_classes"
"""The note of an artifact with the packages of these ops, as selections name them."""

FUNCTIONS_NOTE = "functions"
"""The note of an artifact with the symbols of functions that are outside of it."""

NODES = "nodes"
"""The note of an artifact that says what the calls of a profiled program are."""


class FewerProducts(NamedTuple):
    """A convolution that is computed by fewer products than it has."""

    source: str
    """The op and the node of the model."""

    algorithm: str
    """Such as "F(4x4, 3x3)": the results of a tile, and the window."""

    error: float
    """
    How far results are from those of exact arithmetic, at most as is to be expected,
    relative to the largest, for inputs of random numbers (`docs/precision.md`).
    """


@dataclass(frozen=True)
class CompileReport:
    """What compiling a model took; times in seconds, sizes in bytes."""

    seconds: float
    """All of it, but for imports of frameworks."""

    warm: bool
    """Whether a compiled model was found on disk, so that nothing was compiled."""

    tier: str = "full"
    """What code answers: "full", or "fast-start" until the full code is there."""

    read_seconds: float = 0.0
    """The time of the front end."""

    passes: tuple[tuple[str, float], ...] = ()
    """Every pass that ran, in order, and its time."""

    code_seconds: float = 0.0
    """The time in which the text for LLVM was written."""

    keep_seconds: float = 0.0
    """The time in which the block of constants was made, and the model kept on disk."""

    ops_read: int = 0
    """Ops of the graph that compute something, as the front end built them."""

    ops: int = 0
    """As many as are left when loops are made of them, those in fusions too."""

    kernels: int = 0
    """Calls of kernels in the program."""

    distinct_kernels: int = 0
    """Kernels that differ, each compiled once."""

    foreign_calls: int = 0
    """Calls in the program that a framework runs."""

    fewer_products: tuple[FewerProducts, ...] = ()
    """Convolutions that `Options(algorithms=...)` lets have fewer products."""

    operations: Size = 0
    """Floating-point operations of all kernels, where they do not depend on data."""

    cached_kernels: int = 0
    """Objects that were on disk already."""

    llvm_seconds: float = 0.0
    """The time that was waited for LLVM, which works on several threads."""

    measured_kernels: int = 0
    """Contractions that were measured, since nothing was on disk of them."""

    changed_kernels: int = 0
    """As many of these as something else was faster for than what the rules chose."""

    tuning_seconds: float = 0.0
    """The time that measuring took, which is part of that of its pass."""

    planned_bytes: int = 0
    """The block of activations; 0 while that depends on symbols."""

    lower_bound: int = 0
    """The least that any plan needs for these values in this order."""

    constant_bytes: int = 0
    """The block of constants."""

    object_bytes: int = 0
    """Machine code."""

    def __post_init__(self) -> None:
        """Notes of an artifact, and of another process, have lists for tuples."""
        made = tuple(FewerProducts(*each) for each in self.fewer_products)
        object.__setattr__(self, "fewer_products", made)

    @property
    def pass_totals(self) -> tuple[tuple[str, int, float], ...]:
        """The passes by name: how often each ran, and its time in all."""
        return tuple(
            (name, len(times), sum(times))
            for name, times in _by_name(self.passes).items()
        )


def _by_name(passes: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """The times of each pass, in the order in which the passes first ran."""
    found: dict[str, list[float]] = {}
    for name, seconds in passes:
        found.setdefault(name, []).append(seconds)
    return found


def warm_report(artifact: Artifact, start: float) -> CompileReport:
    """The report of a model that was found."""
    return CompileReport(
        seconds=time.perf_counter() - start,
        warm=True,
        constant_bytes=artifact.constants.nbytes,
        **{name: artifact.notes[name] for name in NOTED},
    )


def with_constants(
    artifact: Artifact, report: CompileReport, file: FileIO
) -> tuple[Artifact, CompileReport]:
    """An artifact with the constants of its file, and a report with the time for it."""
    start = time.perf_counter()
    with file:
        artifact = replace(artifact, constants=written_constants(file))
    seconds = time.perf_counter() - start
    return artifact, replace(
        report,
        seconds=report.seconds + seconds,
        keep_seconds=report.keep_seconds + seconds,
    )
