"""What would only copy for the sizes of a call is not run, and results are the same."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import parser

import static_runtime as sr
from static_runtime.runtime.plan.skips import Skipped, skipped
from static_runtime.runtime.program.program import Program, Skip, Slot, TensorInfo, Way

from ..arrangements import same
from ..texts import fresh

Array = npt.NDArray[Any]

TURNS = """
func.func @turns(%x: tensor<?x?x4xf32, ["b", "t"]>, %w: tensor<4x4xf32>)
    -> tensor<?x?x4xf32, ["t", "b"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0, 2>}
    : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
  %1 = graph.matmul %0, %w : tensor<?x?x4xf32, ["t", "b"]>, tensor<4x4xf32>
    -> tensor<?x?x4xf32, ["t", "b"]>
  %2 = graph.permute %1 {order = array<i64: 1, 0, 2>}
    : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?x4xf32, ["b", "t"]>
  %3 = graph.matmul %2, %w : tensor<?x?x4xf32, ["b", "t"]>, tensor<4x4xf32>
    -> tensor<?x?x4xf32, ["b", "t"]>
  %4 = graph.add %3, %2 : tensor<?x?x4xf32, ["b", "t"]>,
    tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["b", "t"]>
  %5 = graph.permute %4 {order = array<i64: 1, 0, 2>}
    : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
  %6 = graph.matmul %5, %w : tensor<?x?x4xf32, ["t", "b"]>, tensor<4x4xf32>
    -> tensor<?x?x4xf32, ["t", "b"]>
  return %6 : tensor<?x?x4xf32, ["t", "b"]>
}
"""
"""Products between turns of a tensor; the first turns the input."""

CHAIN = """
func.func @chain(%x: tensor<?x?xf32, ["n", "m"]>, %w: tensor<3x3xf32>)
    -> tensor<?x?x3xf32, ["m", "n"]> {
  %0 = graph.reshape %x {shape = ["n", "m", "1"]}
    : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?x1xf32, ["n", "m"]>
  %1 = graph.permute %0 {order = array<i64: 1, 0, 2>}
    : tensor<?x?x1xf32, ["n", "m"]> -> tensor<?x?x1xf32, ["m", "n"]>
  %2 = graph.expand %1 {shape = ["m", "n", "3"]}
    : tensor<?x?x1xf32, ["m", "n"]> -> tensor<?x?x3xf32, ["m", "n"]>
  %3 = graph.matmul %2, %w : tensor<?x?x3xf32, ["m", "n"]>, tensor<3x3xf32>
    -> tensor<?x?x3xf32, ["m", "n"]>
  return %3 : tensor<?x?x3xf32, ["m", "n"]>
}
"""

PARTS = """
func.func @parts(%x: tensor<?x4xf32, ["n"]>, %y: tensor<?x4xf32, ["m"]>,
    %w: tensor<4x4xf32>) -> tensor<?x4xf32, ["m + n"]> {
  %0 = graph.concat %x, %y {axis = 0 : i64}
    : tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["m"]> -> tensor<?x4xf32, ["m + n"]>
  %1 = graph.matmul %0, %w : tensor<?x4xf32, ["m + n"]>, tensor<4x4xf32>
    -> tensor<?x4xf32, ["m + n"]>
  return %1 : tensor<?x4xf32, ["m + n"]>
}
"""


def numbers(*shape: int) -> Array:
    """Numbers of this shape, always the same."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


W = numbers(4, 4)


def turned(x: Array) -> Array:
    """What `TURNS` computes."""
    one = (x.transpose(1, 0, 2) @ W).transpose(1, 0, 2)
    return (one @ W + one).transpose(1, 0, 2) @ W


def poison(module: sr.StaticModule) -> None:
    """Fills what a call left in memory with NaN."""
    module.context.activations[:] = 0xFF


def test_sizes_decide_what_is_run():
    module = fresh(TURNS)
    assert len(module.program.skips) == 3
    for b, t in ((3, 5), (1, 5), (3, 1), (0, 4), (1, 1), (1, 5), (3, 5), (1, 64)):
        x = numbers(b, t, 4)
        np.testing.assert_allclose(module(x, W), turned(x), rtol=1e-4, atol=1e-4)
        poison(module)
        told = module.statistics()
        if 1 in (b, t):
            name = "b" if b == 1 else "t"
            wanted = Skipped("graph.permute", "permute_0", f"{name} - 1 = 0")
            assert told.skipped == (wanted,) * 3
            assert told.bytes_not_moved == 3 * x.nbytes
        else:
            assert told.skipped == ()
            assert told.bytes_not_moved == 0


def test_what_is_skipped_takes_no_memory():
    module = fresh(TURNS)
    runs, skips = (module.memory_report(b=b, t=64) for b in (2, 1))
    assert runs.activations == runs.lower_bound == 2 * 2 * 64 * 16
    # What the last turn is of is read by its product alone.
    assert skips.activations == skips.lower_bound <= 2 * 64 * 16


def test_chains_of_skips_end_at_the_input():
    module = fresh(CHAIN)
    w = numbers(3, 3)
    for n, m in itertools.product((1, 2, 5), repeat=2):
        x = numbers(n, m)
        wanted = np.repeat(x.T[:, :, None], 3, 2) @ w
        np.testing.assert_allclose(module(x, w), wanted, rtol=1e-4, atol=1e-5)
        poison(module)


def test_one_of_several_parts_may_be_all():
    module = fresh(PARTS)
    for n, m in ((3, 4), (0, 4), (3, 0), (0, 0), (2, 2), (0, 1), (1, 0)):
        x, y = numbers(n, 4), -numbers(m, 4)
        wanted = np.concatenate([x, y]) @ W
        np.testing.assert_allclose(module(x, y, W), wanted, rtol=1e-4, atol=1e-5)
        poison(module)
        assert (0 in (n, m)) == bool(module.statistics().skipped)


