"""Models pass the harness, with some combinations of options, and more in soaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from onnx.numpy_helper import from_array

from ..compiler.frontends.onnx.interpreter import model
from ..compiler.frontends.onnx.test_control_flow import (
    COUNTED,
    IF,
    KEPT,
    NESTED,
    NO,
    SCAN,
    SLICED,
    SWAPPED,
    UNTIL,
    YES,
)
from ..harness import (
    Array,
    Combination,
    check,
    compiled_alike,
    covering,
)
from ..runtime.texts import ALIASES, PARTS, RUNNING, WORDS, without_kernels
from .forks import (
    ADDED,
    CROSSED,
    FORKS_IN_FORKS,
    HANDED_ON,
    LOOKED_UP,
    LOOPED,
    MANY,
)
from .open_models import BLOCK, CHAIN, GROWN
from .stored import STORED

OPEN = 'tensor<?x?xf32, ["n", "m"]>'

LONG = """
func.func @long(%a: T, %b: T, %c: T) -> T {
  %0 = graph.mul %a, %b : T, T -> T
  %d = graph.relu %0 : T -> T
  %1 = graph.mul %a, %c : T, T -> T
  %e = graph.relu %1 : T -> T
  %2 = graph.mul %e, %d : T, T -> T
  %f = graph.relu %2 : T -> T
  %3 = graph.mul %f, %f : T, T -> T
  %g = graph.relu %3 : T -> T
  %4 = graph.mul %g, %c : T, T -> T
  %h = graph.relu %4 : T -> T
  return %h : T
}
""".replace("T", OPEN)
"""What PyTorch calls the long model, which is one kernel here."""

TRIVIAL = """
func.func @trivial(%a: T, %b: T, %c: T) -> T {
  %s = graph.constant dense<3.0> : T
  %0 = graph.mul %b, %c : T, T -> T
  %1 = graph.add %a, %0 : T, T -> T
  %2 = graph.add %1, %s : T, T -> T
  return %2 : T
}
""".replace("T", "tensor<2x2xf32>")
"""What PyTorch calls the trivial graph."""

CHAINED = (
    LONG.replace("graph.relu %1", "graph.cumsum %1 {axis = 0 : i64}")
    .replace("graph.relu %2", "graph.softmax %2 {axis = 1 : i64}")
    .replace("graph.relu %3", "graph.cumsum %3 {axis = 1 : i64}")
)
"""The same with ops that are a kernel each, so that most values take memory."""

HELD = """
func.func @held(%a: T, %b: T) -> (T, T) {
  %0 = graph.cumsum %a {axis = 0 : i64} : T -> T
  %1 = graph.softmax %b {axis = 1 : i64} : T -> T
  %2 = graph.list_construct %0, %1 : T, T -> !graph.list<T, T>
  %3 = graph.dict_construct %2, %0 {keys = ["x", "y"]} : !graph.list<T, T>, T
    -> !graph.dict<"x", !graph.list<T, T>, "y", T>
  %4 = graph.tuple_construct %3, %1 : !graph.dict<"x", !graph.list<T, T>, "y", T>, T
    -> !graph.tuple<!graph.dict<"x", !graph.list<T, T>, "y", T>, T>
  %5 = graph.tuple_get %4 {index = 0 : i64}
    : !graph.tuple<!graph.dict<"x", !graph.list<T, T>, "y", T>, T>
    -> !graph.dict<"x", !graph.list<T, T>, "y", T>
  %6 = graph.dict_get %5 {key = "x"}
    : !graph.dict<"x", !graph.list<T, T>, "y", T> -> !graph.list<T, T>
  %7, %8 = graph.list_unpack %6 : !graph.list<T, T> -> T, T
  %9 = graph.cumsum %8 {axis = 1 : i64} : T -> T
  %10 = graph.concat_list %6 {axis = 0 : i64}
    : !graph.list<T, T> -> tensor<?x?xf32, ["2 * n", "m"]>
  %11 = graph.sum %10 {axes = array<i64: 0>, keepdims = true}
    : tensor<?x?xf32, ["2 * n", "m"]> -> tensor<1x?xf32, ["m"]>
  %12 = graph.mul %9, %11 : T, tensor<1x?xf32, ["m"]> -> T
  return %7, %12 : T, T
}
""".replace("T", OPEN)
"""Values that go through a list, a dict and a tuple on their way."""

BRANCHES = """
g (bool c, float[n, 4] x) => (float[n, 4] y, float[4] z) {
  axes = Constant<value = int64[1] {0}>()
  s = CumSum (x, axes)
  y, z = If (c) <
    then_branch = then () => (float[n, 4] a, float[4] b) {
      t = Softmax<axis = 0> (s)
      a = Mul (x, t)
      b = ReduceMax<keepdims = 0> (t, axes)
    },
    else_branch = otherwise () => (float[n, 4] d, float[4] e) {
      d = Identity (s)
      e = ReduceSum<keepdims = 0> (x, axes)
    }
  >
}"""
"""A choice of two tensors; a branch may be empty but for what it returns."""

EMPTY = """
g (bool c, bool e, float[n, 4] x) => (float[n, 4] y, float[n, 4] z) {
  s = Softmax (x)
  y = If (c) <
    then_branch = t () => (float[n, 4] a) { a = Identity (x) },
    else_branch = f () => (float[n, 4] b) {
      b = If (e) <
        then_branch = ft () => (float[n, 4] d) { d = Identity (s) },
        else_branch = ff () => (float[n, 4] h) { h = Identity (x) }
      >
    }
  >
  z = Neg (s)
}"""
"""Branches that compute nothing, one of these in another."""

DEEP = """
g (bool c, bool e, bool h, float[n, 4] x) => (float[n, 4] y) {
  axis = Constant<value = int64 {0}>()
  s = CumSum (x, axis)
  r = If (c) <
    then_branch = t () => (float[n, 4] a) {
      k = Softmax (s)
      a = If (e) <
        then_branch = tt () => (float[n, 4] b) {
          l = CumSum (k, axis)
          b = If (h) <
            then_branch = ttt () => (float[n, 4] d) { d = Mul (l, k) },
            else_branch = tte () => (float[n, 4] d2) { d2 = Sub (s, l) }
          >
        },
        else_branch = te () => (float[n, 4] b2) { b2 = Sub (k, s) }
      >
    },
    else_branch = f () => (float[n, 4] d) { d = Exp (s) }
  >
  y = Softmax<axis = 0> (r)
}"""
"""Branches in branches in branches."""

LOOPS = """
g (int64 n, int64 m, float[k, 4] x, float[k, 4] w) => (float[k, 4] y) {
  yes = Constant<value = bool {1}>()
  axis = Constant<value = int64 {0}>()
  y = Loop (n, yes, x) <
    body = outer (int64 i, bool c, float[k, 4] s) => (bool on, float[k, 4] t) {
      on = Identity (c)
      u = Softmax (s)
      v = Loop (m, yes, u) <
        body = inner (int64 j, bool d, float[k, 4] a) => (bool still, float[k, 4] b) {
          still = Identity (d)
          e = CumSum (a, axis)
          b = Mul (e, w)
        }
      >
      t = Add (v, s)
    }
  >
}"""
"""A loop in a loop, both with values that they carry."""

FILLED = """
func.func @filled(%x: T) -> (T, tensor<2x?x?xf32, ["n", "m"]>) {
  %0 = graph.constant dense<1.5> : tensor<f32>
  %1 = graph.expand %0 {shape = ["n", "m"]} : tensor<f32> -> T
  %2 = graph.cumsum %1 {axis = 0 : i64} : T -> T
  %3 = graph.mul %2, %x : T, T -> T
  %4 = graph.softmax %3 {axis = 1 : i64} : T -> T
  %5 = graph.expand %4 {shape = ["2", "n", "m"]} : T -> tensor<2x?x?xf32, ["n", "m"]>
  %6 = graph.copy %5
    : tensor<2x?x?xf32, ["n", "m"]> -> tensor<2x?x?xf32, ["n", "m"]>
  %7 = graph.cumsum %4 {axis = 0 : i64} : T -> T
  return %7, %6 : T, tensor<2x?x?xf32, ["n", "m"]>
}
""".replace("T", OPEN)
"""What is as large as an input and filled; and a copy of what was expanded."""

FLAT = """
func.func @flat(%x: T) -> (R, R, T, R, R) {
  %0 = graph.reshape %x {shape = ["n * m"]} : T -> R
  %1 = graph.softmax %x {axis = 1 : i64} : T -> T
  %2 = graph.reshape %1 {shape = ["n * m"]} : T -> R
  %3 = graph.reshape %1 {shape = ["n * m"]} : T -> R
  %4 = graph.cumsum %2 {axis = 0 : i64} : R -> R
  return %0, %2, %1, %3, %4 : R, R, T, R, R
}
""".replace("T", OPEN).replace("R", 'tensor<?xf32, ["m * n"]>')
"""An input in rows, a value and two views of it, and what is computed of one."""

BEST = """
func.func @best(%x: T) -> (tensor<?x2xf32, ["n"]>, tensor<?x2xi64, ["n"]>) {
  %0 = graph.softmax %x {axis = 1 : i64} : T -> T
  %1, %2 = graph.topk %0 {axis = 1 : i64, k = "2", largest = true}
    : T -> tensor<?x2xf32, ["n"]>, tensor<?x2xi64, ["n"]>
  return %1, %2 : tensor<?x2xf32, ["n"]>, tensor<?x2xi64, ["n"]>
}
""".replace("T", 'tensor<?x5xf32, ["n"]>')
"""An op of two outputs."""

BORROWED = """
func.func @borrowed(%x: T, %i: tensor<?xi64, ["k"]>) -> (R, tensor<?xf32, ["k"]>) {
  %0 = graph.reshape %x {shape = ["m * n"]} : T -> R
  %1 = graph.softmax %x {axis = 1 : i64} : T -> T
  %2 = graph.reshape %1 {shape = ["m * n"]} : T -> R
  %3 = graph.index_select %0, %i {axis = 0 : i64, wraps = false}
    : R, tensor<?xi64, ["k"]> -> tensor<?xf32, ["k"]>
  %4 = graph.index_select %2, %i {axis = 0 : i64, wraps = true}
    : R, tensor<?xi64, ["k"]> -> tensor<?xf32, ["k"]>
  %5 = graph.add %3, %4
    : tensor<?xf32, ["k"]>, tensor<?xf32, ["k"]> -> tensor<?xf32, ["k"]>
  %6 = graph.cumsum %2 {axis = 0 : i64} : R -> R
  return %6, %5 : R, tensor<?xf32, ["k"]>
}
""".replace("T", OPEN).replace("R", 'tensor<?xf32, ["m * n"]>')
"""Views of an input and of a value, in which a run may look up what is not there."""

TAGGER = """
g (int64[length, batch] words) => (float[length, batch, 5] tags) {
  x = Gather (table, words)
  y, h, c = LSTM<hidden_size = 6, direction = "bidirectional"> (x, w, r, b)
  turned = Transpose<perm = [0, 2, 1, 3]> (y)
  both = Reshape (turned, shape)
  tags = MatMul (both, head)
}"""
"""Words to vectors, read by an LSTM from both ends, to tags."""


def random(*shape: int, seed: int = 0) -> Array:
    """Numbers as they are in a model."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def tagger() -> bytes:
    """The tagger with its weights."""
    made = model(TAGGER)
    weights = {
        "table": random(9, 8),
        "w": random(2, 24, 8) / 3,
        "r": random(2, 24, 6) / 3,
        "b": random(2, 48) / 3,
        "shape": np.array([0, 0, 12]),
        "head": random(12, 5) / 3,
    }
    for name, array in weights.items():
        made.graph.initializer.append(from_array(array, name))
    return made.SerializeToString()


