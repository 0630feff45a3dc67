"""A module takes what can become an array, and gives arrays of the caller's own."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.dialects import DTYPES
from static_runtime.runtime.call.statistics import Statistics
from static_runtime.runtime.plan import plan_table

from ..arrangements import ARRANGEMENTS, Array, Tensor, arrangements, same
from ..texts import (
    AFFINE,
    ALIASES,
    DOUBLE,
    PARTS,
    RUNNING,
    compiled,
    fresh,
    original,
)

pytestmark = pytest.mark.usefixtures("few_objects")

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
W = np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5)
Y = np.maximum(X @ W, 0)

KNOWN = {type: dtype.name for type, dtype in DTYPES.items() if dtype.kind != "V"}
"""The dtypes that numpy has, by the types of elements."""

NAMES = [*KNOWN.values()]
TYPES = ", ".join(f"tensor<2x{each}>" for each in KNOWN)
_TAKEN = ", ".join(f"%{name}: tensor<2x{type}>" for type, name in KNOWN.items())
KINDS = f"""
func.func @kinds({_TAKEN})
    -> ({TYPES}) {{
  return {", ".join(f"%{each}" for each in NAMES)} : {TYPES}
}}
"""
SCALAR = """
func.func @scalar(%x: tensor<f32>, %n: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  %0 = graph.add %x, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  %1 = graph.add %n, %n : tensor<i64>, tensor<i64> -> tensor<i64>
  return %0, %1 : tensor<f32>, tensor<i64>
}
"""


def test_inputs_go_by_position_or_by_name():
    module = compiled(AFFINE)
    expected = module(X, W)
    np.testing.assert_allclose(expected, Y, rtol=1e-6)
    for actual in (module(x=X, w=W), module(w=W, x=X), module(X, w=W)):
        same(actual, expected)


def test_an_input_may_have_any_name():
    text = DOUBLE.replace("%x", "%self")
    module = compiled(text)
    assert module.input_names == ("self",)
    same(module(self=X), X + X)
    attribute = 'attributes {graph.input_names = ["a b"]}'
    text = DOUBLE.replace("-> tensor<2x3xf32> {", f"-> tensor<2x3xf32> {attribute} {{")
    same(compiled(text)(**{"a b": X}), X + X)


def test_one_output_is_an_array_and_several_are_a_tuple():
    same(compiled(DOUBLE)(X), X + X)
    for x in (X, X.tolist()):
        result = compiled(PARTS)(x)
        assert type(result) is tuple
        negative, positive = compiled(PARTS)(x)
        same(negative, -X)
        same(positive, abs(X))


def test_a_model_may_have_no_inputs_or_no_outputs():
    module = compiled(
        "func.func @constant() -> tensor<2xf32> {\n"
        "  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}"
    )
    for _ in range(3):
        result = module()
        same(result, np.array([1, 2], np.float32))
        result[...] = 7
    nothing = compiled("func.func @nothing(%x: tensor<2xf32>) {\n  return\n}")
    assert nothing(np.zeros(2, np.float32)) == nothing([0, 0]) == ()


@pytest.mark.parametrize(
    ("given", "declared"),
    [
        (given, declared)
        for given in NAMES
        for declared in NAMES
        if np.can_cast(given, declared)
    ],
)
def test_casts_what_loses_nothing(given: str, declared: str):
    inputs = [np.array([1, 0], dtype) for dtype in NAMES]
    inputs[NAMES.index(declared)] = np.array([0, 1], given)
    results = compiled(KINDS)(*inputs)
    for dtype, result, array in zip(NAMES, results, inputs, strict=True):
        same(result, array.astype(dtype))


def test_refuses_a_cast_that_loses_something():
    expected = "input x: expected float32, got float64; convert it with"
    for module in (compiled(DOUBLE), compiled(PARTS)):
        for _ in range(2):
            with pytest.raises(TypeError, match=expected):
                module(X.astype(np.float64))
        module(X)


def test_lists_and_numbers_take_the_declared_dtype():
    same(compiled(DOUBLE)(X.tolist()), X + X)
    same(compiled(DOUBLE)([[0.1, 0.2, 0.3]] * 2), np.array([[0.2, 0.4, 0.6]] * 2, "f4"))
    results = compiled(KINDS)(
        *([True, False] if each == "bool" else [1, 0] for each in NAMES)
    )
    for dtype, result in zip(NAMES, results, strict=True):
        same(result, np.array([1, 0], dtype))


@pytest.mark.parametrize(
    "x", [2.5, 2, np.float32(2.5), np.int8(2), np.array(2.5, "f4")]
)
@pytest.mark.parametrize("n", [3, True, np.int64(3), np.uint8(3), np.array(3)])
def test_numbers_are_tensors_without_axes(x: Any, n: Any):
    double, twice = compiled(SCALAR)(x, n)
    same(double, np.array(2 * x, np.float32))
    same(twice, np.array(2 * int(n), np.int64))


@pytest.mark.parametrize("name", ARRANGEMENTS)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrangements_do_not_matter(name: str):
    expected = compiled(AFFINE)(X, W)
    x, w = arrangements(X)[name], arrangements(W)[name]
    for _ in range(2):
        same(compiled(AFFINE)(x, W), expected)
        same(compiled(AFFINE)(X, w), expected)
        same(compiled(PARTS)(x)[0], -X)


def test_takes_tensors_through_dlpack():
    expected = compiled(AFFINE)(X, W)
    turned = X[:, ::-1].copy()[:, ::-1]
    for _ in range(2):
        same(compiled(AFFINE)(Tensor(X), Tensor(W)), expected)
        same(compiled(AFFINE)(Tensor(turned), W), expected)
    with pytest.raises(TypeError, match="expected float32, got float64"):
        compiled(AFFINE)(Tensor(X.astype(np.float64)), W)


@pytest.mark.torch
def test_takes_tensors_of_torch():
    import torch

    expected = compiled(AFFINE)(X, W)
    x, w = torch.from_numpy(X.copy()), torch.from_numpy(W.copy())
    for _ in range(2):
        same(compiled(AFFINE)(x, w.requires_grad_()), expected)
        same(compiled(AFFINE)(x, torch.nn.Parameter(w)), expected)
        same(compiled(AFFINE)(torch.from_numpy(X.T.copy()).T, w), expected)
    with pytest.raises(TypeError, match="expected float32, got float64"):
        compiled(AFFINE)(x.double(), w)
    with pytest.raises(TypeError, match="expected a tensor of float32 on the CPU"):
        compiled(AFFINE)(x.to(torch.bfloat16), w)


@pytest.mark.parametrize("batch", [0, 1, 2, 7])
def test_batches_may_be_empty(batch: int):
    x = np.ones((batch, 3), np.float32)
    same(compiled(AFFINE)(x, W), np.maximum(x @ W, 0))
    same(compiled(PARTS)(x)[1], x)


def test_sizes_of_zero_that_are_known():
    text = DOUBLE.replace("2x3", "2x0x3")
    same(compiled(text)(np.zeros((2, 0, 3), np.float32)), np.zeros((2, 0, 3), "f4"))


def test_outputs_are_the_callers_own():
    module = compiled(ALIASES)
    x = X.copy()
    results = [*module(x), *module(x), *module(x.tolist())]
    everything = [x, *results]
    for at, one in enumerate(everything):
        for other in everything[at + 1 :]:
            assert not np.shares_memory(one, other)
    for each in results:
        each[...] = 9
    same(x, X)
    expected: list[Array] = [X, np.array([1, 2], "f4"), X.ravel(), X + X, X + X]
    expected.append((X + X).reshape(3, 2))
    for actual, wanted in zip(module(x), expected, strict=True):
        same(actual, wanted)


def test_inputs_are_left_alone():
    for module, inputs in ((AFFINE, (X, W)), (PARTS, (X,)), (ALIASES, (X,))):
        given = [each.copy() for each in inputs]
        compiled(module)(*given)
        for before, after in zip(inputs, given, strict=True):
            same(after, before)


def test_earlier_results_stay():
    module = compiled(AFFINE)
    first = module(X, W)
    kept = first.copy()
    for _ in range(10):
        module(-X, W)
    same(first, kept)


def test_a_result_outlives_its_module():
    module = fresh(AFFINE)
    dead = weakref.ref(module)
    results = [module(X, W), module(X.tolist(), W)]
    expected = compiled(AFFINE)(X, W)
    del module
    gc.collect()
    assert dead() is None
    for each in results:
        same(each, expected)


def test_a_bound_call_keeps_its_module():
    module = fresh(PARTS)
    call = module.__call__
    dead = weakref.ref(module)
    del module
    gc.collect()
    assert dead() is not None
    for _ in range(3):
        same(call(X)[0], -X)
        same(call(X.tolist())[1], abs(X))
    with pytest.raises(TypeError, match="expected 1 inputs"):
        call()
    del call
    gc.collect()
    assert dead() is None


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((), {}, "expected 2 inputs (x, w), got none for x, w"),
        ((X,), {}, "expected 2 inputs (x, w), got none for w"),
        ((X, W, W), {}, "expected 2 inputs (x, w), got 3"),
        ((X, W), {"w": W}, "expected 2 inputs (x, w), got w twice"),
        ((X,), {"z": W}, "expected 2 inputs (x, w), got an input called z"),
        ((X[0], W), {}, "input x: expected shape (batch, 3), got (3,)"),
        ((X[None], W), {}, "input x: expected shape (batch, 3), got (1, 2, 3)"),
        ((X[:, :2], W), {}, "input x: expected shape (batch, 3) with batch = 2, got "),
        ((X, W.T), {}, "input w: expected shape (3, 5), got (5, 3)"),
        ((X, None), {}, "input w: expected an array of float32, got NoneType"),
        ((X, W > 0, 1), {}, "expected 2 inputs (x, w), got 3"),
        ((X, W.astype(int)), {}, "input w: expected float32, got int64; convert it "),
        ((X, "w"), {}, "input w: expected an array of float32, got str of <U1"),
        (([[1], [2, 3]], W), {}, "input x: expected rows of one length, got"),
        (([[1, 2, 1e99]], W), {}, "input x: expected numbers that float32 can hold"),
    ],
)
def test_says_what_is_wrong_and_works_again(
    arguments: tuple[Any, ...], named: dict[str, Any], message: str
):
    module = compiled(AFFINE)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError), match="expected") as error:
            module(*arguments, **named)
        assert str(error.value).startswith(message)
        np.testing.assert_allclose(module(X, W), Y, rtol=1e-6)


def test_sizes_that_take_turns_are_right():
    module = fresh(AFFINE)
    random = np.random.default_rng(0)
    for batch in [*range(100), 3, 200, 1, 0, 3, 3]:
        x = random.standard_normal((batch, 3)).astype(np.float32)
        np.testing.assert_allclose(module(x, W), np.maximum(x @ W, 0), atol=1e-5)
    assert module.statistics() == Statistics(slow_calls=101, plans=101)


def test_sizes_that_were_seen_take_no_way_through_python():
    module, random = fresh(RUNNING), np.random.default_rng(0)
    inputs = [random.standard_normal((n, 3)).astype(np.float32) for n in range(64)]
    expected = [module(each) for each in inputs]
    before = module.statistics()
    assert before.slow_calls == before.plans == 64

    def work(seed: int) -> None:
        order = np.random.default_rng(seed)
        for at in order.integers(0, 64, 300):
            for got, wanted in zip(module(inputs[at]), expected[at], strict=True):
                same(got, wanted)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert module.statistics() == before


def test_a_plan_that_was_dropped_is_made_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan_table, "KEPT_BYTES", 8000)
    module = fresh(AFFINE)
    random = np.random.default_rng(0)
    for batch in [*range(200), *range(200)]:
        x = random.standard_normal((batch, 3)).astype(np.float32)
        np.testing.assert_allclose(module(x, W), np.maximum(x @ W, 0), atol=1e-5)
    made = module.statistics()
    assert 0 < made.plans < 20
    assert made.slow_calls == 400
    module(np.zeros((199, 3), np.float32), W)
    assert module.statistics() == made


def test_a_row_has_the_same_bits_in_every_batch():
    x = np.random.default_rng(0).standard_normal((67, 3)).astype(np.float32)
    whole = compiled(AFFINE)(x, W)
    for batch in (1, 2, 8, 33):
        same(compiled(AFFINE)(x[:batch], W), whole[:batch])


def test_refuses_sizes_out_of_their_range():
    ranges = "attributes {graph.symbols = {batch = [2, 4]}}"
    module = compiled(AFFINE.replace("]> {", f"]> {ranges} {{"))
    for batch in (2, 4, 3):
        x = np.ones((batch, 3), np.float32)
        np.testing.assert_allclose(module(x, W), np.maximum(x @ W, 0), rtol=1e-6)
        for wrong in (0, 1, 5):
            with pytest.raises(
                ValueError, match=f"expected batch from 2 to 4, got {wrong}"
            ):
                module(np.ones((wrong, 3), np.float32), W)


def test_sizes_that_depend_on_each_other_are_checked():
    text = """
    func.func @sum(%x: tensor<?xf32, ["n"]>, %y: tensor<?xf32, ["2 * n + 1"]>,
        %z: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["2 * n + 1"]> {
      %0 = graph.neg %y : tensor<?xf32, ["2 * n + 1"]> -> tensor<?xf32, ["2 * n + 1"]>
      return %0 : tensor<?xf32, ["2 * n + 1"]>
    }
    """
    module = compiled(text)

    def ones(*sizes: int) -> list[Array]:
        return [np.ones(size, np.float32) for size in sizes]

    for n in (3, 0, 3):
        same(module(*ones(n, 2 * n + 1, n)), -np.ones(2 * n + 1, np.float32))
    for sizes in ((3, 6, 3), (3, 7, 4), (0, 0, 0)):
        for _ in range(2):
            with pytest.raises(ValueError, match=r"expected shape .* with n = .*, got"):
                module(*ones(*sizes))


def test_a_size_divided_by_zero_is_zero():
    quotient = '"floordiv(m, n)"'
    text = f"""
    func.func @quotient(%x: tensor<?x?xf32, ["m", "n"]>,
        %y: tensor<?xf32, [{quotient}]>) -> tensor<?xf32, [{quotient}]> {{
      %0 = graph.neg %y : tensor<?xf32, [{quotient}]> -> tensor<?xf32, [{quotient}]>
      return %0 : tensor<?xf32, [{quotient}]>
    }}
    """
    module = compiled(text)
    for _ in range(2):
        for m, n, size in ((4, 2, 2), (10**8, 0, 0), (0, 3, 0)):
            y = np.ones(size, np.float32)
            same(module(np.zeros((m, n), np.float32), y), -y)


def test_prints_its_inputs_and_outputs():
    assert repr(compiled(AFFINE)) == (
        "<StaticModule affine(x: float32[batch, 3], w: float32[3, 5]) -> "
        "float32[batch, 5]>"
    )
    assert isinstance(compiled(AFFINE), sr.StaticModule)
    none = sr.StaticModule((), ())
    for ask in (
        none,
        none.statistics,
        none.coverage,
        none.memory_report,
        none.repeater,
    ):
        with pytest.raises(ValueError, match=r"module of sr.compile, to ask for"):
            ask()


def test_names_its_inputs_and_outputs():
    module = compiled(KINDS)
    assert module.input_names == (*NAMES,)
    assert module.output_names == tuple(f"output_{at}" for at in range(len(NAMES)))
    assert compiled(AFFINE).output_names == ("output",)
    assert module.program.name == "kinds"


def test_reports_what_compiling_took():
    report = original(AFFINE).report
    assert not report.warm
    assert report.seconds > report.llvm_seconds > 0
    assert report.kernels >= report.distinct_kernels > 0
    assert report.object_bytes > 0
    assert "fuse" in [name for name, _ in report.passes]


def test_repeats_a_run_without_python():
    module = fresh(AFFINE)
    repeat = module.repeater(X, W)
    repeat(3)
    with pytest.raises(ValueError, match=r"^expected one time or more, got 0$"):
        repeat(0)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        repeat("3")  # pyright: ignore[reportArgumentType]
    count = len(module._pool)  # pyright: ignore[reportPrivateUsage]
    for _ in range(5):
        repeat = module.repeater(X, W)
        repeat(1)
    del repeat
    gc.collect()
    np.testing.assert_allclose(module(X, W), Y, rtol=1e-6)
    assert len(module._pool) <= count + 1  # pyright: ignore[reportPrivateUsage]
