"""Compiled code knows Python and numpy as they are; modules work where it does not."""

import sys
import warnings
from collections.abc import Callable
from functools import cache
from threading import Lock
from types import SimpleNamespace
from typing import TypeAlias

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.lowering.program_to_host import python_api as objects
from static_runtime.runtime.abi import DTYPE_NAMES, State, dtype_of
from static_runtime.runtime.call.compiled import CompiledModule
from static_runtime.runtime.machine import code, numpy_layout, vectorcall
from static_runtime.runtime.machine.code import guarded
from static_runtime.runtime.machine.numpy_layout import (
    fill_state,
    has_gil,
    is_as_expected,
    unexpected,
    word_at,
)

from ..texts import AFFINE, PARTS, RUNNING, WORDS, fresh

pytestmark = pytest.mark.skipif(
    hasattr(sys, "gettotalrefcount") or not has_gil(),
    reason="compiled code does not know such a build, and a warning says so",
)

FIELDS = ("TYPE", "DATA", "RANK", "DIMS", "DTYPE", "FLAGS")
FLAGS = ("C_CONTIGUOUS", "ALIGNED", "WRITEABLE")

Pretence: TypeAlias = Callable[[pytest.MonkeyPatch], None]
"""Makes this process look like one that compiled code does not know."""


def test_this_python_and_this_numpy_are_as_expected():
    assert unexpected() is None
    assert is_as_expected()


@pytest.mark.parametrize("name", FIELDS)
def test_compiled_code_looks_where_the_check_does(name: str):
    assert getattr(objects, name) == getattr(numpy_layout, name)


def test_compiled_code_wants_the_flags_that_the_check_does():
    wanted = numpy_layout.C_CONTIGUOUS | numpy_layout.ALIGNED
    assert wanted == objects.WANTED_FLAGS
    assert wanted | numpy_layout.WRITEABLE == objects.WRITTEN_FLAGS


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_at_any_other_place_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    right = getattr(numpy_layout, name)
    for place in range(0, np.ndarray.__basicsize__ + 16, 8):
        monkeypatch.setattr(numpy_layout, name, place)
        assert (unexpected() is None) == (place == right)


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_of_any_other_bit_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch):
    right = getattr(numpy_layout, name)
    for bit in range(31):
        monkeypatch.setattr(numpy_layout, name, 1 << bit)
        assert (unexpected() is None) == (1 << bit == right)


def without_gil(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (numpy_layout, code):
        monkeypatch.setattr(each, "has_gil", lambda: False)


def debug_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "gettotalrefcount", lambda: 0, raising=False)


def another_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    other = SimpleNamespace(**{**vars(sys.implementation), "name": "other"})
    monkeypatch.setattr(sys, "implementation", other)


def larger_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_layout, "HEAD", 32)


def smaller_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_layout, "FLAGS", np.ndarray.__basicsize__)


def moved_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_layout, "DIMS", 40)


def other_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_layout, "WRITEABLE", 0x100)


def another_abi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_layout, "ABI", 0x3000000)


def no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("numpy._core._multiarray_umath._ARRAY_API")


def another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numpy._core._multiarray_umath._ARRAY_API", object())


def calls_of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorcall, "works", lambda: False)


PRETENCES: dict[Pretence, str] = {
    without_gil: "a GIL: expected True, got False",
    debug_build: "a debug build of Python: expected False, got True",
    another_interpreter: "the interpreter: expected cpython, got other",
    larger_heads: "bytes of an object's head: expected 32, got 16",
    smaller_arrays: "an array's fields lie in it: expected True, got False",
    moved_sizes: "the sizes of an array: expected ",
    other_flags: "the flags of an array: expected ",
    another_abi: "numpy's ABI: expected 0x3000000, got 0x2000000",
    no_table: "a table of numpy's functions: expected True, got False",
    another_table: "a table of numpy's functions: expected True, got False",
    calls_of_another_kind: "Python calls an object by an address: expected True",
}


