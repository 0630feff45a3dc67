"""A call writes to the arrays that the caller gives as `out`, or says what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.runtime.call.program_module import ProgramModule

from ..arrangements import arrangements, same
from ..texts import AFFINE, ALIASES, DOUBLE, PARTS, RUNNING, WORDS, compiled, fresh

Array = npt.NDArray[Any]

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
W = np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5)

COUNTED = """
func.func @counted(%x: tensor<?xi1, ["n"]>, %c: tensor<i64>)
    -> (tensor<?xi1, ["n"]>, tensor<?x1xi64, ["found"]>) {
  graph.define_symbol %c {symbol = "found", low = "0", high = "n"} : tensor<i64>
  %0 = graph.nonzero %x {count = "found"} : tensor<?xi1, ["n"]>
    -> tensor<?x1xi64, ["found"]>
  %1 = graph.logical_not %x : tensor<?xi1, ["n"]> -> tensor<?xi1, ["n"]>
  return %1, %0 : tensor<?xi1, ["n"]>, tensor<?x1xi64, ["found"]>
}
"""
"""not x, and where x is true, which it is as often as the caller says."""


def empty(*shape: int, dtype: str = "float32") -> Array:
    """An array of sevens, which no result is."""
    return np.full(shape, 7, dtype)


def never(*_: Any, **__: Any) -> Any:
    """What a module whose calls all go to machine code calls otherwise."""
    raise AssertionError("expected compiled code to take the call")


@pytest.fixture
def all_fast(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the way through Python fail, from when it is called."""
    return lambda: monkeypatch.setattr(ProgramModule, "bind_arguments", never)


def test_writes_to_the_array_and_returns_it(all_fast: Callable[[], None]):
    module, out = fresh(DOUBLE), empty(2, 3)
    all_fast()
    for scale in (1, 2, 3):
        assert module(scale * X, out=out) is out
        same(out, 2 * scale * X)
    same(module(X), 2 * X)
    named = {"out": out}
    assert module(*[X], **named) is out


def test_writes_to_a_tuple_and_returns_it(all_fast: Callable[[], None]):
    module = fresh(PARTS)
    module(X)
    all_fast()
    out = empty(2, 3), empty(2, 3)
    for scale in (1, 2, 3):
        assert module(scale * X, out=out) is out
        same(out[0], -scale * X)
        same(out[1], abs(scale * X))


def test_the_way_through_python_writes_too():
    out, parts = empty(2, 3), (empty(2, 3), empty(2, 3))
    for x in (X.tolist(), np.asfortranarray(X)):
        assert compiled(DOUBLE)(x, out=out) is out
        same(out, X + X)
        assert compiled(PARTS)(x, out=parts) is parts
        same(parts[1], abs(X))
    assert compiled(DOUBLE)(x=-X, out=out) is out
    same(out, -2 * X)


def test_sizes_follow_the_inputs():
    module = fresh(AFFINE)
    outs = {batch: empty(batch, 5) for batch in (0, 1, 2, 7)}
    for batch in (2, 2, 7, 7, 0, 0, 1, 2):
        x = np.arange(batch * 3, dtype=np.float32).reshape(batch, 3)
        assert module(x, W, out=outs[batch]) is outs[batch]
        same(outs[batch], module(x, W))
        wrong = empty(batch + 1, 5)
        for _ in range(2):
            with pytest.raises(
                ValueError, match=rf"output output: expected shape \({batch}, 5\), got"
            ):
                module(x, W, out=wrong)
        same(wrong, empty(batch + 1, 5))


def test_none_is_as_if_there_were_nothing():
    same(compiled(DOUBLE)(X, out=None), X + X)


def test_a_model_without_outputs_takes_an_empty_tuple():
    nothing = compiled("func.func @nothing(%x: tensor<2xf32>) {\n  return\n}")
    out = ()
    assert nothing(np.zeros(2, np.float32), out=out) is out
    with pytest.raises(TypeError, match=r"out: expected a tuple of 0 arrays \(\), got"):
        nothing(np.zeros(2, np.float32), out=empty(1))


def test_scalars_of_each_dtype():
    for dtype, name in (("f32", "float32"), ("i64", "int64"), ("i1", "bool")):
        text = f"func.func @same(%x: tensor<{dtype}>) -> tensor<{dtype}> {{\n"
        module = compiled(text + f"  return %x : tensor<{dtype}>\n}}")
        out = np.zeros((), name)
        assert module(np.ones((), name), out=out) is out
        same(out, np.ones((), name))


