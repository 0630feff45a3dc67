"""A trace has an event for each call that ran, within that of its run."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.profiling import chrome_trace

from ..tracing.models import TURN
from .models import CHAIN, TRIPS

pytestmark = pytest.mark.usefixtures("runs_host")


def events(text: str, *arguments: Any, runs: int = 1) -> list[dict[str, Any]]:
    """The complete events of runs of a model; those that name threads come first."""
    module = sr.compile(text, options=sr.Options(threads=1))
    data = json.loads(chrome_trace(module, arguments, runs=runs))
    named, found = data["traceEvents"][:2], data["traceEvents"][2:]
    assert [each["name"] for each in named] == ["process_name", "thread_name"]
    assert all(each["ph"] == "M" for each in named)
    for each in found:
        assert each["ph"] == "X"
        assert min(each["dur"], each["ts"]) >= 0
        assert (each["pid"], each["tid"]) == (named[0]["pid"], named[0]["tid"])
    return found


def names(found: list[dict[str, Any]]) -> list[str]:
    """The names of events."""
    return [each["name"] for each in found]


def test_each_call_is_an_event_of_its_run():
    x, w = np.ones((5, 8), np.float32), np.ones((8, 8), np.float32)
    found = events(CHAIN, x, w, runs=2)
    assert names(found) == ["chain", "matmul_relu_0", "matmul_1", "matmul_1"] * 2
    assert found[0]["ts"] == 0
    assert found[1]["args"]["ops"] == ["graph.matmul at first", "graph.relu at clamp"]
    assert found[2]["args"]["operations"] == 2 * 5 * 8 * 8
    assert found[2]["args"]["bytes"] == 4 * (5 * 8 + 8 * 8 + 5 * 8)
    for run in (found[:4], found[4:]):
        whole, *calls = run
        end = whole["ts"]
        for each in calls:
            assert each["ts"] == pytest.approx(end)
            end = each["ts"] + each["dur"]
        assert end == pytest.approx(whole["ts"] + whole["dur"])
    assert found[4]["ts"] > found[3]["ts"]


def test_each_trip_of_a_loop_is_an_event():
    found = events(TRIPS, np.ones(4, np.float32))
    assert sum(each["cat"] == "exp" for each in found) == 5


def test_what_is_skipped_is_no_event():
    w = np.ones((4, 4), np.float32)
    assert "permute_0" not in names(events(TURN, np.ones((1, 7, 4), np.float32), w))
    assert "permute_0" in names(events(TURN, np.ones((2, 7, 4), np.float32), w))


def test_no_runs_are_refused():
    module = sr.compile(TRIPS)
    with pytest.raises(ValueError, match="expected one run or more, got 0"):
        chrome_trace(module, [np.ones(4, np.float32)], runs=0)
