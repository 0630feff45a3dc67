"""What became of the cases of a suite is noted, also where a process ends or hangs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.conformance import outcome
from bench.conformance.apart import STARTED, outcomes_of
from bench.conformance.outcome import (
    KINDS,
    LISTS,
    Outcome,
    counts,
    read_list,
    reasons,
    short,
    table,
    write_list,
)
from bench.document import ROOT, shown

PASSED = Outcome("passed")


def work(item: int, first: int) -> Iterator[tuple[str, Outcome]]:
    """Three cases for an item; one ends the process, another never comes to an end."""
    for number in range(first, 3):
        name = f"{item}.{number}"
        yield name, STARTED
        match name:
            case "1.1":
                os._exit(3)
            case "2.0":
                time.sleep(3600)
            case _:
                yield name, PASSED


@pytest.mark.sampled(every=2, start=1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_process_that_ends_or_hangs_is_replaced(jobs: int):
    found = dict(outcomes_of(["zero", "one", "two"], work, 2.0, jobs))
    expected = {f"{item}.{case}": PASSED for item in range(3) for case in range(3)}
    expected |= {"1.1": Outcome("crashed", "exit code 3")}
    expected |= {"2.0": Outcome("hung", "more than 2 s")}
    assert found == expected


def test_an_item_that_ends_its_process_between_cases_is_given_up():
    def ends(item: int, first: int) -> Iterator[tuple[str, Outcome]]:
        if item == 0:
            os._exit(1)
        yield "fine", PASSED

    found = dict(outcomes_of(["bad", "good"], ends, 60.0))
    assert found == {"bad::0": Outcome("crashed", "exit code 1"), "fine": PASSED}


OUTCOMES = {
    "b": Outcome("refused", "Op (a | b)"),
    "a": PASSED,
    "c": Outcome("refused", "Op (a | b)"),
    "d": Outcome("wrong"),
}


def test_a_list_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(outcome, "LISTS", tmp_path / "lists")
    assert read_list(write_list("suite", "a suite", OUTCOMES)) == ("a suite", OUTCOMES)


def test_a_reason_does_not_say_where_the_project_is():
    assert short(f"at {ROOT}/bench/a.py:1\n  (op)") == "at bench/a.py:1 (op)"
    assert short("x" * 161) == f"{'x' * 160}..."


def test_outcomes_are_counted():
    numbers = counts(OUTCOMES.values())
    assert numbers == {**dict.fromkeys(KINDS, 0), "passed": 1, "refused": 2, "wrong": 1}
    assert "| suite | 4 | 1 | 2 | 1 | 0 | 0 | 0 | 0 |" in table({"suite": OUTCOMES})
    _, _, *lines = reasons(OUTCOMES).splitlines()
    assert lines == [r"| refused | Op (a \| b) | 2 |", "| wrong |  | 1 |"]


def test_the_page_has_the_counts_of_the_lists():
    page = shown((ROOT / "docs" / "suites.md").read_text())
    rows = {path.stem: read_list(path)[1] for path in sorted(LISTS.glob("*.txt"))}
    assert page["-m bench.suite_counts"].startswith(table(rows))
    found = page["-m bench.suite_counts onnx_nodes"]
    assert found == reasons(rows["onnx_nodes"])
