"""Measure cases beside another version or the peers, and print a row for each."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .__main__ import arguments
from .cases import Case
from .peers import OF_FILES, OTHERS
from .side_by_side import Plan, measure
from .table import failures, heading, line


def print_rows(
    makers: Mapping[str, Callable[[str, Path], Case]],
    args: Sequence[str] | None,
    peers: Sequence[str] = OF_FILES,
) -> None:
    """
    Prints a row for each case that the arguments name, or for all; a case is made of
    its name and a folder for its model. `peers` are measured unless others are named.
    """
    asked = arguments(args, peers)
    plan = Plan(asked.peers.split(","), asked.rounds, asked.ms)
    others = [each for each in OTHERS if each in plan.peers]
    print(heading(others), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, make in makers.items():
            if asked.models and name not in asked.models:
                continue
            row = measure(make(name, Path(folder)), 1, plan)
            print(line(row, others), flush=True)
            for each in failures(row):
                print(each, file=sys.stderr, flush=True)
