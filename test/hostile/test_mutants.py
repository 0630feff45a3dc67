"""
Whatever is changed in a model, a text, a file of weights or a cache: it is refused with
a sentence, or it computes what its ops say. No crash, no hang, no leak.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import IntegerAttr, i64

from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.dialects.graph import LoopOp
from static_runtime.runtime.machine.thread_pool import usable_threads

from .campaign import Campaign, findings, report
from .corpus import EVERY, mutant
from .outcome import Outcome
from .trial import has_open_stacks
from .worker import Task, Worker

pytestmark = [
    pytest.mark.usefixtures("runs_host"),
    pytest.mark.skipif(
        sys.platform != "linux", reason="counts what a process takes, as Linux tells it"
    ),
]

COUNTS = {
    **{"onnx": 80, "mlir": 120, "passes": 40},
    **{"edge": 80, "graph": 4},
    **{"sidecar": 60, "artifact": 12, "program": 300, "yaml": 200},
}
"""
Mutants of each kind in `make test-rest`, an eighth of them in `make test` where models
are compiled, else a quarter; `node` takes a while to begin with.
"""

PIECE = 500
EDGES = {"edge": 6, "node-edge": 42, "graph": 1}
"""Pieces of models whose structure stays valid, and of random graphs, in a soak."""

REACH = 0.42
"""How many of them reach the compiler, of 24,000: at least 10,000."""

HOUR = 3600.0
MANY = 100_000

ROUNDS = 5
GROWTH = 4 << 20
"""Bytes that a process may grow by while it tries the same mutants again."""

PER_MUTANT = 4096
"""Bytes that a process may grow by for each mutant, over thousands."""


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A worker of all tests here: to start one takes as long as a hundred mutants."""
    made = Worker(tmp_path_factory.mktemp("worker"))
    yield made
    made.stop()


def numbers() -> Iterator[Any]:
    """How many of each kind: few, and all."""
    for kind, most in COUNTS.items():
        yield kind, most // (8 if kind in ("onnx", "mlir", "edge") else 4)
        yield pytest.param(kind, most, marks=pytest.mark.full)


@pytest.mark.parametrize(("kind", "count"), [*numbers()])
def test_a_mutant_is_refused_or_computes_what_it_says(
    kind: str, count: int, tmp_path: Path, worker: Worker
):
    campaign = Campaign(tmp_path, [kind], full=20, running=[worker])
    campaign.run(1, float("inf"), count)
    assert not campaign.findings, "\n".join(findings(campaign))
    assert sum(campaign.outcomes.values()) == count
    # Some are found to be broken, and some are not; of a few all may be broken.
    is_few = kind in ("artifact", "graph") or count < 20
    assert len(campaign.outcomes) > 1 or is_few


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", ["onnx", "mlir"])
def test_the_same_mutants_again_take_no_more_memory(kind: str, worker: Worker):
    names = [each.name for each in worker.run(Task(kind, 0, 12, 10, ROUNDS))]
    assert len(names) == 12 * ROUNDS
    # First there is what is made once, such as the targets of LLVM.
    sizes = worker.sizes[-ROUNDS:]
    assert sizes[-1] - sizes[1] < GROWTH, sizes


def test_a_number_makes_a_mutant_again():
    for kind in COUNTS:
        one, other = mutant(kind, 7), mutant(kind, 7)
        assert one == other
        assert one.data != mutant(kind, 8).data or kind == "artifact"


LOOP = """
func.func @main(%c : tensor<i1>, %x : tensor<2xf32>) -> tensor<3x2xf32> {
  %0, %s = graph.loop %c, %x {
    trips = "3", carried = 1 : i64, scanned = 0 : i64, conditional = true,
    backward = array<i64: 0>
  } : tensor<i1>, tensor<2xf32> -> tensor<2xf32>, tensor<3x2xf32> {
  ^bb0(%y : tensor<2xf32>):
    %1 = graph.constant dense<true> : tensor<i1>
    graph.yield %1, %y, %y : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %s : tensor<3x2xf32>
}
"""


def test_what_an_ended_loop_leaves_undefined_is_not_compared():
    module = read_mlir(LOOP, context())
    assert has_open_stacks(module)
    (loop,) = (op for op in module.walk() if isinstance(op, LoopOp))
    loop.properties["carried"] = IntegerAttr(len(loop.outputs), i64)
    assert not has_open_stacks(module)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("what", ["crash", "hang", "slow"])
def test_what_ends_a_process_is_found(what: str, worker: Worker):
    names = (mutant("fault", number).made_of for number in count())
    number = next(at for at, name in enumerate(names) if name == what)
    tried = list(worker.run(Task("fault", number, 1, limit=0.5)))
    again = list(worker.run(Task("yaml", 0, 2)))
    assert [each.outcome.what for each in tried] == [what]
    assert all(isinstance(each.outcome, Outcome) for each in again)
    assert len(again) == 2


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "piece"),
    [(kind, piece) for kind, pieces in EDGES.items() for piece in range(pieces)],
)
def test_models_at_the_edges_compute_what_others_do(
    kind: str, piece: int, tmp_path: Path
):
    campaign, start = Campaign(tmp_path, [kind], piece * PIECE), time.monotonic()
    campaign.run(usable_threads(), float("inf"), PIECE)
    print(report(campaign, time.monotonic() - start))
    assert not campaign.findings, "\n".join(findings(campaign))
    refused = campaign.outcomes[f"{kind} refused"]
    assert PIECE - refused >= REACH * PIECE


@pytest.mark.soak
def test_mutants_for_an_hour(tmp_path: Path):
    campaign = Campaign(tmp_path, EVERY)
    start = time.monotonic()
    campaign.run(usable_threads(), HOUR, MANY)
    print(report(campaign, time.monotonic() - start))
    assert not campaign.findings, "\n".join(findings(campaign))
