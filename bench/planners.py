"""
Plan the memory of 79 real models with every planner, and compare with the lower bound.

    python -m bench.planners          what docs/memory.md shows
    python -m bench.planners --time   and the seconds that all plans took
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from static_runtime.runtime.planning import PLANNERS, Plan, Record, plan

ROOT = Path(__file__).resolve().parent.parent
TRACES = ROOT / "test" / "runtime" / "planning" / "glow_alloc_models.txt"


def traces() -> list[list[Record]]:
    """The records of each model: sizes in bytes, first and last step."""
    models: list[list[Record]] = []
    live: dict[str, tuple[int, int]] = {}
    step = alignment = 0
    for line in TRACES.read_text().splitlines():
        match line.split():
            case ["MODEL", *_]:
                models.append([])
                live, step = {}, 0
            case ["ALIGN", number]:
                alignment = int(number)
            case ["ALLOC", name, size]:
                rounded = -(-int(size) // alignment) * alignment
                live[name] = (rounded, step)
                step += 1
            case ["FREE", name]:
                size, first = live.pop(name)
                models[-1].append(Record(size, first, step - 1))
                step += 1
            case _:
                continue
    return models


def main(*options: str) -> None:
    """Prints a line for each planner."""
    models, timed = traces(), "--time" in options
    head = "| planner | at the lower bound | bytes over it, on average |"
    print(head + (" seconds |" if timed else ""))
    print("| --- | --- | --- |" + (" --- |" if timed else ""))
    for name in PLANNERS:
        start = time.perf_counter()
        plans: list[Plan] = [plan(records, name, 1) for records in models]
        seconds = time.perf_counter() - start
        best = sum(each.is_optimal for each in plans)
        over = sum(each.size / each.lower_bound - 1 for each in plans) / len(plans)
        end = f" {seconds:.2f} |" if timed else ""
        print(f"| `{name}` | {best} of {len(plans)} | {over:.1%} |{end}")


if __name__ == "__main__":
    main(*sys.argv[1:])
