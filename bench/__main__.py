"""
Measure the models of the suite side by side with the peers that are installed.

    make bench
    python -m bench resnet50 lstm --threads 1 --peers ours,onnxruntime --rounds 3

Numpy in and numpy out; each peer in a process of its own, in turns (`side_by_side.py`).
A peer that is not installed, or fails, has `-` in its place; one with another result
than torch has `≠`. The ratio is our time over that of the best peer with a right
result, in the middle of the rounds; the spread is between the quartiles of the rounds'
ratios; and the roofline is the least time of the machine for the operations and bytes
of the model over ours.

    python -m bench resnet50 --peers ours-bf16,openvino-default

measures what may compute with fewer bits: such a result is right within 2e-2, and its
error stands after its time. Where there is no peer of ours but this, the ratio is its.

    python -m bench unet --peers ours,ours-fast,ours-fastest,onnxruntime,openvino

measures convolutions of fewer products, with their errors, beside the exact ones.

    python -m bench --before ../another-checkout

measures this version and another one; the ratio is to that.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .cases import suite_case
from .peers import BEFORE, OTHERS, OURS, PEERS, USUAL
from .results import Results
from .side_by_side import Plan, measure
from .table import conditions, failures, heading, line, means


def arguments(
    args: Sequence[str] | None, usual: Sequence[str] = USUAL
) -> argparse.Namespace:
    """What is asked for on the command line, with the peers that are usual."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="of bench/suite; all by default")
    add("--threads", default="1,2", help="how many, one after the other (1,2)")
    add("--peers", default=",".join(usual), help="which (those of f32)")
    add("--before", type=Path, help="a checkout of another version, instead of peers")
    add("--rounds", type=int, default=15, help="bursts of each peer (15)")
    add("--ms", type=float, default=60.0, help="milliseconds of a burst (60)")
    add("--json", type=Path, help="a file for the results; rows there are kept")
    found = parser.parse_args(args)
    if found.before is not None:
        if not (found.before / "__init__.py").is_file():
            parser.error(f"expected a checkout of this project, got {found.before}")
        os.environ[BEFORE] = str(found.before.resolve())
        found.peers = f"{OURS},before"
    if unknown := [each for each in found.peers.split(",") if each not in PEERS]:
        parser.error(f"expected peers of {', '.join(PEERS)}, got {', '.join(unknown)}")
    if found.rounds < 1:
        parser.error(f"expected a round or more, got {found.rounds}")
    return found


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each model when it is measured, and the means at the end."""
    asked = arguments(args)
    from .suite import SUITE

    names: list[str] = asked.models or list(SUITE)
    if unknown := [each for each in names if each not in SUITE]:
        raise SystemExit(f"expected models of {', '.join(SUITE)}, got {unknown[0]}")
    plan = Plan(asked.peers.split(","), asked.rounds, asked.ms)
    others = [each for each in OTHERS if each in plan.peers]
    results = Results.here()
    if asked.json is not None:
        results.resume(asked.json)
    print(f"microseconds of a call; {OURS} beside {', '.join(others)}\n")
    print(heading(others), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            case = suite_case(name, Path(folder))
            for threads in map(int, asked.threads.split(",")):
                row = measure(case, threads, plan)
                results.add(row)
                print(line(row, others), flush=True)
                for each in failures(row):
                    print(each, file=sys.stderr, flush=True)
                if asked.json is not None:
                    results.write(asked.json)
            case.model.unlink()
    print("", *means(results), "", conditions(results), sep="\n")


if __name__ == "__main__":
    main()