ODD = empty(2, 3)
SHARED = np.zeros(12, np.float32)
REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a list": ([[0.0] * 3] * 2, TypeError, "a numpy.ndarray, got list"),
    "a tuple of one": ((empty(2, 3),), TypeError, "a numpy.ndarray, got tuple"),
    "a number": (np.float32(1), TypeError, "a numpy.ndarray, got float32"),
    "another dtype": (empty(2, 3, dtype="f8"), TypeError, "float32, got float64"),
    "integers": (empty(2, 3, dtype="i4"), TypeError, "float32, got int32"),
    "another rank": (empty(6), ValueError, r"shape \(2, 3\), got \(6,\)"),
    "another size": (empty(3, 2), ValueError, r"shape \(2, 3\), got \(3, 2\)"),
    "in columns": (arrangements(ODD)["in columns"], ValueError, "rows one after"),
    "strided": (arrangements(ODD)["strided"], ValueError, "rows one after"),
    "reversed": (arrangements(ODD)["reversed"], ValueError, "rows one after"),
    "misaligned": (
        arrangements(ODD)["misaligned"],
        ValueError,
        "elements at multiples of 4 bytes",
    ),
    "for reading": (
        arrangements(ODD)["for reading"],
        ValueError,
        "an array for writing, got",
    ),
    "of other order": (
        arrangements(ODD)["of other byte order"],
        TypeError,
        "float32, got >f4",
    ),
    "in a file": (ODD.view(np.memmap), TypeError, "a numpy.ndarray, got memmap"),
    "masked": (
        ODD.view(np.ma.MaskedArray),
        TypeError,
        "a numpy.ndarray, got MaskedArray",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_what_it_cannot_write_to(name: str):
    out, kind, message = REFUSED[name]
    before = np.array(out, copy=True)
    good = empty(2, 3)
    compiled(PARTS)(X)
    for x in (X, X.tolist()):
        with pytest.raises(kind, match=f"output output: expected {message}"):
            compiled(DOUBLE)(x, out=out)
        with pytest.raises(kind, match=f"output output_1: expected {message}"):
            compiled(PARTS)(x, out=(good, out))
    np.testing.assert_array_equal(out, before)
    same(compiled(DOUBLE)(X, out=good), X + X)


@pytest.mark.parametrize(
    ("out", "got"),
    [
        (empty(2, 3), "ndarray"),
        ([empty(2, 3), empty(2, 3)], "list"),
        ((empty(2, 3),), "1"),
        ((empty(2, 3),) * 3, "3"),
        ((), "0"),
    ],
)
def test_refuses_another_number_of_arrays(out: Any, got: str):
    expected = r"out: expected a tuple of 2 arrays \(output_0, output_1\), got "
    for _ in range(2):
        with pytest.raises(TypeError, match=f"{expected}{got}$"):
            compiled(PARTS)(X, out=out)


def test_refuses_outputs_that_share_memory():
    row = np.zeros((3, 3), np.float32)
    expected = "output output_1: expected memory of its own, got memory of output outp"
    module = compiled(PARTS)
    module(X)
    for first, second in ((row[:2], row[1:]), (row[1:], row[:2]), (row[:2], row[:2])):
        for x in (X, X.tolist()):
            with pytest.raises(ValueError, match=expected):
                module(x, out=(first, second))
    same(row, np.zeros((3, 3), np.float32))
    beside = np.zeros((4, 3), np.float32)
    module(X, out=(beside[2:], beside[:2]))
    same(beside, np.concatenate([abs(X), -X]))


@pytest.mark.parametrize("shift", range(-4, 5))
def test_an_input_that_shares_memory_is_read_before(shift: int):
    room = np.zeros((12, 3), np.float32)
    x, out = room[4:8], room[4 + shift :][:4]
    other = empty(4, 3)
    module = fresh(PARTS)
    values = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    for turn in range(4):
        x[...] = values
        given = (out, other) if turn % 2 else (other, out)
        module(x, out=given)
        same(given[0], -values)
        same(given[1], abs(values))


def test_a_state_is_written_in_its_place():
    state = np.ones((2, 3), np.float32)
    for _ in range(5):
        assert compiled(DOUBLE)(state, out=state) is state
    same(state, np.full((2, 3), 32, np.float32))
    x = np.ones((3, 3), np.float32)
    w = np.arange(15, dtype=np.float32).reshape(3, 5)
    expected = compiled(AFFINE)(x, w)
    assert compiled(AFFINE)(x, w, out=w) is w
    same(w, expected)


def test_empty_arrays_share_nothing():
    room = np.zeros((4, 3), np.float32)
    out = room[1:1], room[2:2]
    for _ in range(2):
        assert compiled(PARTS)(room[3:3], out=out) is out
    assert compiled(AFFINE)(room[:0], W, out=empty(0, 5)).shape == (0, 5)


def test_outputs_that_were_one_value_are_apart():
    module = compiled(ALIASES)
    fresh_outputs = module(X)
    out = tuple(np.zeros_like(each) for each in fresh_outputs)
    assert module(X, out=out) is out
    for actual, expected in zip(out, fresh_outputs, strict=True):
        same(actual, expected)


def test_fallback_ops_write_to_it():
    expected = compiled(RUNNING)(X)
    out = empty(2, 3), empty(2, dtype="int64")
    for _ in range(2):
        assert compiled(RUNNING)(X, out=out) is out
        for actual, wanted in zip(out, expected, strict=True):
            same(actual, wanted)


def test_an_input_may_be_called_out():
    module = compiled(DOUBLE.replace("%x", "%out"))
    for _ in range(2):
        same(module(out=X), X + X)
        same(module(X), X + X)
        with pytest.raises(TypeError, match=r"expected 1 inputs .* got out twice"):
            module(X, out=X)


def test_other_names_are_as_ever():
    with pytest.raises(TypeError, match="got an input called oup"):
        compiled(DOUBLE)(X, oup=empty(2, 3))
    with pytest.raises(TypeError, match="got x twice"):
        compiled(DOUBLE)(X, x=X, out=empty(2, 3))
    with pytest.raises(TypeError, match="got none for x"):
        compiled(DOUBLE)(out=empty(2, 3))
    text = "".join(["o", "u", "t"])
    out = empty(2, 3)
    assert compiled(DOUBLE)(X, **{text: out}) is out


def test_refuses_outputs_whose_size_only_the_run_knows():
    module = compiled(COUNTED)
    x = np.array([True, False, True])
    same(module(x, 2)[1], np.array([[0], [2]]))
    out = np.zeros(3, bool), np.zeros((2, 1), np.int64)
    for _ in range(2):
        with pytest.raises(
            TypeError,
            match=r"output output_1: expected no array .* the run knows found",
        ):
            module(x, np.array(2), out=out)


def test_an_error_of_a_run_leaves_the_module_as_it_was():
    table, out = np.eye(4, 2, dtype=np.float32), empty(2, 2)
    module = fresh(WORDS)
    for _ in range(3):
        with pytest.raises(IndexError, match=r"words: expected .* to 3, got 4"):
            module(table, np.array([0, 4]), out=out)
        same(module(table, np.array([1, 0]), out=out), table[[1, 0]])
    assert len(module._pool) == 1  # pyright: ignore[reportPrivateUsage]


def test_calls_leave_references_alone():
    module, out = compiled(DOUBLE), empty(2, 3)
    pair, bad = (empty(2, 3), empty(2, 3)), (empty(2, 3), empty(3, 3))
    table, index, rows = np.eye(4, 2, dtype=np.float32), np.array([0, 4]), empty(2, 2)
    compiled(PARTS)(X)
    watched = (X, out, *pair, pair, *bad, bad, rows, index, module, np.dtype("f4"))
    before = [sys.getrefcount(each) for each in watched]
    for _ in range(1000):
        module(X, out=out)
        compiled(PARTS)(X, out=pair)
        for call in (
            lambda: compiled(PARTS)(X, out=bad),
            lambda: compiled(WORDS)(table, index, out=rows),
        ):
            with pytest.raises((ValueError, IndexError)):
                call()
    after = [sys.getrefcount(each) for each in watched]
    assert max(abs(b - a) for a, b in zip(before, after)) < 100


def test_threads_write_to_arrays_of_their_own():
    module = fresh(AFFINE)

    def work(number: int) -> None:
        x = np.full((number + 1, 3), number, np.float32)
        out, expected = empty(number + 1, 5), np.maximum(x @ W, 0)
        for _ in range(200):
            assert module(x, W, out=out) is out
            np.testing.assert_allclose(out, expected, atol=1e-5)
            out[...] = 7

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_of_a_kernel_write_to_it(threads: int):
    text = AFFINE.replace("x3x", "x300x").replace("<3x5", "<300x500")
    text = text.replace("?x3xf32", "?x300xf32").replace("?x5xf32", "?x500xf32")
    options = sr.Options(cache=False, threads=threads)
    module = sr.compile(text, options=options)
    random = np.random.default_rng(0)
    x = random.standard_normal((64, 300)).astype(np.float32)
    w = random.standard_normal((300, 500)).astype(np.float32)
    out = empty(64, 500)
    for _ in range(20):
        assert module(x, w, out=out) is out
    same(out, module(x, w))
    np.testing.assert_allclose(out, np.maximum(x @ w, 0), rtol=1e-3, atol=1e-3)


APPEND = """
func.func @append(%c: tensor<?x4xf32, ["n"]>, %i: tensor<1x4xi64>, %u: tensor<1x4xf32>,
    %d: tensor<?x4xf32, ["n"]>)
    -> (tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["n"]>) {
  %0 = graph.scatter %c, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"}
    : tensor<?x4xf32, ["n"]>, tensor<1x4xi64>, tensor<1x4xf32>
    -> tensor<?x4xf32, ["n"]>
  %1 = graph.scatter %d, %i, %u {axis = 0 : i64, wraps = false, reduction = "add"}
    : tensor<?x4xf32, ["n"]>, tensor<1x4xi64>, tensor<1x4xf32>
    -> tensor<?x4xf32, ["n"]>
  %2 = graph.mul %0, %1 : tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["n"]>
    -> tensor<?x4xf32, ["n"]>
  return %0, %1, %2
    : tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["n"]>
}
"""
"""A row of one state is replaced, and added to that of another."""


def test_a_state_is_updated_where_it_is(all_fast: Callable[[], None]):
    module = fresh(APPEND)
    assert {(0, 0), (3, 1)} <= {*module.program.donations}
    random = np.random.default_rng(0)
    for n in (5, 300):
        c, d = random.standard_normal((2, n, 4)).astype(np.float32)
        out = empty(n, 4)
        module(c, np.zeros((1, 4), np.int64), c[:1], d)
        wanted, added = c.copy(), d.copy()
        for at in random.integers(0, n, 20):
            row = random.standard_normal((1, 4)).astype(np.float32)
            index = np.full((1, 4), at)
            wanted[at], added[at] = row, added[at] + row
            one, other, product = module(c, index, row, d)
            same(one, wanted)
            same(other, added)
            assert module(c, index, row, d, out=(c, d, out)) == (c, d, out)
            for got, expected in ((c, wanted), (d, added), (out, product)):
                same(got, expected)
    assert module.statistics().slow_calls == 2


def test_other_arrangements_of_a_state_are_right_too():
    module = fresh(APPEND)
    c, d = np.random.default_rng(0).standard_normal((2, 6, 4)).astype(np.float32)
    index, row = np.full((1, 4), 2), np.ones((1, 4), np.float32)
    wanted = module(c, index, row, d)
    memory = np.empty((9, 4), np.float32)
    for shift in (0, 1, 3):
        # An output that begins in the middle of its input, or in another's.
        for given, other in ((0, 1), (1, 0)):
            inputs = [c.copy(), d.copy()]
            part = memory[:6]
            part[:] = inputs[given]
            inputs[given] = part
            outputs = [empty(6, 4), empty(6, 4), empty(6, 4)]
            outputs[other if shift == 0 else given] = memory[shift : shift + 6]
            results = module(inputs[0], index, row, inputs[1], out=tuple(outputs))
            for got, expected in zip(results, wanted, strict=True):
                same(got, expected)


def test_an_error_after_the_state_was_read_is_told():
    module = fresh(APPEND)
    c, d = np.ones((2, 6, 4), np.float32)
    index, row = np.full((1, 4), 6), np.ones((1, 4), np.float32)
    for _ in range(2):
        with pytest.raises(IndexError, match="expected an index from 0 to 5, got 6"):
            module(c, index, row, d, out=(c, d, empty(6, 4)))