@dataclass(frozen=True)
class Model:
    """A model, and the arrays of its calls."""

    source: Any
    args: Sequence[Array]
    args2: Sequence[Array] | None = None
    bad: Sequence[Sequence[Array]] = ()
    """Arrays that a run refuses."""


def onnx(text: str) -> bytes:
    """A model in ONNX's text, with its batch of two of any size."""
    return model(text.replace("[2, 4]", "[n, 4]")).SerializeToString()


def stored(name: str) -> Model:
    """A model that torch exported, at two of its batches."""
    found = STORED[name]
    fewest, *_, most = sorted(found.outputs)
    return Model(found.dynamic, found.rows(fewest), found.rows(most))


def at_sizes(known: Any, small: Sequence[int], large: Sequence[int]) -> Model:
    """A model of open sizes, at two of these."""
    numbers = np.random.default_rng(0)
    return Model(
        known.model, known.inputs(numbers, *small), known.inputs(numbers, *large)
    )


X, LARGE = random(2, 4), random(7, 4)
TABLE = random(4, 2)
WORDS_READ = np.random.default_rng(0).integers(0, 9, (7, 3))

MODELS = {
    "long": Model(
        LONG, [random(2, 2)] * 3, [random(32, 8, seed=each) for each in range(3)]
    ),
    "chained": Model(CHAINED, [random(3, 5)] * 3, [random(32, 9)] * 3),
    "deep and wide": stored("deep_wide"),
    "perceptron": stored("mlp_small"),
    "of the seed's post": stored("sr_example"),
    "convolutions": stored("digits"),
    "attention": at_sizes(BLOCK, (1, 4), (3, 9)),
    "grown cache": at_sizes(GROWN, (1, 2, 3), (2, 3, 9)),
    "skips": at_sizes(CHAIN, (2, 3, 1, 2), (4, 5, 3, 5)),
    "tagger": Model(tagger(), [WORDS_READ[:4, :1]], [WORDS_READ], [[WORDS_READ + 9]]),
    "embedding": Model(
        *(WORDS, [TABLE, np.array([0, 3])], [random(9, 2), np.array([8, 0, 8, 1])]),
        [[TABLE, np.array([0, 4])], [TABLE, np.array([-1])]],
    ),
    "lookups in views": Model(
        *(BORROWED, [X, np.array([0, 7])], [LARGE, np.array([27, 0, 3])]),
        [[X, np.array([0, 8])], [X, np.array([-1, 0])]],
    ),
    "fallback ops": Model(RUNNING, [random(3, 3)], [random(30, 3)]),
    "filled, expanded": Model(FILLED, [random(2, 3)], [random(9, 5)]),
    "views as outputs": Model(FLAT, [random(2, 3)], [random(9, 5)]),
    "outputs of one op": Model(BEST, [random(2, 5)], [random(9, 5)]),
    "empty branches": Model(onnx(EMPTY), [NO, YES, X], [NO, NO, LARGE]),
    "empty branch": Model(onnx(EMPTY), [YES, NO, X], [NO, YES, LARGE]),
    "branches three deep": Model(onnx(DEEP), [YES, YES, YES, X], [YES, YES, NO, LARGE]),
    "loop in a loop": Model(
        onnx(LOOPS),
        [np.array(2), np.array(3), X, X + 1],
        [np.array(3), np.array(0), LARGE, LARGE],
    ),
    "fork": Model(ADDED, [X], [LARGE]),
    "fork of a loop": Model(LOOPED, [X], [LARGE]),
    "forks in a list": Model(MANY, [X], [LARGE]),
    "forks in forks": Model(FORKS_IN_FORKS, [X], [LARGE]),
    "futures that cross": Model(CROSSED, [X], [LARGE]),
    "future of a future": Model(HANDED_ON, [X], [LARGE]),
    "lookups in forks": Model(
        *(LOOKED_UP, [X, np.array([0, 1, 0]), np.array([1, 1, 0])]),
        [LARGE, np.array([6, 0, -1, 3]), np.array([2, -7, 5, 1])],
        [
            [X, np.array([0, 1]), np.array([0, 2])],
            [X, np.array([-3, 1]), np.array([0, 1])],
        ],
    ),
    "trivial": Model(TRIVIAL, [random(2, 2)] * 3, [random(2, 2, seed=1)] * 3),
    "containers": Model(HELD, [random(2, 3)] * 2, [random(7, 5)] * 2),
    "constants and inputs as outputs": Model(ALIASES, [random(2, 3)]),
    "two outputs": Model(PARTS, [random(2, 3)], [random(9, 3)]),
    "then, else": Model(onnx(IF), [YES, X], [NO, LARGE]),
    "else, then": Model(onnx(BRANCHES), [NO, X], [YES, LARGE]),
    "branches in a branch": Model(onnx(NESTED), [YES, YES, X], [YES, NO, LARGE]),
    "counted loop": Model(onnx(COUNTED), [X], [LARGE]),
    "loop that swaps": Model(
        onnx(SWAPPED), [np.array(3), X, X + 1], [np.array(4), LARGE, LARGE + 1]
    ),
    "loop with a condition": Model(
        onnx(UNTIL), [np.ones(1, np.float32), np.full(1, 30, np.float32)]
    ),
    "scan": Model(onnx(SCAN), [random(4), random(3, 4), random(4, 3)]),
    "size that data decides": Model(
        onnx(KEPT), [X, np.array([True, False])], [LARGE, np.arange(7) % 3 == 0]
    ),
    "slice that data decides": Model(
        *(onnx(SLICED), [X, np.array([0]), np.array([1])]),
        [LARGE, np.array([-5]), np.array([6])],
    ),
}