def test_an_input_that_stands_for_a_result_is_not_changed():
    module = fresh(TURNS)
    x = numbers(1, 7, 4)
    before, results = x.copy(), [module(x, W) for _ in range(3)]
    same(x, before)
    for each in results:
        same(each, results[0])


@pytest.mark.parametrize("count", [2, 8, 60])
def test_each_thread_is_told_of_its_own_run(count: int):
    module = fresh(TURNS)
    barrier = Barrier(count)

    def work(number: int) -> None:
        b = 1 + number % 2
        x = numbers(b, 5, 4)
        barrier.wait()
        for _ in range(20):
            module(x, W)
            assert bool(module.statistics().skipped) == (b == 1)
        barrier.wait()
        assert bool(module.statistics().skipped) == (b == 1)
        barrier.wait()

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
    assert module.statistics().skipped == ()


def test_a_thread_is_told_after_many_others_have_ended():
    module, told = fresh(TURNS), list[bool]()

    def work() -> None:
        module(numbers(1, 5, 4), W)
        told.append(bool(module.statistics().skipped))

    for _ in range(200):
        thread = Thread(target=work)
        thread.start()
        thread.join()
    work()
    assert told == [True] * 201


def test_what_is_free_for_all_sizes_is_folded():
    text = """
    func.func @free(%x: tensor<?x4xf32, ["n"]>, %w: tensor<4x4xf32>)
        -> tensor<4x?xf32, ["n"]> {
      %0 = graph.reshape %x {shape = ["1", "n", "4"]}
        : tensor<?x4xf32, ["n"]> -> tensor<1x?x4xf32, ["n"]>
      %1 = graph.permute %0 {order = array<i64: 1, 0, 2>}
        : tensor<1x?x4xf32, ["n"]> -> tensor<?x1x4xf32, ["n"]>
      %2 = graph.reshape %1 {shape = ["n", "4"]}
        : tensor<?x1x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
      %3 = graph.matmul %2, %w : tensor<?x4xf32, ["n"]>, tensor<4x4xf32>
        -> tensor<?x4xf32, ["n"]>
      %4 = graph.relu %3 : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
      %5 = graph.permute %4 {order = array<i64: 1, 0>}
        : tensor<?x4xf32, ["n"]> -> tensor<4x?xf32, ["n"]>
      return %5 : tensor<4x?xf32, ["n"]>
    }
    """
    module = fresh(text)
    x = numbers(6, 4)
    wanted = np.maximum(x @ W, 0).T
    np.testing.assert_allclose(module(x, W), wanted, rtol=1e-4, atol=1e-5)
    assert module.statistics().folded >= 1
    assert module.statistics().skipped == ()


def program(*skips: Skip) -> Program:
    """A program of four slots with these skips."""
    return Program(
        name="main",
        inputs=(TensorInfo("x", "float32", ("n",)),),
        outputs=(),
        symbols=("n",),
        ranges={},
        checks=(),
        slots=tuple(Slot(64, at, at + 1, -1) for at in range(4)),
        planner="naive",
        bytes=0,
        lower_bound=0,
        calls=(),
        call_outs=(),
        skips=skips,
    )


def test_a_size_that_decides_twice_is_one_reason():
    way = Way("inputs", 0, 0, (("n - 1", "m"), ("n - 1",), ("m", "n - 1")))
    made = program(Skip(1, "k", "graph.op", (way,)))
    for m, reason in ((2, "n - 1 = 0"), (0, "n - 1 = 0 and m = 0")):
        (found,) = skipped(made, (1,), {"n": 1, "m": m})
        assert found.reason == reason


def test_parts_of_one_node_are_told_apart():
    text = """<ir_version: 9, opset_import: ["" : 17]>
    g (float[b,8,4] x, float[4,4] w) => (float[b,4,4] y, float[b,4,4] z) {
      [cut] p, q = Split <axis = 1> (x)
      y = MatMul(p, w)
      z = MatMul(q, w) }"""
    module = sr.compile(parser.parse_model(text))
    module(np.ones((1, 8, 4), np.float32), np.ones((4, 4), np.float32))
    sources = [each.source for each in module.statistics().skipped]
    assert sources == ["graph.slice at cut (p)", "graph.slice at cut (q)"]


def test_a_cache_that_grows_is_copied_where_it_is_an_output():
    """What docs/skip.md and docs/memory.md say of it."""
    text = """<ir_version: 9, opset_import: ["" : 17]>
    g (float[p,4] cache, float[n,4] x) => (float[t,4] y) {{
      k = Concat <axis = 0> (cache, x)
      y = {} }}"""
    new = np.ones((1, 4), np.float32)
    for last, count in (("Identity(k)", 0), ("CumSum(k, zero)", 1)):
        graph = text.format(last).replace(") {", ") <int64 zero = {0}> {", 1)
        module = sr.compile(parser.parse_model(graph))
        cache, skips = np.ones((0, 4), np.float32), list[int]()
        for _ in range(3):
            module(cache, new)
            skips.append(len(module.statistics().skipped))
            cache = np.concatenate([cache, new])
        assert skips == [count, 0, 0]
        assert module.statistics().plans == 3
        assert module.program.donations == ()


def test_the_reason_is_what_is_zero():
    one = Way("inputs", 0, 0, (("n - 1",),))
    other = Way("activations", 0, 8, (("n - 1", "n - 2"), (0,)))
    made = program(Skip(1, "k", "graph.op", (one, other)))
    assert skipped(made, (0,), {"n": 2}) == ()
    assert skipped(made, (2,), {"n": 2}) == (
        Skipped("graph.op", "k", "n - 2 = 0 and 0 = 0"),
    )
