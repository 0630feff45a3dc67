"""An index out of its range is an error that names the op; no memory is read by it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr

from ..arrangements import same
from ..texts import WORDS, compiled

TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)

SELECT = """
func.func @select(%t: tensor<3x?xf32, ["width"]>, %i: tensor<?x2xi64, ["n"]>)
    -> tensor<3x?x2xf32, ["n"]> {
  %0 = graph.index_select %t, %i {axis = 1 : i64, wraps = WRAPS}
    : tensor<3x?xf32, ["width"]>, tensor<?x2xi64, ["n"]>
    -> tensor<3x?x2xf32, ["n"]> loc("net.py":7:9)
  return %0 : tensor<3x?x2xf32, ["n"]>
}
"""

FIXED = """
func.func @fixed(%t: tensor<4x2xf32>, %i: tensor<3xi64>) -> tensor<3x2xf32> {
  %0 = graph.embedding %t, %i : tensor<4x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
  %1 = graph.neg %0 : tensor<3x2xf32> -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
"""


def narrow(text: str) -> str:
    """The model with indices of 32 bits."""
    return text.replace("i64>", "i32>").replace("xi64", "xi32")


def select(wraps: bool) -> str:
    """The model that selects along an axis, counting from the end or not."""
    return SELECT.replace("WRAPS", str(wraps).lower())


def ways(indices: npt.NDArray[Any]) -> list[Any]:
    """Indices for the fast way into a module, and for the slow one."""
    return [indices, indices, indices.tolist(), np.asfortranarray(indices)]


BITS = pytest.mark.parametrize("dtype", ["int32", "int64"])


def model(text: str, dtype: str) -> sr.StaticModule:
    """The model with indices of a dtype."""
    return compiled(narrow(text) if dtype == "int32" else text)


@BITS
def test_looks_up_every_row(dtype: str):
    module = model(WORDS, dtype)
    for indices in ([0, 3, 1, 1], [2], []):
        for each in ways(np.array(indices, dtype)):
            same(module(TABLE, each), TABLE[np.array(indices, int)])


@BITS
@pytest.mark.parametrize("wraps", [False, True])
def test_the_first_bad_index_of_many_is_told(dtype: str, wraps: bool):
    module, count = model(select(wraps), dtype), 50
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    for first in range(2 * count):
        indices = np.tile(np.array([[1, 0]], dtype), (count, 1))
        indices.flat[min(first + 7, 2 * count - 1)] = 71
        indices.flat[first] = 70
        with pytest.raises(IndexError, match=r"\b70\b"):
            module(rows, indices)
        same(module(rows, indices % 2), rows[:, indices % 2])


@BITS
@pytest.mark.parametrize("index", [4, -1, 5, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])
def test_an_index_beyond_the_table_is_an_error(dtype: str, index: int):
    if dtype == "int32" and abs(index) > 2**31:
        return
    module = model(WORDS, dtype)
    for place in range(3):
        indices = np.array([0, 3, 1], dtype)
        indices[place] = index
        for each in ways(indices):
            with pytest.raises(IndexError) as error:
                module(TABLE, each)
            assert str(error.value) == (
                f"graph.embedding at words: expected an index from 0 to 3, got {index}"
            )
    same(module(TABLE, np.array([3], dtype)), TABLE[3:])


def test_the_first_bad_index_is_told():
    with pytest.raises(IndexError, match=r"got 9$"):
        compiled(WORDS)(TABLE, np.array([1, 9, -7, 12]))


@BITS
@pytest.mark.parametrize("wraps", [False, True])
def test_an_index_below_zero_counts_from_the_end_or_is_an_error(
    dtype: str, wraps: bool
):
    module = model(select(wraps), dtype)
    table = np.arange(15, dtype=np.float32).reshape(3, 5)
    least = -5 if wraps else 0
    for index in range(-7, 8):
        for each in ways(np.array([[0, index]], dtype)):
            if least <= index < 5:
                same(module(table, each), table[:, [[0, index]]])
                continue
            message = f"graph.index_select at net.py:7: expected an index from {least}"
            with pytest.raises(IndexError, match=re.escape(message)) as error:
                module(table, each)
            assert str(error.value).endswith(f" to 4, got {index}")


@BITS
@pytest.mark.parametrize("index", [2**31 - 1, -(2**31), 2**63 - 1, -(2**63), -(2**62)])
def test_the_least_and_greatest_numbers_do_not_wrap_around(dtype: str, index: int):
    if dtype == "int32" and abs(index) > 2**31:
        return
    module = model(select(True), dtype)
    table = np.zeros((3, 5), np.float32)
    for each in ways(np.array([[index, 0]], dtype)):
        with pytest.raises(IndexError, match=f"from -5 to 4, got {index}$"):
            module(table, each)


@BITS
def test_a_table_without_rows(dtype: str):
    empty, nothing = np.zeros((0, 2), np.float32), np.zeros(0, dtype)
    module = model(WORDS, dtype)
    for each in ways(nothing):
        same(module(empty, each), empty)
    for index in (0, -1, 7):
        for each in ways(np.array([index], dtype)):
            message = f"^graph.embedding at words: expected no index .*, got {index}$"
            with pytest.raises(IndexError, match=message):
                module(empty, each)


def test_rows_without_elements_are_checked_all_the_same():
    text = WORDS.replace("x2xf32", "x0xf32")
    same(
        compiled(text)(np.zeros((4, 0), "f4"), [1, 2]),
        np.zeros((2, 0), np.float32),
    )
    with pytest.raises(IndexError, match="from 0 to 3, got 4"):
        compiled(text)(np.zeros((4, 0), "f4"), [1, 4])


def test_sizes_that_are_known():
    module = compiled(FIXED)
    indices = np.array([3, 0, 2])
    for each in ways(indices):
        same(module(TABLE, each), -TABLE[indices])
    for each in ways(np.array([3, 4, 2])):
        with pytest.raises(IndexError, match=r"graph\.embedding.*from 0 to 3, got 4"):
            module(TABLE, each)


def test_a_constant_index_out_of_range_is_an_error_of_the_run():
    text = FIXED.replace(", %i: tensor<3xi64>", "").replace(
        "%0 =", "%i = graph.constant dense<[0, 9, 0]> : tensor<3xi64>\n  %0 ="
    )
    module = compiled(text)
    for _ in range(2):
        with pytest.raises(IndexError, match="from 0 to 3, got 9"):
            module(TABLE)


def test_the_op_that_failed_is_told():
    text = """
    func.func @two(%t: tensor<4x2xf32>, %i: tensor<3xi64>, %j: tensor<2xi64>)
        -> (tensor<3x2xf32>, tensor<2x2xf32>) {
      %0 = graph.embedding %t, %i : tensor<4x2xf32>, tensor<3xi64>
        -> tensor<3x2xf32> loc("first")
      %1 = graph.embedding %t, %j : tensor<4x2xf32>, tensor<2xi64>
        -> tensor<2x2xf32> loc("second")
      return %0, %1 : tensor<3x2xf32>, tensor<2x2xf32>
    }
    """
    good, bad = np.array([0, 1, 2]), np.array([0, 1, 9])
    for first, second, name in ((bad, good, "first"), (good, bad, "second")):
        with pytest.raises(IndexError, match=f"embedding at {name}: .* got 9"):
            compiled(text)(TABLE, first, second[1:])
    a, b = compiled(text)(TABLE, good, good[1:])
    same(a, TABLE[good])
    same(b, TABLE[good[1:]])


PAIRS = """
func.func @pairs(%x: tensor<?x3xf32, ["rows"]>, %i: tensor<?x2xi64, ["n"]>)
    -> tensor<?xf32, ["n"]> {
  %0 = graph.gather_nd %x, %i {axes = array<i64: 0, 1>, batch_dims = 0 : i64,
    wraps = true} : tensor<?x3xf32, ["rows"]>, tensor<?x2xi64, ["n"]>
    -> tensor<?xf32, ["n"]> loc("net.py":7:9)
  return %0 : tensor<?xf32, ["n"]>
}
"""

CHANGE = """
func.func @change(%x: tensor<?x3xf32, ["rows"]>, %i: tensor<?x1xi64, ["n"]>,
    %y: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["rows"]> {
  %0 = graph.scatter_nd %x, %i, %y {axes = array<i64: 0>, wraps = true,
    reduction = "REDUCTION"} : tensor<?x3xf32, ["rows"]>, tensor<?x1xi64, ["n"]>,
    tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["rows"]> loc("net.py":7:9)
  return %0 : tensor<?x3xf32, ["rows"]>
}
"""


@BITS
@pytest.mark.parametrize("place", range(4))
def test_each_of_several_indices_has_its_own_range(dtype: str, place: int):
    module = model(PAIRS, dtype)
    table = np.arange(15, dtype=np.float32).reshape(5, 3)
    for column, bound in enumerate((5, 3)):
        pairs = np.array([[4, 2], [-5, -3], [0, 1], [4, 0]], dtype)
        for each in ways(pairs):
            same(module(table, each), table[pairs[:, 0], pairs[:, 1]])
        for index in (bound, -bound - 1):
            pairs[place, column] = index
            message = f"net.py:7: expected an index from {-bound} to {bound - 1}, got"
            for each in ways(pairs):
                with pytest.raises(IndexError, match=f"{message} {index}$"):
                    module(table, each)


@pytest.mark.sampled(every=3)
@BITS
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_nothing_is_changed_at_a_bad_index(dtype: str, reduction: str):
    module = model(CHANGE.replace("REDUCTION", reduction), dtype)
    x, y = np.ones((5, 3), np.float32), np.full((3, 3), 2, np.float32)
    for index in (5, -6, 2**31 - 1, -(2**31)):
        for place in range(3):
            indices = np.array([[0], [4], [-5]], dtype)
            indices[place] = index
            for each in ways(indices):
                with pytest.raises(IndexError, match=f"from -5 to 4, got {index}$"):
                    module(x, each, y)
    same(x, np.ones((5, 3), np.float32))


@BITS
def test_updates_of_one_place_come_in_order(dtype: str):
    random = np.random.default_rng(0)
    x = random.standard_normal((4, 3)).astype(np.float32)
    y = random.standard_normal((99, 3)).astype(np.float32)
    indices = random.integers(-4, 4, (99, 1)).astype(dtype)
    last, total = x.copy(), x.copy()
    for index, update in zip(indices[:, 0], y, strict=True):
        last[index] = update
        total[index] += update
    for reduction, expected in (("none", last), ("add", total)):
        module = model(CHANGE.replace("REDUCTION", reduction), dtype)
        for each in ways(indices):
            same(module(x, each, y), expected)


@BITS
def test_no_updates_leave_what_is_there(dtype: str):
    module = model(CHANGE.replace("REDUCTION", "add"), dtype)
    nothing, none = np.zeros((0, 3), np.float32), np.zeros((0, 1), dtype)
    for x in (np.ones((5, 3), np.float32), nothing):
        same(module(x, none, nothing), x)
    with pytest.raises(IndexError, match="expected no index"):
        module(nothing, np.zeros((1, 1), dtype), np.ones((1, 3), np.float32))
