"""
What went wrong with run-time skip elsewhere, by the threads of OpenVINO's tracker, does
not happen here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr

from ..arrangements import same
from ..texts import fresh

Array = npt.NDArray[Any]

W = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)

MIXED = """
func.func @mixed(%x: tensor<?x?x4xf32, ["b", "t"]>, %y: tensor<?x?x4xf32, ["k", "t"]>,
    %w: tensor<4x4xf32>)
    -> (tensor<?x?x4xf32, ["t", "b + k"]>, tensor<?x?x4xf32, ["b + k", "t"]>) {
  %1 = graph.concat %x, %y {axis = 0 : i64}
    : tensor<?x?x4xf32, ["b", "t"]>, tensor<?x?x4xf32, ["k", "t"]>
    -> tensor<?x?x4xf32, ["b + k", "t"]>
  %2 = graph.permute %1 {order = array<i64: 1, 0, 2>}
    : tensor<?x?x4xf32, ["b + k", "t"]> -> tensor<?x?x4xf32, ["t", "b + k"]>
  %3 = graph.matmul %2, %w : tensor<?x?x4xf32, ["t", "b + k"]>, tensor<4x4xf32>
    -> tensor<?x?x4xf32, ["t", "b + k"]>
  %4 = graph.matmul %1, %w : tensor<?x?x4xf32, ["b + k", "t"]>, tensor<4x4xf32>
    -> tensor<?x?x4xf32, ["b + k", "t"]>
  return %3, %4 : tensor<?x?x4xf32, ["t", "b + k"]>, tensor<?x?x4xf32, ["b + k", "t"]>
}
"""
"""A concatenation and a turn, each read by a kernel of its own."""

CROPPED = """
func.func @cropped(%x: tensor<?x3xf32, ["n"]>, %w: tensor<3x5xf32>)
    -> (tensor<?x5xf32, ["n - 1"]>, tensor<1x5xf32>) {
  %0 = graph.slice %x {starts = ["1", "0"], sizes = ["n - 1", "3"],
    steps = array<i64: 1, 1>} : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n - 1"]>
  %1 = graph.matmul %0, %w : tensor<?x3xf32, ["n - 1"]>, tensor<3x5xf32>
    -> tensor<?x5xf32, ["n - 1"]>
  %2 = graph.slice %x {starts = ["n - 1", "0"], sizes = ["1", "3"],
    steps = array<i64: 1, 1>} : tensor<?x3xf32, ["n"]> -> tensor<1x3xf32>
  %3 = graph.matmul %2, %w : tensor<1x3xf32>, tensor<3x5xf32> -> tensor<1x5xf32>
  return %1, %3 : tensor<?x5xf32, ["n - 1"]>, tensor<1x5xf32>
}
"""
"""Parts that begin at no multiple of a vector."""

STATE = """
func.func @state(%c: tensor<?x?xf32, ["n", "m"]>, %i: tensor<1x?xi64, ["m"]>,
    %u: tensor<1x?xf32, ["m"]>, %w: tensor<3x3xf32>)
    -> (tensor<?x?xf32, ["n", "m"]>, tensor<?x?x3xf32, ["m", "n"]>) {
  %0 = graph.reshape %c {shape = ["n", "m", "1"]}
    : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?x1xf32, ["n", "m"]>
  %1 = graph.permute %0 {order = array<i64: 1, 0, 2>}
    : tensor<?x?x1xf32, ["n", "m"]> -> tensor<?x?x1xf32, ["m", "n"]>
  %2 = graph.scatter %c, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"}
    : tensor<?x?xf32, ["n", "m"]>, tensor<1x?xi64, ["m"]>, tensor<1x?xf32, ["m"]>
    -> tensor<?x?xf32, ["n", "m"]>
  %3 = graph.expand %1 {shape = ["m", "n", "3"]}
    : tensor<?x?x1xf32, ["m", "n"]> -> tensor<?x?x3xf32, ["m", "n"]>
  %4 = graph.matmul %3, %w : tensor<?x?x3xf32, ["m", "n"]>, tensor<3x3xf32>
    -> tensor<?x?x3xf32, ["m", "n"]>
  return %2, %4 : tensor<?x?xf32, ["n", "m"]>, tensor<?x?x3xf32, ["m", "n"]>
}
"""
"""A state whose old view is read after its update."""


def numbers(random: np.random.Generator, *shape: int) -> Array:
    """Numbers of this shape."""
    return random.standard_normal(shape).astype(np.float32)


def mixed(x: Array, y: Array) -> tuple[Array, Array]:
    """What `MIXED` computes."""
    whole = np.concatenate([x, y])
    return whole.transpose(1, 0, 2) @ W, whole @ W


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("seed", range(3))
def test_skips_that_come_and_go_leave_nothing_behind(seed: int):
    # openvino#29042, #27439, #27695; and padding left over: #37165, #36420, #37267.
    module, random = fresh(MIXED), np.random.default_rng(seed)
    seen: set[tuple[str, ...]] = set()
    for _ in range(300):
        b, k, t = (int(each) for each in random.choice([0, 1, 1, 2, 3], 3))
        x, y = numbers(random, b, t, 4), numbers(random, k, t, 4)
        for got, wanted in zip(module(x, y, W), mixed(x, y), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
        seen.add(tuple(each.kernel for each in module.statistics().skipped))
        module.context.activations[:] = 0xFF
    assert len(seen) >= 3


def chain(length: int) -> str:
    """Turns of a tensor, with a product after each."""
    lines, value = list[str](), "%x"
    types = [f'tensor<?x?x4xf32, ["{one}", "{two}"]>' for one, two in ("ab", "ba")]
    for at in range(length):
        here, there = types[at % 2], types[(at + 1) % 2]
        order = "{order = array<i64: 1, 0, 2>}"
        lines.append(f"%p{at} = graph.permute {value} {order} : {here} -> {there}")
        product = f"graph.matmul %p{at}, %w : {there}, tensor<4x4xf32> -> {there}"
        lines.append(f"%m{at} = {product}")
        value = f"%m{at}"
    end = types[length % 2]
    body = "\n".join(lines)
    return (
        f"func.func @chain(%x: {types[0]}, %w: tensor<4x4xf32>) -> {end} {{\n{body}\n"
        f"return {value} : {end}\n}}"
    )


def test_a_long_chain_is_planned_and_run():
    # openvino#27635: chains in which all ancestors had to be kept alive.
    module = fresh(chain(24))
    for a, b in ((1, 6), (3, 6), (6, 1)):
        x = numbers(np.random.default_rng(0), a, b, 4)
        same(module(x, np.eye(4, dtype=np.float32)), x)
        assert len(module.statistics().skipped) == (24 if 1 in (a, b) else 0)
    # Each product needs the one before, and nothing else of the chain.
    report = module.memory_report(a=1, b=1000)
    assert report.activations == report.lower_bound == 2 * 16_000


def test_marks_cost_no_memory_where_nothing_is_skipped():
    # openvino#23331, #24283: what may be skipped was no longer shared.
    report = fresh(chain(20)).memory_report(a=16, b=1000)
    assert report.activations == report.lower_bound == 2 * 256_000


def test_parts_begin_anywhere():
    # openvino#37712, #37911: a view fed to a kernel that wants it otherwise.
    module, random = fresh(CROPPED), np.random.default_rng(0)
    w = numbers(random, 3, 5)
    for n in (1, 2, 3, 8, 9, 64):
        x = numbers(random, n, 3)
        rest, last = module(x, w)
        np.testing.assert_allclose(rest, x[1:] @ w, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(last, x[-1:] @ w, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "text",
    ["graph.sum %x {axes = array<i64: 0>, keepdims = true}", "graph.add %x, %z"],
    ids=["a sum of one", "the sum with zero"],
)
def test_what_changes_a_bit_is_never_skipped(text: str):
    # openvino#36078: a skip that gave other numbers.
    type = 'tensor<?x4xf32, ["n"]>'
    result = "tensor<1x4xf32>" if "sum " in text else type
    operands = type if "sum " in text else f"{type}, tensor<f32>"
    module = fresh(
        f"""
        func.func @bits(%x: {type}, %w: tensor<4x4xf32>) -> {result} {{
          %z = graph.constant dense<0.0> : tensor<f32>
          %0 = {text} : {operands} -> {result}
          %1 = graph.permute %0 {{order = array<i64: 0, 1>}} : {result} -> {result}
          return %1 : {result}
        }}
        """
    )
    x = np.array([[-0.0, np.nan, np.inf, 1.0]], np.float32)
    got = module(x, W)
    assert got.tobytes() == (x + 0.0).tobytes()
    assert not module.statistics().skipped


def test_an_output_is_always_written():
    # A node bound to memory of the user must run.
    text = """
    func.func @output(%x: tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["m", "n"]> {
      %0 = graph.permute %x {order = array<i64: 1, 0>}
        : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
      return %0 : tensor<?x?xf32, ["m", "n"]>
    }
    """
    module = fresh(text)
    for n, m in ((1, 5), (5, 1), (2, 3)):
        x = numbers(np.random.default_rng(0), n, m)
        out = np.full((m, n), 7, np.float32)
        assert module(x, out=out) is out
        same(out, np.ascontiguousarray(x.T))
        result = module(x)
        x[:] = 0
        same(result, out)


def states(c: Array, at: int, u: Array, w: Array) -> tuple[Array, Array]:
    """What `STATE` computes."""
    new = c.copy()
    new[at] = u
    return new, np.repeat(c.T[:, :, None], 3, 2) @ w


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (4, 6), (1, 1)])
def test_a_state_that_stands_for_another_result_is_not_overwritten(
    shape: tuple[int, int],
):
    module, random = fresh(STATE), np.random.default_rng(0)
    w = numbers(random, 3, 3)
    for _ in range(3):
        c, u = numbers(random, *shape), numbers(random, 1, shape[1])
        wanted = states(c, 0, u, w)
        index = np.zeros((1, shape[1]), np.int64)
        out = np.empty_like(wanted[1])
        got = module(c, index, u, w, out=(c, out))
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_a_module_is_told_apart_from_another():
    one, other = fresh(MIXED), fresh(MIXED)
    x = numbers(np.random.default_rng(0), 1, 1, 4)
    one(x, x[:0], W)
    assert one.statistics().skipped
    assert not other.statistics().skipped
    assert isinstance(one, sr.StaticModule)