@pytest.fixture(params=PRETENCES, ids=lambda each: each.__name__)
def pretence(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Pretence:
    """A process that compiled code does not know, which has looked at nothing yet."""
    request.param(monkeypatch)
    again = cache(is_as_expected.__wrapped__)
    monkeypatch.setattr(numpy_layout, "is_as_expected", again)
    return request.param


def test_a_process_that_is_not_known_is_slow_and_right(pretence: Pretence):
    sentence = f"called by Python code.*: {PRETENCES[pretence]}"
    with pytest.warns(RuntimeWarning, match=sentence) as warned:
        # The compiler has kept them, but for the first time.
        module, affine, running, words = map(
            sr.compile, (PARTS, AFFINE, RUNNING, WORDS)
        )
    assert len(warned) == 1
    for each in (module, affine, running, words):
        assert type(each) is CompiledModule
        assert not each._code.state[State.ARRAY_TYPE]  # pyright: ignore[reportPrivateUsage]
    w = np.ones((3, 5), np.float32)
    for batch in (2, 2, 0, 5):
        x = np.linspace(-1, 1, batch * 3, dtype=np.float32).reshape(batch, 3)
        negative, positive = module(x)
        np.testing.assert_array_equal(negative, -x)
        np.testing.assert_array_equal(positive, abs(x))
        out = np.empty_like(x), np.empty_like(x)
        assert module(x, out=out) is out
        np.testing.assert_array_equal(out[0], -x)
        np.testing.assert_array_equal(out[1], abs(x))
        place = np.empty((batch, 5), np.float32)
        assert affine(x, w, out=place) is place
        np.testing.assert_array_equal(place, affine(x=x, w=w))
        np.testing.assert_allclose(place, np.maximum(x @ w, 0), atol=1e-6)
        total = np.cumsum(np.maximum(x, 0), 0) * x
        np.testing.assert_array_equal(running(x)[1], total.argmax(1))
        module.repeater(x)(3)
    with pytest.raises(ValueError, match="expected shape"):
        module(np.zeros((2, 4), np.float32))
    with pytest.raises(IndexError, match="got 9"):
        words(np.zeros((3, 2), np.float32), np.array([0, 9]))


def test_a_process_that_is_known_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_as_expected.__wrapped__()


def test_without_a_gil_one_thread_at_a_time_takes_a_runtime(
    monkeypatch: pytest.MonkeyPatch,
):
    def own() -> code.Code:
        return fresh(PARTS)._code  # pyright: ignore[reportPrivateUsage]

    assert guarded.__name__ not in repr(own().borrow)
    monkeypatch.setattr(numpy_layout, "is_as_expected", lambda: False)
    without_gil(monkeypatch)
    found = own()
    for each in (found.borrow, found.give_back):
        assert guarded.__name__ in repr(each)


def test_the_build_says_whether_there_is_a_gil(monkeypatch: pytest.MonkeyPatch):
    assert has_gil()
    monkeypatch.setattr(sys, "abiflags", "td")
    assert not has_gil()
    monkeypatch.delattr(sys, "abiflags")
    assert has_gil()


def test_what_is_guarded_runs_under_its_lock():
    lock = Lock()

    def answer(number: int) -> tuple[int, bool]:
        return number, lock.locked()

    assert guarded(answer, lock)(3) == (3, True)
    assert not lock.locked()
    with pytest.raises(ZeroDivisionError):
        guarded(lambda: 1 // 0, lock)()
    assert not lock.locked()


def test_the_state_holds_the_objects_of_numpy():
    state = np.zeros(State.SIZE, np.uint64)
    fill_state(state, DTYPE_NAMES)
    assert state[State.FREE] == 0
    assert state[State.ARRAY_TYPE] == id(np.ndarray)
    for at, name in enumerate(DTYPE_NAMES):
        assert state[State.DTYPES + at] == id(dtype_of(name))
        assert word_at(state[State.DTYPES :].ctypes.data + 8 * at) == id(dtype_of(name))
