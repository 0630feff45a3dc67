"""Orders have the bits of the reference, whatever keys and sizes are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.dialects.graph.ops.argsort import order

from ....compiler.library.replay import replay

Array = npt.NDArray[Any]

DTYPES = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "i1": np.dtype(np.bool_),
}

OPEN = """
func.func @main(%x: tensor<?x?xT, ["b", "n"]>, %k: tensor<?xi1, ["k"]>)
    -> (tensor<?x?xT, ["b", "n"]>, tensor<?x?xi64, ["b", "n"]>,
        tensor<?x?xT, ["n", "b"]>, tensor<?x?xi64, ["n", "b"]>,
        tensor<?x?xT, ["b", "k"]>, tensor<?x?xi64, ["b", "k"]>,
        tensor<?x?xT, ["k", "b"]>, tensor<?x?xi64, ["k", "b"]>) {
  %t = graph.permute %x {order = array<i64: 1, 0>}
    : tensor<?x?xT, ["b", "n"]> -> tensor<?x?xT, ["n", "b"]>
  %0, %1 = graph.sort %x {axis = 1 : i64, descending = false}
    : tensor<?x?xT, ["b", "n"]>
    -> tensor<?x?xT, ["b", "n"]>, tensor<?x?xi64, ["b", "n"]>
  %2, %3 = graph.sort %t {axis = 0 : i64, descending = true}
    : tensor<?x?xT, ["n", "b"]>
    -> tensor<?x?xT, ["n", "b"]>, tensor<?x?xi64, ["n", "b"]>
  %4, %5 = graph.topk %x {axis = 1 : i64, k = "k", largest = true}
    : tensor<?x?xT, ["b", "n"]>
    -> tensor<?x?xT, ["b", "k"]>, tensor<?x?xi64, ["b", "k"]>
  %6, %7 = graph.topk %t {axis = 0 : i64, k = "k", largest = false}
    : tensor<?x?xT, ["n", "b"]>
    -> tensor<?x?xT, ["k", "b"]>, tensor<?x?xi64, ["k", "b"]>
  return %0, %1, %2, %3, %4, %5, %6, %7
    : tensor<?x?xT, ["b", "n"]>, tensor<?x?xi64, ["b", "n"]>,
      tensor<?x?xT, ["n", "b"]>, tensor<?x?xi64, ["n", "b"]>,
      tensor<?x?xT, ["b", "k"]>, tensor<?x?xi64, ["b", "k"]>,
      tensor<?x?xT, ["k", "b"]>, tensor<?x?xi64, ["k", "b"]>
}
"""
"""Rows and columns that are sorted, and the first of them, of any sizes."""

SIZES = [
    *((1, 1, 1), (3, 2, 1), (2, 24, 24), (2, 25, 25), (2, 25, 24)),
    *((5, 64, 3), (4, 65, 0), (3, 300, 299), (2, 1003, 17), (1, 5000, 1)),
    *((0, 5, 3), (3, 0, 0), (0, 0, 0)),
]
"""Rows, elements of one, and how many come first."""

RANDOM = np.random.default_rng(7)


def keys(kind: str, dtype: np.dtype[Any], count: int) -> Array:
    """The elements of a row."""
    up = np.arange(count)
    match kind:
        case "ascending":
            return up.astype(dtype)
        case "descending":
            return up[::-1].astype(dtype)
        case "saw":
            return (up % 7).astype(dtype)
        case "equal":
            return np.ones(count, dtype)
        case "bits" if dtype != np.bool_:
            # NaN of any payload and sign among them.
            return np.frombuffer(RANDOM.bytes(count * dtype.itemsize), dtype).copy()
        case "special" if dtype.kind == "f":
            tiny = np.nextafter(dtype.type(0), dtype.type(1))
            known = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1, tiny, -tiny]
            return RANDOM.choice(np.array(known, dtype), count)
        case "special" if dtype.kind == "i":
            limits = np.iinfo(dtype)
            known = [limits.min, limits.max, limits.min + 1, -1, 0, 1, 255, 256]
            return RANDOM.choice(np.array(known, dtype), count)
        case _:
            return (RANDOM.standard_normal(count) * 100).astype(dtype)


KINDS = ("ascending", "descending", "saw", "equal", "bits", "special", "random")


def orders(x: Array, k: int) -> list[Array]:
    """What `OPEN` computes."""
    found: list[Array] = []
    for axis, descending, count in (
        (1, False, x.shape[1]),
        (0, True, x.shape[1]),
        (1, True, k),
        (0, False, k),
    ):
        own = x if axis else x.T
        indices = np.take(order(own, axis, descending), range(count), axis)
        found += [np.take_along_axis(own, indices, axis), indices]
    return found


def check(module: sr.StaticModule, dtype: np.dtype[Any]) -> None:
    """Calls a module of `OPEN` with rows of all kinds and sizes."""
    for rows, size, count in SIZES:
        for kind in KINDS:
            x = keys(kind, dtype, rows * size).reshape(rows, size)
            check_equal(module(x, np.zeros(count, np.bool_)), orders(x, count))


def check_equal(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    """Two answers have the same shapes and bits."""
    assert [each.shape for each in found] == [each.shape for each in wanted]
    assert [each.tobytes() for each in found] == [each.tobytes() for each in wanted]


def compiled(text: str, threads: int = 1) -> sr.StaticModule:
    """The module of a text."""
    return sr.compile(text, options=sr.Options(cache=False, threads=threads))


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("name", DTYPES)
def test_orders_of_any_size(name: str):
    check(compiled(OPEN.replace("T,", f"{name},")), DTYPES[name])


@pytest.mark.full(beside="test_orders_of_any_size")
@pytest.mark.parametrize("name", ["f32", "i1"])
def test_orders_of_a_library(name: str):
    check(replay(OPEN.replace("T,", f"{name},")), DTYPES[name])


def of_size(name: str, size: int, count: int) -> str:
    """The first of rows of a size that is known."""
    x, y, i = (
        f"tensor<3x{n}x{t}>" for n, t in ((size, name), (count, name), (count, "i64"))
    )
    return f"""
    func.func @main(%x: {x}) -> ({y}, {i}) {{
      %0, %1 = graph.topk %x {{axis = 1 : i64, k = "{count}", largest = true}}
        : {x} -> {y}, {i}
      return %0, %1 : {y}, {i}
    }}"""


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize(
    ("size", "count"), [(1, 1), (24, 24), (25, 25), (400, 2), (400, 300), (9, 0)]
)
def test_orders_of_sizes_that_are_known(name: str, size: int, count: int):
    module = compiled(of_size(name, size, count))
    for kind in KINDS:
        x = keys(kind, DTYPES[name], 3 * size).reshape(3, size)
        check_equal(module(x), orders(x, count)[4:6])


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", ["f32", "i64", "i1"])
def test_rows_of_more_elements_than_32_bits_count(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    # Such a row has no place here, so fewer elements count as many.
    monkeypatch.setattr(
        "static_runtime.lowering.loop_to_llvm.kernel.argsort._MIN_LONG_ROW", 200
    )
    check(compiled(OPEN.replace("T,", f"{name},")), DTYPES[name])


def test_threads_share_rows():
    text = OPEN.replace("T,", "f32,")
    module, x = compiled(text, threads=3), keys("bits", DTYPES["f32"], 500_000)
    x = x.reshape(500, 1000)
    check_equal(module(x, np.zeros(5, np.bool_)), orders(x, 5))


def test_a_row_of_any_length_is_no_longer_than_it_is():
    module = compiled(OPEN.replace("T,", "f32,"))
    with pytest.raises(ValueError, match="expected k elements or more"):
        module(np.zeros((2, 3), np.float32), np.zeros(4, np.bool_))


@pytest.mark.parametrize("shape", [(2**40, 0), (0, 2**40)])
def test_rows_without_elements_take_no_time(shape: tuple[int, int]):
    module = compiled(OPEN.replace("T,", "f32,"))
    found = module(np.empty(shape, np.float32), np.zeros(0, np.bool_))
    assert [each.shape for each in found[:2]] == [shape, shape]
