"""Whatever sizes a model and its arrays have: refused in a sentence, or right."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent

PATIENCE = 900
"""Seconds after which a worker hangs, however busy the machine is."""


def verdicts(script: str, first: int, last: int) -> Counter[str]:
    """
    How often cases ended in which way, in a process of their own; fails for one that
    crashed it, hung, raised what is no error of ours, or gave another answer.
    """
    command = [sys.executable, str(HERE / script), str(first), str(last)]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        written, ended = run.stdout, f"{run.returncode}\n{run.stderr[-2000:]}"
    except subprocess.TimeoutExpired as error:
        written = (error.stdout or b"").decode()
        ended = f"a hang after {PATIENCE} s"
    lines: list[tuple[int, str]] = [json.loads(each) for each in written.splitlines()]
    begun = [seed for seed, what in lines if what == "begun"]
    ends = {seed: what for seed, what in lines if what != "begun"}
    assert ends.keys() == {*range(first, last)}, f"seed {begun[-1:]} ended in {ended}"
    wrong = {
        seed: what
        for seed, what in ends.items()
        if what not in ("refused", "answered", "equal")
    }
    assert not wrong
    return Counter(ends.values())


@pytest.mark.full(
    beside="dialects/graph/test_every_edge.py::test_is_refused_or_compiles"
)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("script", ["hostile_sizes.py", "hostile_text.py"])
def test_refused_or_right(script: str):
    found = verdicts(script, 0, 60)
    # It is a test of both: some sizes fit, and most of these do not.
    assert found["equal"] > 5
    assert found["refused"] > 20


@pytest.mark.soak
@pytest.mark.parametrize("script", ["hostile_sizes.py", "hostile_text.py"])
@pytest.mark.parametrize("first", range(1000, 11000, 1000))
def test_refused_or_right_for_long(script: str, first: int):
    assert verdicts(script, first, first + 1000)["equal"] > 50
