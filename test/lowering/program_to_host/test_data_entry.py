"""A model as data is called as a compiled one is: without Python, and as right."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from bench.onnx_graph import Graph
from static_runtime.compiler.library.data_model import make_data_model
from static_runtime.runtime.abi import ModelTable

from ...compiler.library.replay import check_equal, replay

Array = npt.NDArray[np.float32]

TWO = """
func.func @two(%x: tensor<?x?xf32, ["n", "m"]>, %y: tensor<?xf32, ["m"]>)
    -> (tensor<?x?xf32, ["n", "m"]>, tensor<?x?xf32, ["n", "2 * m"]>) {
  %0 = graph.add %x, %y : tensor<?x?xf32, ["n", "m"]>, tensor<?xf32, ["m"]>
    -> tensor<?x?xf32, ["n", "m"]>
  %1 = graph.concat %0, %x {axis = 1 : i64} : tensor<?x?xf32, ["n", "m"]>,
    tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "2 * m"]>
  return %0, %1 : tensor<?x?xf32, ["n", "m"]>, tensor<?x?xf32, ["n", "2 * m"]>
}
"""
"""Two outputs; the size of one is computed."""


def gather() -> Any:
    """A model of known sizes whose runs may fail."""
    g = Graph()
    x = g.input("x", (5, 3))
    at = g.add("Cast", g.input("at", (4,)), to=7)
    return g.model(g.add("Gather", x, at, axis=0))


@pytest.fixture(scope="module")
def two() -> sr.StaticModule:
    """The model of two outputs, as data."""
    return replay(TWO)


def given(n: int, m: int) -> tuple[Array, Array]:
    """Its inputs."""
    x = np.arange(n * m, dtype=np.float32).reshape(n, m)
    return x, np.arange(m, dtype=np.float32) + 1


@contextmanager
def without_python(module: sr.StaticModule) -> Generator[None]:
    """A block in which no call of a module goes by way of Python."""
    before = module.statistics().slow_calls
    yield
    assert module.statistics().slow_calls == before


def test_sizes_may_change_from_call_to_call(two: sr.StaticModule):
    shapes = [*product((1, 3, 0, 7), (4, 1, 0))]
    for shape in shapes:
        x, y = given(*shape)
        check_equal(two(x, y), (x + y, np.concatenate([x + y, x], 1)))
    with without_python(two):
        for shape in [*shapes, *reversed(shapes)]:
            x, y = given(*shape)
            check_equal(two(x, y), (x + y, np.concatenate([x + y, x], 1)))


def test_what_is_unusual_is_left_to_python(two: sr.StaticModule):
    x, y = given(2, 3)
    wanted = x + y, np.concatenate([x + y, x], 1)
    check_equal(two(x, y), wanted)
    with without_python(two):
        check_equal(two(y=y, x=x), wanted)
    check_equal(two(x.tolist(), y), wanted)
    check_equal(two(np.asfortranarray(x), y), wanted)
    check_equal(two(np.repeat(x, 2, 1)[:, ::2], y), wanted)
    out = np.empty_like(wanted[0]), np.empty_like(wanted[1])
    assert two(x, y, out=out) is out
    check_equal(out, wanted)


def test_what_is_wrong_is_told_in_the_words_of_a_compiled_module(two: sr.StaticModule):
    compiled = sr.compile(TWO, options=sr.Options(cache=False))
    x, y = given(2, 3)
    check_equal(two(x, y), compiled(x, y))
    wrong: list[tuple[Any, ...]] = [
        *((), (x,), (x, y, y), (x, y[:2]), (x[0], y), (x.astype("f8"), y), (x, "y")),
        (x, np.zeros(4, np.float32)),
    ]
    for arguments in wrong:
        with pytest.raises((TypeError, ValueError)) as known:
            compiled(*arguments)
        with pytest.raises(known.type) as found:
            two(*arguments)
        assert str(found.value) == str(known.value)
    check_equal(two(x, y), compiled(x, y))


def test_a_model_of_known_sizes_runs_again_after_an_error():
    module = replay(gather())
    x, at = (
        np.arange(15, dtype=np.float32).reshape(5, 3),
        np.array([4, 0, 1, -1], np.float32),
    )
    wanted = x[[4, 0, 1, -1]]
    check_equal(module(x, at), wanted)
    with without_python(module):
        for _ in range(3):
            check_equal(module(x, at), wanted)
            with pytest.raises(IndexError, match="got 5"):
                module(x, np.array([0, 1, 5, 2], np.float32))
    module.release()
    check_equal(module(x, at), wanted)


def test_threads_call_one_model(two: sr.StaticModule):
    wrong: list[int] = []

    def call(n: int) -> None:
        x, y = given(n, 5)
        for _ in range(200):
            if not np.array_equal(two(x, y)[0], x + y):
                wrong.append(n)

    threads = [threading.Thread(target=call, args=(n,)) for n in range(1, 7)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_more_plans_than_are_kept(two: sr.StaticModule):
    for n in range(1, 2500):
        x, y = given(n % 1250 + 1, 1)
        np.testing.assert_array_equal(two(x, y)[0], x + y)


def many(count: int) -> Any:
    """A model of many inputs, and a sum of all."""
    g = Graph()
    found = [g.input(f"x{at}", ("n",)) for at in range(count)]
    total = found[0]
    for each in found[1:]:
        total = g.add("Add", total, each)
    return g.model(total)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("more", [0, 1])
def test_the_entry_takes_as_many_arrays_as_it_has_room_for(more: int):
    count = ModelTable.ARRAYS + more
    module = replay(many(count))
    arrays = [np.full(3, at, np.float32) for at in range(count)]
    np.testing.assert_array_equal(module(*arrays), sum(arrays))
    before = module.statistics().slow_calls
    np.testing.assert_array_equal(module(*arrays), sum(arrays))
    assert module.statistics().slow_calls == before + more


def test_a_model_whose_runs_define_sizes_goes_by_way_of_python():
    g = Graph()
    module = replay(g.model(g.add("NonZero", g.input("x", ("n",)))))
    x = np.array([0, 1, 0, 2], np.float32)
    for _ in range(2):
        check_equal(module(x), np.array([[1, 3]]))


@pytest.mark.full(
    beside="lowering/program_to_host/test_polls.py::test_a_key_ends_a_long_run"
)
def test_the_handler_of_a_signal_ends_a_long_run():
    g = Graph()
    x = g.input("x", (256, 256))
    for _ in range(600):
        x = g.add("MatMul", x, x)
    module = replay(g.model(x))

    def stop(*_: object) -> None:
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(InterruptedError):
            module(np.zeros((256, 256), np.float32))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_work_of_a_run_is_noted():
    made = make_data_model(TWO)
    assert "m" in made.artifact.notes["work"]
    assert isinstance(make_data_model(gather()).artifact.notes["work"], int)
