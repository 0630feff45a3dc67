"""The figures of a run: rows, the machine they are from, and what follows from them."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .cases import TOLERANCE
from .peers import LIBRARIES, OURS, OURS_ELSE, OURS_REDUCED, REDUCED
from .work import Work

GROUPS = {
    "models": (
        *("resnet50", "mobilenet_v2", "bert_base", "minilm", "gpt2_block"),
        *("lstm", "gru"),
    ),
    "calls": ("add16", "sr_example", "mlp_small_b1", "deep_wide_b1"),
}
"""Models whose ratios are averaged: whole ones, and those that are next to no work."""


@dataclass
class Timing:
    """What one peer did."""

    microseconds: list[float] = field(default_factory=list[float])
    """The median of each burst."""

    others: list[float] = field(default_factory=list[float])
    """How many processors others used in each burst."""

    error: float | None = None
    """How far its result is from torch's; None when there is none."""

    failure: str | None = None
    """Why it has no times."""

    limit: float = TOLERANCE
    """How far its result may be from torch's."""

    @property
    def median(self) -> float | None:
        """The microseconds of a call; None for a peer that failed."""
        if self.failure is not None or not self.microseconds:
            return None
        return statistics.median(self.microseconds)

    @property
    def is_right(self) -> bool:
        """Whether the result is torch's."""
        return self.error is not None and self.error <= self.limit


def spread_of(values: Sequence[float]) -> float | None:
    """The distance of the quartiles, relative to the median; None of less than two."""
    if len(values) < 2:
        return None
    low, middle, high = statistics.quantiles(values, method="inclusive")
    return (high - low) / middle


@dataclass(frozen=True)
class Row:
    """One model on a number of threads."""

    model: str
    threads: int
    timings: dict[str, Timing]
    work: Work | None = None
    limits: tuple[float, float] | None = None
    """Operations and bytes a second, measured in the same rounds."""

    @property
    def ours(self) -> str:
        """Which of ours is compared: the usual one, unless there are only others."""
        found = (each for each in (OURS, *OURS_ELSE) if each in self.timings)
        return next(found, OURS)

    @property
    def best(self) -> tuple[str, float] | None:
        """The fastest of the peers with a right result, and its microseconds."""
        # What is exact is not compared with what is not.
        is_exact = self.ours != OURS_REDUCED
        apart = (OURS, *OURS_ELSE, *(REDUCED if is_exact else ()))
        times = [
            (timing.median, name)
            for name, timing in self.timings.items()
            if name not in apart and timing.is_right and timing.median is not None
        ]
        time, name = min(times, default=(0.0, ""))
        return (name, time) if name else None

    @property
    def ratios(self) -> list[float]:
        """
        Our time over that of the best peer, for each round; none without either.

        A machine that others share changes its speed from second to second. The bursts
        of a round follow each other, so that a change meets both of most pairs.
        """
        ours = self.timings.get(self.ours, Timing())
        if ours.median is None or not ours.is_right or self.best is None:
            return []
        theirs = self.timings[self.best[0]].microseconds
        pairs = zip(ours.microseconds, theirs, strict=True)
        return [one / other for one, other in pairs]

    @property
    def ratio(self) -> float | None:
        """Our time over that of the best peer, in the middle of the rounds."""
        return statistics.median(self.ratios) if self.ratios else None

    @property
    def spread(self) -> float | None:
        """The spread of the ratios; of our bursts where there are none."""
        ours = self.timings.get(self.ours, Timing())
        bursts = [] if ours.failure is not None else ours.microseconds
        return spread_of(self.ratios or bursts)

    @property
    def roofline(self) -> float | None:
        """
        The least time that the machine needs over ours; None for fewer bits than f32
        and for fewer products, whose limits are others.
        """
        if self.ours != OURS:
            return None
        ours = self.timings.get(self.ours, Timing()).median
        if ours is None or self.work is None or self.limits is None:
            return None
        return self.work.seconds(*self.limits) * 1e6 / ours


@dataclass
class Results:
    """All rows of one machine with the same versions."""

    machine: str
    versions: dict[str, str]
    date: str
    rows: list[Row] = field(default_factory=list[Row])

    @classmethod
    def here(cls) -> Results:
        """No rows yet, of this machine and today."""
        return cls(machine(), versions(), str(datetime.date.today()))

    @classmethod
    def read(cls, path: Path) -> Results:
        """What `write` wrote."""
        known: dict[str, Any] = json.loads(path.read_text())
        rows = [row_of(each) for each in known.pop("rows")]
        return cls(**known, rows=rows)

    def write(self, path: Path) -> None:
        """Keeps the results as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    def resume(self, path: Path) -> None:
        """Takes over the rows of a file, if it is there and of the same kind."""
        if path.exists():
            kept = Results.read(path)
            if (kept.machine, kept.versions) == (self.machine, self.versions):
                self.rows = kept.rows

    def add(self, row: Row) -> None:
        """Adds a row, or puts it where there was one of the same model."""
        for place, each in enumerate(self.rows):
            if (each.model, each.threads) == (row.model, row.threads):
                self.rows[place] = row
                return
        self.rows.append(row)

    def mean(self, group: Sequence[str], threads: int) -> tuple[float, int] | None:
        """The geometric mean of the ratios of a group, and of how many rows it is."""
        ratios = [
            row.ratio
            for row in self.rows
            if row.model in group and row.threads == threads and row.ratio is not None
        ]
        return (statistics.geometric_mean(ratios), len(ratios)) if ratios else None


def row_of(known: dict[str, Any]) -> Row:
    """A row, from JSON."""
    timings = {name: Timing(**each) for name, each in known.pop("timings").items()}
    work, limits = known.pop("work"), known.pop("limits")
    return Row(
        **known,
        timings=timings,
        work=Work(**work) if work else None,
        limits=(limits[0], limits[1]) if limits else None,
    )


def machine() -> str:
    """The processors of this machine in words."""
    from static_runtime.compiler.ir.target import find_target

    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(
            x.split(":")[1].strip() for x in lines if x.startswith("model name")
        )
    except (OSError, StopIteration):
        pass
    bits = find_target("host").lanes(32) * 32
    return f"{os.cpu_count()} cores of {name}, vectors of {bits} bits"


def versions() -> dict[str, str]:
    """The versions of what is installed of the libraries that matter."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
