"""
Count the outcomes of the public suites in the lists of docs/suites.

    python -m bench.suite_counts             the counts of all lists
    python -m bench.suite_counts onnx_nodes  why cases of one did not pass
"""

from __future__ import annotations

import sys

from .conformance.outcome import LISTS, read_list, reasons, table, whole


def main(name: str = "") -> None:
    """Prints a table."""
    if name:
        print(reasons(read_list(LISTS / f"{name}.txt")[1]))
        return
    paths = sorted(LISTS.glob("*.txt"))
    rows = {path.stem: read_list(path)[1] for path in paths}
    print(table(rows))
    samples = {name: each for name, each in rows.items() if name.startswith("opinfo")}
    if samples:
        print(f"\n{whole(samples)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
