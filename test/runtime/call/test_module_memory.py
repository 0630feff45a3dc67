"""Calls leave no memory behind, whether they return or raise; nor do modules."""

from __future__ import annotations

import gc
import sys
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from ..resident import growth as native_growth
from ..resident import resident_bytes
from ..texts import AFFINE, PARTS, RUNNING, WORDS, compiled

pytestmark = pytest.mark.usefixtures("few_objects")

X = np.ones((4, 3), np.float32)
W = np.ones((3, 5), np.float32)
OUT = np.ones((4, 3), np.float32), np.ones((4, 3), np.float32)
TABLE = np.zeros((1000, 250), np.float32)
WIDE = WORDS.replace("x2xf32", "x250xf32")
GOOD, BAD = np.arange(1000), np.full(1000, 1000)


def refused(call: Callable[[], Any]) -> Callable[[], None]:
    """A call that raises, as a call."""

    def run() -> None:
        # A thousand times what `pytest.raises` makes of a traceback takes a while.
        try:
            call()
        except (IndexError, TypeError, ValueError):
            return
        pytest.fail("expected a refusal")

    return run


CALLS: dict[str, tuple[int, Callable[[], Any]]] = {
    "one output": (2_000, lambda: compiled(AFFINE)(X, W)),
    "several outputs": (2_000, lambda: compiled(PARTS)(X)),
    "outputs of the caller's": (2_000, lambda: compiled(PARTS)(X, out=OUT)),
    "no such outputs": (1_000, refused(lambda: compiled(PARTS)(X, out=(X, X)))),
    "a state": (1_000, lambda: compiled(PARTS)(OUT[0], out=OUT)),
    "the slow way": (1_000, lambda: compiled(AFFINE)(x=X, w=W)),
    "lists": (1_000, lambda: compiled(PARTS)([[1, 2, 3]])),
    "a fallback op": (1_000, lambda: compiled(RUNNING)(X)),
    "a bad index": (1_000, refused(lambda: compiled(WIDE)(TABLE, BAD))),
    "a bad shape": (1_000, refused(lambda: compiled(PARTS)(W))),
    "a bad dtype": (1_000, refused(lambda: compiled(PARTS)(X > 0.5, X))),
    "no input": (1_000, refused(lambda: compiled(PARTS)())),
}


def growth(times: int, call: Callable[[], Any]) -> int:
    """The bytes that Python holds more after this many calls."""
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(times):
        call()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    return after - before


@pytest.mark.sampled(every=11)
@pytest.mark.parametrize("name", CALLS)
def test_calls_leave_nothing_behind(name: str):
    times, call = CALLS[name]
    tracemalloc.start()
    growths: list[int] = []
    try:
        # Python keeps some free objects of each kind, and a cache may grow at any time:
        # what calls leave behind, they leave behind every time. An object for each call
        # would be 16 bytes at least.
        while len(growths) < 4 and not any(each < 8 * times for each in growths):
            growths.append(growth(times, call))
    finally:
        tracemalloc.stop()
    assert min(growths) < 8 * times, growths


def test_an_error_of_a_run_frees_its_outputs():
    # The outputs of these calls together are a gigabyte, or two with the slow way.
    module = compiled(WIDE)
    for _ in range(10):
        with pytest.raises(IndexError):
            module(TABLE, BAD)
    before = resident_bytes()
    for _ in range(1000):
        with pytest.raises(IndexError):
            module(TABLE, BAD)
    assert resident_bytes() - before < 100e6
    np.testing.assert_array_equal(module(TABLE, GOOD), TABLE)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_calls_leave_the_references_of_dtypes_alone(dtype: str):
    described = np.dtype(dtype)
    module = compiled(AFFINE) if dtype == "float32" else compiled(RUNNING)
    inputs = (X, W) if dtype == "float32" else (X,)
    module(*inputs)
    before = sys.getrefcount(described)
    for _ in range(1000):
        module(*inputs)
    assert abs(sys.getrefcount(described) - before) < 100


def test_a_result_holds_one_reference_to_itself():
    for result in (compiled(AFFINE)(X, W), *compiled(PARTS)(X)):
        assert result.base is None
        assert result.flags.owndata
    alone, other = compiled(AFFINE)(X, W), np.empty(3)
    assert sys.getrefcount(alone) == sys.getrefcount(other)


def test_modules_are_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    sr.compile(RUNNING)
    dead: list[weakref.ref[sr.StaticModule]] = []

    def use_one() -> None:
        module = sr.compile(RUNNING)
        assert module.report.warm
        module(X)
        module([[1, 2, 3]])
        dead.append(weakref.ref(module))

    for _ in range(20):
        use_one()
    gc.collect()
    before = resident_bytes()
    for _ in range(50):
        use_one()
    gc.collect()
    assert [ref() for ref in dead] == [None] * len(dead)
    # Some 10 kB are kept for each: its type's name, the linker's record of it.
    assert resident_bytes() - before < 10e6


LAYERS = """
func.func @layers(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %i: tensor<8xi64>)
    -> (tensor<8x16xf32>, tensor<8x1xf32>) {
  %0 = graph.matmul %x, %w : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : tensor<8x16xf32> -> tensor<8x16xf32>
  %2 = graph.embedding %1, %i : tensor<8x16xf32>, tensor<8xi64> -> tensor<8x16xf32>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = true}
    : tensor<8x16xf32> -> tensor<8x1xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x1xf32>
}
"""
"""Several kernels."""

KEPT = 5 * 2**20 / 200
"""The most bytes that a compile may leave behind once its module is gone."""


@pytest.mark.full(
    beside="lowering/llvm_to_object/test_pass_manager.py::test_a_compile_leaves_next_to_nothing_behind"
)
def test_compiling_leaves_next_to_nothing_behind():
    # The allocator counts what its first thread has, so that is where LLVM runs.
    options = sr.Options(cache=False, threads=1)
    sr.compile(LAYERS, options=options)
    # Some of it goes later, with the linker of several programs.
    assert native_growth(5, lambda: sr.compile(LAYERS, options=options)) < 2 * KEPT
