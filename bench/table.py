"""
Say the figures as a table of Markdown, which `bench.document` puts into a document.

    python -m bench.table results.json
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from .peers import OTHERS, OURS, OURS_ELSE, REDUCED
from .results import GROUPS, Results, Row, Timing

WRONG = "≠"
"""Stands after the time of a peer whose result is not torch's."""


def percent(value: float | None) -> str:
    """A part of one, in full percent."""
    return "-" if value is None else f"{value:.0%}"


def number(value: float | None) -> str:
    """Three figures, or none."""
    if value is None:
        return "-"
    places = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{places}f}"


def time_of(timing: Timing | None, name: str = OURS) -> str:
    """
    The microseconds of a peer, with the error of one that need not be exact, and marked
    when its result is wrong.
    """
    if timing is None or timing.median is None:
        return "-"
    is_noted = name in (*OURS_ELSE, *REDUCED) and timing.error
    error = f" ({timing.error:.0e})" if is_noted else ""
    return number(timing.median) + error + ("" if timing.is_right else f" {WRONG}")


def heading(peers: Sequence[str]) -> str:
    """The first two lines of the table."""
    names = ["model", "threads", OURS, *peers, "ratio", "spread", "roofline"]
    return f"| {' | '.join(names)} |\n|{' --- |' * len(names)}"


def line(row: Row, peers: Sequence[str]) -> str:
    """A row of the table; the best peer is bold."""
    best = row.best[0] if row.best else None
    times = [time_of(row.timings.get(each), each) for each in peers]
    cells = [
        row.model,
        str(row.threads),
        time_of(row.timings.get(OURS)),
        *(
            f"**{time}**" if name == best else time
            for name, time in zip(peers, times, strict=True)
        ),
        number(row.ratio),
        percent(row.spread),
        percent(row.roofline),
    ]
    return f"| {' | '.join(cells)} |"


def peers_of(results: Results) -> list[str]:
    """The peers that were measured, in their order."""
    measured = {name for row in results.rows for name in row.timings}
    return [each for each in OTHERS if each in measured]


def failures(row: Row) -> list[str]:
    """What peers without times met."""
    return [
        f"{name}, {row.model}, threads {row.threads}: {timing.failure.splitlines()[0]}"
        for name, timing in row.timings.items()
        if timing.failure
    ]


def means(results: Results) -> list[str]:
    """A table of the geometric means of the ratios."""
    lines = ["| group | threads | geometric mean of the ratios | models |"]
    lines.append("|" + " --- |" * 4)
    for name, group in GROUPS.items():
        for threads in sorted({row.threads for row in results.rows}):
            mean = results.mean(group, threads)
            if mean is not None:
                value, count = mean
                lines.append(
                    f"| {name} | {threads} | {value:.2f} | {count} of {len(group)} |"
                )
    return lines


def conditions(results: Results) -> str:
    """The machine, the versions, the date, and what else ran."""
    versions = ", ".join(f"{name} {each}" for name, each in results.versions.items())
    others = [
        each
        for row in results.rows
        for timing in row.timings.values()
        for each in timing.others
    ]
    load = ""
    if others:
        most = sorted(others)[len(others) * 9 // 10]
        load = (
            f" Others used {statistics.median(others):.1f} cores meanwhile, and more "
            f"than {most:.1f} in a tenth of the bursts."
        )
    return f"{results.date}, {results.machine}: {versions}.{load}"


def table(results: Results) -> str:
    """The conditions, the rows, and the means."""
    peers = peers_of(results)
    rows = sorted(results.rows, key=lambda row: row.threads)
    return "\n".join(
        [
            conditions(results),
            "",
            heading(peers),
            *(line(row, peers) for row in rows),
            "",
            *means(results),
        ]
    )


def main(path: str) -> None:
    """Prints the table."""
    print(table(Results.read(Path(path))))


if __name__ == "__main__":
    main(*sys.argv[1:])
