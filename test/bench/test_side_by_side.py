"""The bench measures a tiny model, and says so in a table; times are not looked at."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import document, plot, side_by_side, table, worker
from bench.cases import Case, several
from bench.peers import OURS, PEERS, limit_of
from bench.results import Results, Row, Timing, spread_of
from bench.side_by_side import Plan, measure
from bench.work import Work, work_of

MODELS = Path(__file__).parents[1] / "models" / "onnx"

TINY = Plan((OURS, "absent"), rounds=2, milliseconds=2)


@pytest.fixture
def add16(tmp_path: Path) -> Case:
    """The sum of two vectors, with what it comes to."""
    case = Case(tmp_path, "add16")
    case.model.write_bytes((MODELS / "add16.onnx").read_bytes())
    x = np.arange(16, dtype=np.float32)
    case.keep([x, x + 1], [2 * x + 1])
    return case


def row(ours: float, errors: dict[str, float | None], **others: float) -> Row:
    """A row with these times."""
    timings = {
        name: Timing([time, time], [0.0, 0.5], errors.get(name, 0.0))
        for name, time in {OURS: ours, **others}.items()
    }
    return Row("lstm", 1, timings, Work(2_000, 8_000), (1e9, 2e9))


@pytest.mark.full(beside="test_a_worker_checks_the_result_and_times_bursts")
def test_a_row_has_figures_of_ours_and_the_failure_of_an_absent_peer(add16: Case):
    found = measure(add16, 1, TINY)
    ours, absent = found.timings[OURS], found.timings["absent"]
    assert len(ours.microseconds) == 2
    assert min(ours.microseconds) > 0
    assert ours.error == 0
    assert ours.failure is None
    assert absent.median is None
    assert absent.failure == "KeyError: 'absent'"
    assert found.ratio is None
    assert found.roofline is not None
    assert found.roofline > 0
    assert found.work == Work(16, 3 * 64)
    assert "| add16 | 1 |" in table.line(found, ["absent"])
    assert table.failures(found) == ["absent, add16, threads 1: KeyError: 'absent'"]


def test_a_process_that_ends_is_a_failure(add16: Case):
    with (
        (add16.folder / "log").open("wb") as file,
        side_by_side.start(OURS, add16, 1, file) as started,
    ):
        started.process.kill()
        started.process.wait()
        started.load()
        started.burst(1)
    assert started.timing.failure == "the process ended"
    assert started.timing.median is None


@pytest.mark.full(beside="test_a_worker_checks_the_result_and_times_bursts")
@pytest.mark.usefixtures("runs_host")
@pytest.mark.skipif(not hasattr(os, "waitid"), reason="no news of what is stopped")
def test_a_process_is_stopped_unless_it_is_its_turn(add16: Case):
    with (
        (add16.folder / "log").open("wb") as file,
        side_by_side.start(OURS, add16, 1, file) as started,
    ):
        for turn in (started.load, lambda: started.burst(1)):
            turn()
            # A signal that is sent may take its time: here it is waited for.
            news = os.waitid(os.P_PID, started.process.pid, os.WSTOPPED | os.WEXITED)
            assert news is not None
            assert news.si_status == signal.SIGSTOP
        assert started.timing.failure is None


def test_a_process_that_says_nothing_is_a_failure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(side_by_side, "LOAD_SECONDS", 0.01)
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        silent = side_by_side.Worker(process)
        silent.load()
        assert silent.timing.failure == "no answer in 0 s"
        assert process.wait() == -signal.SIGKILL


def answers(case: Case, peer: str, *commands: Any) -> list[dict[str, Any]]:
    """What a worker in this process says."""
    given = StringIO("".join(json.dumps(each) + "\n" for each in commands))
    said = StringIO()
    worker.answer_to(given, said, peer, case, 1)
    return [json.loads(each) for each in said.getvalue().splitlines()]


def test_a_worker_checks_the_result_and_times_bursts(add16: Case):
    first, second = answers(add16, OURS, {"milliseconds": 1})
    assert first == {"error": 0}
    assert second["microseconds"] > 0


def test_a_worker_says_what_a_peer_met(add16: Case, monkeypatch: pytest.MonkeyPatch):
    def broken(case: Case, threads: int):
        raise ValueError(f"expected no {case.name} on {threads}")

    monkeypatch.setattr(worker, "PEERS", {**PEERS, OURS: broken})
    assert answers(add16, OURS) == [{"failure": "ValueError: expected no add16 on 1"}]


def test_results_are_compared_with_those_of_torch(add16: Case):
    (wanted,) = add16.results()
    assert add16.error([wanted]) == 0
    assert add16.error([wanted + 31]) == 1
    assert add16.error([wanted[:-1]]) == float("inf")
    assert add16.error([wanted * np.float32("nan")]) == float("inf")
    assert add16.error([]) == float("inf")
    assert several(wanted)[0] is wanted


def test_the_best_peer_is_the_fastest_with_a_right_result():
    found = row(2.0, {"torch": 0.5}, onnxruntime=4.0, openvino=8.0, torch=1.0)
    assert found.best == ("onnxruntime", 4.0)
    assert found.ratio == 0.5
    assert table.line(found, ["onnxruntime", "openvino", "torch", "absent"]) == (
        "| lstm | 1 | 2.00 | **4.00** | 8.00 | 1.00 ≠ | - | 0.50 | 0% | 200% |"
    )


def test_ours_has_no_ratio_when_it_is_wrong():
    found = row(2.0, {OURS: 0.5}, onnxruntime=4.0)
    assert found.ratio is None
    assert "| 2.00 ≠ | **4.00** | - |" in table.line(found, ["onnxruntime"])


def test_the_spread_is_that_of_the_quartiles():
    assert spread_of([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)
    assert spread_of([1.0]) is None


def test_ratios_are_those_of_bursts_that_follow_each_other():
    """A machine that is at half its speed for a while changes neither figure."""
    timings = {
        OURS: Timing([1.0, 1.0, 2.0, 2.0, 2.0], error=0.0),
        "onnxruntime": Timing([2.0, 2.0, 4.0, 4.0, 4.0], error=0.0),
    }
    found = Row("lstm", 1, timings)
    assert (found.ratio, found.spread) == (0.5, 0.0)
    alone = Row("lstm", 1, {OURS: timings[OURS]})
    assert (alone.ratio, alone.spread) == (None, 0.5)


def test_results_come_back_from_a_file_and_keep_their_rows(tmp_path: Path):
    results, path = Results.here(), tmp_path / "new" / "results.json"
    results.add(row(2.0, {}, onnxruntime=4.0))
    results.write(path)
    assert Results.read(path) == results
    again = Results.here()
    again.resume(path)
    again.add(row(1.0, {}, onnxruntime=4.0))
    assert [each.ratio for each in again.rows] == [0.25]
    other = Results("another machine", again.versions, again.date)
    other.resume(path)
    assert other.rows == []


def test_a_document_gets_what_the_table_prints(tmp_path: Path):
    results = Results("some machine", {"numpy": "2"}, "2026-01-01")
    results.add(row(2.0, {}, onnxruntime=4.0))
    results.write(tmp_path / "results.json")
    path = tmp_path / "document.md"
    command = f"-m bench.table {tmp_path / 'results.json'}"
    begin, end = f"<!-- begin: python {command} -->", "<!-- end -->"
    path.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    document.main(str(path), "bench.table")
    text = document.shown(path.read_text())[command]
    assert text == table.table(results).strip()
    assert "2026-01-01, some machine: numpy 2. Others used 0.2 cores" in text
    assert "| models | 1 | 0.50 | 1 of 7 |" in text


def test_a_plot_is_the_same_for_the_same_results(tmp_path: Path):
    pytest.importorskip("matplotlib")
    results = Results("some machine", {}, "2026-01-01")
    results.add(row(2.0, {}, onnxruntime=4.0))
    paths = tmp_path / "one.svg", tmp_path / "two.svg"
    for path in paths:
        plot.draw(results, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def text_of(body: str, arguments: str, result: str) -> str:
    """A function of the graph dialect."""
    return f"func.func @main({arguments}) -> {result} {{{body}}}"


WORK = {
    "a contraction multiplies and adds": (
        """
        %w = graph.constant dense<0.5> : tensor<8x4xf32>
        %y = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
        return %y : tensor<2x4xf32>""",
        "%x: tensor<2x8xf32>",
        "tensor<2x4xf32>",
        Work(2 * 2 * 8 * 4, 4 * (2 * 8 + 8 * 4 + 2 * 4)),
    ),
    "of what is looked up the rows that a run can see": (
        """
        %w = graph.constant dense<0.5> : tensor<1000x4xf32>
        %y = graph.embedding %w, %x : tensor<1000x4xf32>, tensor<3xi64> -> """
        """tensor<3x4xf32>
        return %y : tensor<3x4xf32>""",
        "%x: tensor<3xi64>",
        "tensor<3x4xf32>",
        Work(0, 3 * 8 + 2 * 4 * 3 * 4),
    ),
    "a loop does its region so many times": (
        """
        %y = graph.loop %x, %w {trips = "5", carried = 1 : i64, scanned = 0 : i64, """
        """conditional = false, backward = array<i64>} : tensor<3xf32>, """
        """tensor<3xf32> -> tensor<3xf32> {
        ^bb0(%s: tensor<3xf32>, %v: tensor<3xf32>):
          %a = graph.mul %s, %v : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
          %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
          graph.yield %b : tensor<3xf32>
        }
        return %y : tensor<3xf32>""",
        "%x: tensor<3xf32>, %w: tensor<3xf32>",
        "tensor<3xf32>",
        Work(5 * 3 * 2, 3 * 3 * 4),
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_work_is_counted_from_the_loops_of_each_op(name: str, tmp_path: Path):
    *parts, wanted = WORK[name]
    path = tmp_path / "model.mlir"
    path.write_text(text_of(*parts))
    assert work_of(path) == wanted


def test_work_needs_fixed_sizes(tmp_path: Path):
    path = MODELS / "mlp_small_dynamic.onnx"
    with pytest.raises(ValueError, match="expected a model of fixed sizes, got"):
        work_of(path)
    case = Case(tmp_path, "dynamic")
    case.model.write_bytes(path.read_bytes())
    assert side_by_side.work_or_none(case) is None


def test_work_takes_the_longer_of_both_limits():
    assert Work(100, 10).seconds(10.0, 10.0) == 10
    assert Work(100, 1000).seconds(10.0, 10.0) == 100


def test_what_is_reduced_is_judged_by_a_limit_of_its_own_and_compared_with_its_like():
    def timed(time: float, peer: str, error: float) -> Timing:
        return Timing([time, time], [0.0, 0.0], error, limit=limit_of(peer))

    timings = {
        "openvino": timed(10.0, "openvino", 0.0),
        "ours-bf16": timed(4.0, "ours-bf16", 3e-3),
        "openvino-default": timed(8.0, "openvino-default", 1e-2),
    }
    reduced = Row("lstm", 1, timings)
    assert reduced.best == ("openvino-default", 8.0)
    assert reduced.ratio == 0.5
    text = table.line(reduced, ["openvino", "ours-bf16", "openvino-default"])
    assert "| - | 10.0 | 4.00 (3e-03) | **8.00 (1e-02)** | 0.50 |" in text
    exact = Row("lstm", 1, {OURS: timed(5.0, OURS, 0.0), **timings})
    assert exact.best == ("openvino", 10.0)
    assert exact.ratio == 0.5
    wrong = timed(1.0, "ours-bf16", 3e-2)
    assert not wrong.is_right


def test_fewer_products_are_compared_with_what_is_exact():
    def timed(time: float, peer: str, error: float) -> Timing:
        return Timing([time, time], [0.0, 0.0], error, limit=limit_of(peer))

    timings = {
        "openvino": timed(10.0, "openvino", 0.0),
        "ours-fast": timed(6.0, "ours-fast", 1e-6),
        "ours-fastest": timed(5.0, "ours-fastest", 2e-5),
        "openvino-default": timed(2.0, "openvino-default", 1e-2),
    }
    fewer = Row("unet", 1, timings)
    assert (fewer.ours, fewer.best, fewer.ratio) == ("ours-fast", ("openvino", 10), 0.6)
    text = table.line(fewer, ["openvino", "ours-fast", "ours-fastest"])
    assert "| - | **10.0** | 6.00 (1e-06) | 5.00 (2e-05) | 0.60 |" in text
    exact = Row("unet", 1, {OURS: timed(9.0, OURS, 0.0), **timings})
    assert (exact.ours, exact.ratio) == (OURS, 0.9)
    assert not timed(1.0, "ours-fastest", 2e-4).is_right
