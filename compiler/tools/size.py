"""
`sr-size`: the bytes of a folder that runs models: of the runtime, and of the kernels of
its libraries by operator and dtype.

The bytes of a kernel that computes several operators are shared by them.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from ...runtime.files import atomic_file, error_line, followed
from ...runtime.library import KEY_FILE, LIBRARY_SUFFIX, Stored, read_about
from .output import leave_pipe

Row: TypeAlias = tuple[str, str]
"""An operator, and the dtypes of its kernel."""

_CHART_ROWS = 30
"""Rows of a chart."""


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-size", description=__doc__)
    made.add_argument("folder", type=Path, help="what sr-build wrote")
    made.add_argument(
        "--before",
        type=Path,
        metavar="DIR",
        help="another such folder to compare with, such as one of all kernels",
    )
    made.add_argument(
        "--svg", type=Path, metavar="FILE", help="a chart (needs matplotlib)"
    )
    return made


def _by_operator(kernels: Mapping[str, Stored]) -> dict[Row, float]:
    """The bytes of each operator and dtypes, the most first."""
    found: dict[Row, float] = {}
    for each in kernels.values():
        names = each.operators or ("",)
        for name in names:
            row = name, " ".join(each.dtypes)
            found[row] = found.get(row, 0) + each.bytes / len(names)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def libraries(folder: Path) -> dict[str, Mapping[str, Stored]]:
    """The kernels of the libraries of a folder, by their targets."""
    if not (folder / KEY_FILE).is_file():
        raise ValueError(f"expected a folder that sr-build wrote, got {folder}")
    paths = sorted(folder.glob(f"*{LIBRARY_SUFFIX}"))
    return dict(map(read_about, paths))


def table(rows: Mapping[Row, float], before: Mapping[Row, float] | None) -> list[str]:
    """The lines of a table, with what there was before."""
    head = ["operator", "dtypes", "bytes", *(["before"] if before is not None else [])]
    lines = [head]
    for row in rows if before is None else {**before, **rows}:
        numbers = [rows.get(row, 0.0)]
        numbers += [] if before is None else [before.get(row, 0.0)]
        lines.append([*row, *(f"{each:.0f}" for each in numbers)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _report(arguments: Namespace) -> None:
    """Prints the tables, and draws the chart."""
    after = libraries(arguments.folder)
    earlier = libraries(arguments.before) if arguments.before is not None else {}
    for target, kernels in after.items():
        known = earlier.get(target)
        total = sum(each.bytes for each in kernels.values())
        print(f"{target}: {len(kernels)} kernels, {total} bytes")
        if known is not None:
            least = sum(each.bytes for each in known.values())
            less = 100 * (1 - total / max(least, 1))
            print(f"before: {len(known)} kernels, {least} bytes; {less:.1f} % less")
        rows = _by_operator(kernels)
        print(*table(rows, None if known is None else _by_operator(known)), sep="\n")
        print()
    print(f"runtime: {_runtime_bytes(arguments.folder)} bytes")
    for path in sorted(arguments.folder.glob("*.sr")):
        print(f"{path.name}: {path.stat().st_size} bytes")
    if arguments.svg is not None:
        _draw({name: _by_operator(each) for name, each in after.items()}, arguments.svg)


def _runtime_bytes(folder: Path) -> int:
    """The bytes of the files of a folder that are neither libraries nor models."""
    others = (".sr", LIBRARY_SUFFIX, ".pyc")
    files = (each for each in folder.rglob("*") if each.suffix not in others)
    return sum(each.stat().st_size for each in files if each.is_file())


def _draw(tables: Mapping[str, Mapping[Row, float]], path: Path) -> None:
    """Writes a chart of the operators of each library, those with the most bytes."""
    try:
        matplotlib: Any = import_module("matplotlib")
    except ImportError as error:
        raise ValueError(
            "expected matplotlib for --svg, got none; pip install matplotlib"
        ) from error
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "size", "svg.fonttype": "none"})
    pyplot: Any = import_module("matplotlib.pyplot")
    rows = max([1, *(min(len(each), _CHART_ROWS) for each in tables.values())])
    figure, axes = pyplot.subplots(
        *(1, max(len(tables), 1)),
        squeeze=False,
        figsize=(6 * max(len(tables), 1), 1 + 0.25 * rows),
        layout="constrained",
    )
    for axis, (target, table) in zip(axes[0], tables.items(), strict=False):
        shown = list(table.items())[:_CHART_ROWS]
        axis.barh([" ".join(row) for row, _ in shown], [size for _, size in shown])
        axis.invert_yaxis()
        axis.set_xlabel(f"bytes of machine code, {target}")
    with atomic_file(followed(path)) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    try:
        _report(arguments)
    except BrokenPipeError:
        leave_pipe()
    except (ValueError, OSError) as error:
        sys.exit(f"sr-size: {error_line(error)}")
