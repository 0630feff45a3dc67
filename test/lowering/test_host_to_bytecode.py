"""A program as bytecode does what it does as machine code: calls, branches, errors."""

from __future__ import annotations

import inspect
import itertools
import signal
from typing import Any

import numpy as np
import onnx.parser
import pytest

import static_runtime as sr
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.session.errors import CompileError

from ..compiler.library.replay import check_equal, replay
from ..compiler.tracing.models import BRANCH, LOOP, MIXED, TURN
from ..models.open_models import BLOCK, CHAIN, GROWN, OpenModel
from ..runtime.texts import RUNNING, without_kernels
from .program_to_host.test_polls import Rung, handled, sent_when_running

pytestmark = pytest.mark.usefixtures("runs_host")

GENERATOR = np.random.default_rng(12)


def floats(*shape: int) -> Any:
    """Random numbers."""
    return GENERATOR.standard_normal(shape).astype(np.float32)


COMPRESS = onnx.parser.parse_model("""
<ir_version: 10, opset_import: ["" : 20]>
g (float[n] x, bool[n] m) => (float[k] y, float s) {
  y = Compress<axis = 0>(x, m)
  s = ReduceSum<keepdims = 0>(y)
}""").SerializeToString()

SCAN = """
func.func @scan(%h: tensor<3xf32>, %xs: tensor<?x3xf32, ["seq"]>, %w: tensor<3xf32>)
    -> (tensor<3xf32>, tensor<?x3xf32, ["seq"]>) {
  %0, %1 = graph.loop %h, %xs, %w {trips = "seq", carried = 1 : i64,
    scanned = 1 : i64, conditional = false, backward = array<i64: 1, 0>}
    : tensor<3xf32>, tensor<?x3xf32, ["seq"]>, tensor<3xf32>
    -> tensor<3xf32>, tensor<?x3xf32, ["seq"]> {
  ^bb0(%a: tensor<3xf32>, %x: tensor<3xf32>, %b: tensor<3xf32>):
    %2 = graph.mul %x, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %3 = graph.add %a, %2 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %3, %2 : tensor<3xf32>, tensor<3xf32>
  }
  return %0, %1 : tensor<3xf32>, tensor<?x3xf32, ["seq"]>
}
"""

WHILE = """
func.func @while(%c: tensor<i1>, %n: tensor<i64>) -> tensor<i64> {
  %0 = graph.loop %c, %n {trips = "9223372036854775807", carried = 1 : i64,
    scanned = 0 : i64, conditional = true, backward = array<i64>}
    : tensor<i1>, tensor<i64> -> tensor<i64> {
  ^bb0(%i: tensor<i64>):
    %1 = graph.add %i, %i : tensor<i64>, tensor<i64> -> tensor<i64>
    %2 = graph.gt %1, %i : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %2, %1 : tensor<i1>, tensor<i64>
  }
  return %0 : tensor<i64>
}
"""

GATHER = """
func.func @gather(%x: tensor<?x4xf32, ["n"]>, %i: tensor<3x4xi64>) -> tensor<3x4xf32> {
  %0 = graph.exp %x : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
  %1 = graph.gather %0, %i {axis = 0 : i64, wraps = true}
    : tensor<?x4xf32, ["n"]>, tensor<3x4xi64> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
"""


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize(
    ("model", "inputs"),
    [
        (BRANCH, [(True, floats(3, 4)), (False, floats(1, 4)), (True, floats(0, 4))]),
        (SCAN, [(floats(3), floats(n, 3), floats(3)) for n in (4, 1, 0)]),
        (WHILE, [(True, 3), (False, 3)]),
        (COMPRESS, [(floats(4), np.arange(4) % n == 0) for n in (1, 2, 5)]),
        (LOOP, [(True, 5), (False, 5), (True, -4)]),
        (MIXED, [(floats(2, 3), 2.5, np.array([1, 2, 3]))]),
        (TURN, [(floats(1, 7, 4), floats(4, 4)), (floats(3, 7, 4), floats(4, 4))]),
        (
            GATHER,
            [
                (floats(9, 4), np.full((3, 4), -9)),
                (floats(1, 4), np.zeros((3, 4), "q")),
            ],
        ),
    ],
)
def test_computes_what_machine_code_does(model: Any, inputs: Any):
    module, known = replay(model), sr.compile(model, target=isa_name("host"))
    for _ in range(2):
        for each in inputs:
            check_equal(module(*each), known(*each))


def test_an_error_names_the_same_op_with_the_same_numbers():
    module, known = replay(GATHER), sr.compile(GATHER, target=isa_name("host"))
    said: list[str] = []
    for each in (module, known):
        with pytest.raises(IndexError) as told:
            each(floats(2, 4), np.full((3, 4), 2))
        said.append(str(told.value))
    assert said[0] == said[1]
    assert module(floats(3, 4), np.full((3, 4), 2)).shape == (3, 4)


@pytest.mark.sampled(every=3, start=2)
@pytest.mark.parametrize(
    "model", [BLOCK, GROWN, CHAIN], ids=["block", "grown", "chain"]
)
def test_skips_are_taken_as_in_machine_code(model: OpenModel):
    module = replay(model.model)
    known = sr.compile(model.model, target=isa_name("host"))
    count = len(inspect.signature(model.shapes).parameters)
    skipped: set[int] = set()
    for sizes in itertools.product((1, 3), repeat=count):
        inputs = model.inputs(GENERATOR, *sizes)
        check_equal(module(*inputs), known(*inputs))
        skipped.add(len(module.statistics().skipped))
        assert module.statistics().skipped == known.statistics().skipped
    assert len(skipped) > 1


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to threads")
def test_a_long_run_is_interrupted_and_the_module_goes_on_working():
    endless = WHILE.replace("graph.gt", "graph.ge")
    module, known = replay(endless), sr.compile(endless, target=isa_name("host"))

    def ring(number: int, _: Any) -> None:
        raise Rung(str(number))

    for _ in range(2):
        with (
            handled(signal.SIGALRM, ring),
            sent_when_running(module, signal.SIGALRM),
            pytest.raises(Rung),
        ):
            module(True, 0)
        check_equal(module(True, 3), known(True, 3))


def test_refuses_what_runs_in_python():
    refused = pytest.raises(CompileError, match=r"their numpy reference.*graph.argmax")
    with without_kernels(), refused:
        replay(RUNNING)
