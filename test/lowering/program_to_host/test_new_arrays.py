"""Managed outputs: an array is returned again once nobody has it, and never before."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import weakref
from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import KEPT_CALLS

TYPE = 'tensor<?x8xf32, ["n"]>'
TWO = f"""
func.func @f(%x: {TYPE} {{sr.name = "x"}})
    -> ({TYPE} {{sr.name = "y"}}, {TYPE} {{sr.name = "z"}}) {{
  %y = graph.relu %x : {TYPE} -> {TYPE}
  %z = graph.neg %x : {TYPE} -> {TYPE}
  func.return %y, %z : {TYPE}, {TYPE}
}}
"""
ONE = f"""
func.func @f(%x: {TYPE} {{sr.name = "x"}}) -> ({TYPE} {{sr.name = "y"}}) {{
  %y = graph.relu %x : {TYPE} -> {TYPE}
  func.return %y : {TYPE}
}}
"""
COUNT = 40
"""More outputs than the entry makes in line."""
MANY = (
    f"func.func @f(%x: {TYPE}) -> ("
    + ", ".join([TYPE] * COUNT)
    + ") {\n"
    + "".join(f"  %y{at} = graph.neg %x : {TYPE} -> {TYPE}\n" for at in range(COUNT))
    + "  func.return "
    + ", ".join(f"%y{at}" for at in range(COUNT))
    + " : "
    + ", ".join([TYPE] * COUNT)
    + "\n}\n"
)


def managed(text: str) -> sr.StaticModule:
    return sr.compile(text, options=sr.Options(manage_output_tensors=True, threads=1))


def rows(count: int, first: float = -3.0) -> Any:
    values = np.arange(8 * count, dtype=np.float32) + np.float32(first)
    return values.reshape(count, 8)


def test_a_loop_needs_two_arrays():
    module, x = managed(ONE), rows(5)
    seen: set[int] = set()
    y = module(x)
    for _ in range(50):
        y = module(x)
        seen.add(y.ctypes.data)
        np.testing.assert_array_equal(y, np.maximum(x, 0))
    assert len(seen) == 2


def test_only_the_option_manages_outputs():
    module, x = sr.compile(ONE, options=sr.Options(threads=1)), rows(5)
    y = module(x)
    weak = weakref.ref(y)
    del y
    assert weak() is None


HOLDERS: dict[str, Callable[[Any], object]] = {
    "itself": lambda y: y,
    "a view": lambda y: y[1:, ::2],
    "a view of a view": lambda y: y.T[2:4][0],
    "another dtype": lambda y: y.view(np.int32),
    "a buffer": memoryview,
    "a capsule": lambda y: y.__dlpack__(),
    "an array by DLPack": np.from_dlpack,
    "an iterator": iter,
    "a flat iterator": lambda y: y.flat,
    "its ctypes": lambda y: y.ctypes,
    "a list": lambda y: [y],
    "a method": lambda y: y.sum,
}


@pytest.mark.sampled(every=12)
@pytest.mark.parametrize("holder", HOLDERS)
def test_who_has_an_array_keeps_it_as_it_was(holder: str):
    module = managed(ONE)
    held: list[object] = []
    kept: list[tuple[int, int]] = []
    for at in range(3 * KEPT_CALLS):
        y = module(rows(4, at))
        held.append(HOLDERS[holder](y))
        kept.append((y.ctypes.data, y.nbytes))
        del y
    starts = [first for first, _ in kept]
    assert len({*starts}) == len(starts)
    del held
    gc.collect()
    assert module(rows(4)).ctypes.data in starts


def test_results_that_are_kept_do_not_change():
    module = managed(TWO)
    x = [rows(4, at) for at in range(20)]
    results = [module(each) for each in x]
    views = [y[::2] for y, _ in results]
    copies = [pickle.loads(pickle.dumps(z)) for _, z in results]
    deep = copy.deepcopy(results)
    for one, (y, z), view, own, (y2, z2) in zip(
        x, results, views, copies, deep, strict=True
    ):
        np.testing.assert_array_equal(y, np.maximum(one, 0))
        np.testing.assert_array_equal(view, np.maximum(one, 0)[::2])
        for each in (z, own, z2):
            np.testing.assert_array_equal(each, -one)
        np.testing.assert_array_equal(y2, y)


def test_outputs_of_a_call_are_apart_and_go_by_themselves():
    module, x = managed(TWO), rows(6)
    y, z = module(x)
    assert not np.shares_memory(y, z)
    address = z.ctypes.data
    del z
    for _ in range(3 * KEPT_CALLS):
        other, z = module(x)
        assert not np.shares_memory(other, y)
    np.testing.assert_array_equal(y, np.maximum(x, 0))
    # The second output is free at each call but for the one before.
    seen = {address}
    for _ in range(10):
        _, z = module(x)
        seen.add(z.ctypes.data)
    assert len(seen) <= KEPT_CALLS


CHANGES: dict[str, Callable[[Any], object]] = {
    "sizes": lambda y: setattr(y, "shape", (8, -1)),
    "rank": lambda y: setattr(y, "shape", (-1,)),
    "flags": lambda y: y.setflags(write=False),
    "dtype": lambda y: setattr(y, "dtype", np.dtype(np.int32)),
    "elements": lambda y: y.fill(np.nan),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_array_that_was_changed_does_not_come_again(change: str):
    module, x = managed(ONE), rows(5)
    for _ in range(3 * KEPT_CALLS):
        y = module(x)
        assert y.shape == (5, 8)
        assert y.dtype == np.float32
        assert y.flags.writeable
        assert y.flags.c_contiguous
        np.testing.assert_array_equal(y, np.maximum(x, 0))
        CHANGES[change](y)
        del y


def test_an_array_with_a_weak_reference_does_not_come_again():
    module, x = managed(ONE), rows(5)
    weak = [weakref.ref(module(x)) for _ in range(3 * KEPT_CALLS)]
    alive = [each() for each in weak if each() is not None]
    assert len({id(each) for each in alive}) == len(alive) <= KEPT_CALLS
    for each in alive:
        np.testing.assert_array_equal(each, np.maximum(x, 0))


def test_an_output_may_be_the_next_input():
    module = managed(TWO)
    x = rows(6)
    expected = x
    for _ in range(30):
        y, z = module(x)
        np.testing.assert_array_equal(y, np.maximum(expected, 0))
        x, expected = z, -expected
        np.testing.assert_array_equal(x, expected)


def test_sizes_change_from_call_to_call():
    module, chosen = managed(TWO), random.Random(0)
    held: list[tuple[Any, Any, Any]] = []
    for _ in range(500):
        x = rows(chosen.randrange(6), chosen.random())
        held.append((x, *module(x)))
        if chosen.random() < 0.5:
            held.pop(chosen.randrange(len(held)))
        for x, y, z in held[-5:]:
            np.testing.assert_array_equal(y, np.maximum(x, 0))
            np.testing.assert_array_equal(z, -x)


def test_many_outputs_are_managed_too():
    module, x = managed(MANY), rows(3)
    first = module(x)
    assert len({each.ctypes.data for each in first}) == COUNT
    starts = {each.ctypes.data for each in first}
    del first
    again = module(x)
    assert {each.ctypes.data for each in again} == starts
    for each in again:
        np.testing.assert_array_equal(each, -x)


def test_threads_share_no_array():
    module = managed(ONE)
    wrong: list[int] = []

    def work(number: int) -> None:
        for at in range(300):
            x = rows(40, number * 1000 + at)
            y = module(x)
            if not np.array_equal(y, np.maximum(x, 0)):
                wrong.append(number)

    threads = [Thread(target=work, args=(at,)) for at in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_release_lets_go_of_what_is_kept():
    module, x = managed(ONE), rows(5)
    weak = [weakref.ref(y) for y in [module(x) for _ in range(KEPT_CALLS)]]
    gc.collect()
    assert any(each() is not None for each in weak)
    module.release()
    assert all(each() is None for each in weak)
    np.testing.assert_array_equal(module(x), np.maximum(x, 0))


def test_a_module_takes_what_it_keeps_along():
    module, x = managed(ONE), rows(5)
    weak = weakref.ref(module(x))
    del module
    gc.collect()
    assert weak() is None


def test_a_run_that_fails_gives_its_arrays_back():
    text = """
    func.func @f(%t: tensor<4x2xf32> {sr.name = "t"},
                %i: tensor<3xi64> {sr.name = "i"})
        -> (tensor<3x2xf32> {sr.name = "y"}) {
      %y = graph.index_select %t, %i {axis = 0, wraps = false}
          : tensor<4x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
      func.return %y : tensor<3x2xf32>
    }
    """
    module = managed(text)
    table = np.eye(4, 2, dtype=np.float32)
    seen: set[int] = set()
    for at in range(20):
        index = np.array([at % 3, 1, 9 if at % 2 else 0])
        if at % 2:
            with pytest.raises(IndexError):
                module(table, index)
            continue
        y = module(table, index)
        seen.add(y.ctypes.data)
        np.testing.assert_array_equal(y, table[index])
    assert len(seen) <= 2


def test_the_option_is_a_truth():
    with pytest.raises(
        sr.CompileError, match="True or False for manage_output_tensors"
    ):
        sr.Options(manage_output_tensors=1)  # pyright: ignore[reportArgumentType]