COVERED = (
    *("deep and wide", "chained", "embedding", "else, then", "containers"),
    "futures that cross",
)
"""The models that are tried with each two values of options together."""

IN_EACH_RUN = ("embedding",)
"""The one that `make test` tries like that: its calls may be refused as well."""

EVERY = 32
"""One of how many models `make test` tries with some options."""


def tried() -> Iterator[Any]:
    """Each model with some options, some with more, in `make soak` all with most."""
    for number, name in enumerate(MODELS):
        marks = pytest.mark.full if number % EVERY else ()
        yield pytest.param(name, 1, marks=marks, id=name)
        yield pytest.param(name, 3, marks=pytest.mark.soak, id=f"{name}, more")
    for name in COVERED:
        marks = () if name in IN_EACH_RUN else pytest.mark.full
        yield pytest.param(name, 2, marks=marks, id=f"{name}, pairs")


def combinations_for(name: str, together: int) -> Sequence[Combination]:
    """The combinations that have each `together` values of options at once."""
    if together > 1:
        return covering(together)
    return compiled_alike([*MODELS].index(name))


@pytest.mark.parametrize(("name", "together"), [*tried()])
def test_passes_the_harness(name: str, together: int):
    known = MODELS[name]
    with without_kernels() if name == "fallback ops" else nullcontext():
        check(
            *(known.source, known.args, known.args2),
            combinations=combinations_for(name, together),
            bad=known.bad,
        )
