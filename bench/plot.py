"""
Draw how our time compares with that of the best peer, for each model.

    python -m bench.plot results.json out.svg

A bar per model and number of threads. On the left, on a logarithmic axis, those that
go to the left are faster than the peer; on the right is the part of the machine's limit
that is reached.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from .results import Results

COLORS = {1: "#3b6ea5", 2: "#8fb4d9"}


def draw(results: Results, path: Path) -> None:
    """Writes the plot as what the name of the file ends with."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    # The same figures make the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "bench", "svg.fonttype": "none"})
    pyplot: Any = import_module("matplotlib.pyplot")
    models = list(dict.fromkeys(row.model for row in results.rows))
    threads = sorted({row.threads for row in results.rows})
    height = 0.8 / max(len(threads), 1)
    figure, (ratios, rooflines) = pyplot.subplots(
        1, 2, sharey=True, figsize=(9, 1.2 + 0.3 * len(models)), layout="constrained"
    )
    for place, count in enumerate(threads):
        rows = [row for row in results.rows if row.threads == count]
        at = [models.index(row.model) + height * place for row in rows]
        color = COLORS.get(count, "#777777")
        label = f"{count} thread{'s' * (count > 1)}"
        ratios.barh(
            at, [(row.ratio or 1) - 1 for row in rows], height, left=1, color=color
        )
        reached = [row.roofline or 0 for row in rows]
        rooflines.barh(at, reached, height, color=color, label=label)
    middle = height * (len(threads) - 1) / 2
    ratios.set_yticks([number + middle for number in range(len(models))], models)
    ratios.invert_yaxis()
    ratios.set_xscale("log")
    ratios.axvline(1, color="black", linewidth=0.8)
    ratios.set_xlabel("our time over that of the best peer")
    rooflines.set_xlabel("part of the machine's limit that we reach")
    rooflines.set_xlim(0, max([1.0, *(row.roofline or 0 for row in results.rows)]))
    if results.rows:
        rooflines.legend(loc="lower right")
    figure.suptitle(f"{results.machine}, {results.date}", fontsize=9)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


if __name__ == "__main__":
    draw(Results.read(Path(sys.argv[1])), Path(sys.argv[2]))
