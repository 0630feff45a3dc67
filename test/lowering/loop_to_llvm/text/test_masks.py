"""
Of the last vector of a loop or a register tile, lanes that are not there touch no
memory: arrays end where a page ends that nobody may read or write after.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr

Array: TypeAlias = np.ndarray[Any, Any]
Arrays: TypeAlias = Sequence[Array]
Case: TypeAlias = tuple[str, Callable[[Arrays], Array], Callable[[int], Arrays]]

PAGE = mmap.PAGESIZE
PAGES = 32

_NONE = 0
"""`PROT_NONE`, which `mmap` does not name."""

SIZES = (*range(1, 35), 47, 64, 65)


def _floats(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def _elementwise(name: str, type: str) -> str:
    open_type = f'tensor<?x{type}, ["n"]>'
    return f"""
func.func @main(%x: {open_type}) -> {open_type} {{
  %0 = graph.{name} %x : {open_type} -> {open_type}
  return %0 : {open_type}
}}
"""


def _product(rows: int, inner: int) -> str:
    a, b = f"tensor<{rows}x{inner}xf32>", f'tensor<{inner}x?xf32, ["n"]>'
    c = f'tensor<{rows}x?xf32, ["n"]>'
    return f"""
func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %0 = graph.matmul %a, %b : {a}, {b} -> {c}
  %1 = graph.relu %0 : {c} -> {c}
  return %1 : {c}
}}
"""


DEPTHWISE = """
func.func @main(%x: tensor<1x3x?x?xf32, ["n", "n"]>, %w: tensor<3x1x1x1xf32>)
    -> tensor<1x3x?x?xf32, ["n", "n"]> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 3 : i64} :
    tensor<1x3x?x?xf32, ["n", "n"]>, tensor<3x1x1x1xf32>
    -> tensor<1x3x?x?xf32, ["n", "n"]>
  return %0 : tensor<1x3x?x?xf32, ["n", "n"]>
}
"""

TRANSPOSE = """
func.func @main(%x: tensor<?x37xf32, ["n"]>) -> tensor<37x?xf32, ["n"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0>}
    : tensor<?x37xf32, ["n"]> -> tensor<37x?xf32, ["n"]>
  return %0 : tensor<37x?xf32, ["n"]>
}
"""

CASES: dict[str, Case] = {
    "f32": (
        _elementwise("sigmoid", "f32"),
        lambda x: 1 / (1 + np.exp(-x[0])),
        lambda n: [_floats(n)],
    ),
    "f64": (
        _elementwise("neg", "f64"),
        lambda x: -x[0],
        lambda n: [_floats(n).astype(np.float64)],
    ),
    "i64": (_elementwise("neg", "i64"), lambda x: -x[0], lambda n: [np.arange(n)]),
    "i1": (
        _elementwise("logical_not", "i1"),
        lambda x: np.logical_not(x[0]),
        lambda n: [np.arange(n) % 3 == 0],
    ),
    "few rows": (
        _product(3, 5),
        lambda x: np.maximum(x[0] @ x[1], 0),
        lambda n: [_floats(3, 5), _floats(5, n)],
    ),
    "blocks": (
        _product(40, 300),
        lambda x: np.maximum(x[0] @ x[1], 0),
        lambda n: [_floats(40, 300), _floats(300, n)],
    ),
    "depthwise": (
        DEPTHWISE,
        lambda x: x[0] * x[1][:, 0],
        lambda n: [_floats(1, 3, n, n), _floats(3, 1, 1, 1)],
    ),
    "transpose": (TRANSPOSE, lambda x: x[0].T, lambda n: [_floats(n, 37)]),
}


@cache
def compiled(name: str) -> sr.StaticModule:
    return sr.compile(CASES[name][0], options=sr.Options(cache=False, threads=1))


@contextmanager
def guarded(count: int) -> Generator[list[Callable[[Array], Array]]]:
    """What copies an array to the end of memory, for each of `count` arrays."""
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    blocks = [mmap.mmap(-1, (PAGES + 1) * PAGE) for _ in range(count)]
    ends = [
        ctypes.addressof(ctypes.c_char.from_buffer(each)) + PAGES * PAGE
        for each in blocks
    ]
    for end in ends:
        assert not protect(end, PAGE, _NONE)

    def put(block: mmap.mmap, array: Array) -> Array:
        assert array.nbytes <= PAGES * PAGE
        start = PAGES * PAGE - array.nbytes
        copy: Array = np.frombuffer(block, array.dtype, array.size, start)
        copy = copy.reshape(array.shape)
        copy[...] = array
        return copy

    yield [partial(put, each) for each in blocks]
    for end in ends:
        protect(end, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)


@pytest.mark.sampled(every=2)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="no pages to protect")
@pytest.mark.parametrize("name", CASES)
def test_lanes_that_are_not_there_touch_no_memory(name: str):
    module = compiled(name)
    _, expected, inputs = CASES[name]
    for size in SIZES:
        arrays = inputs(size)
        right = expected(arrays)
        with guarded(len(arrays) + 1) as places:
            *given, out = [
                place(each)
                for place, each in zip(places, [*arrays, np.zeros_like(right)])
            ]
            module(*given, out=out)
            np.testing.assert_allclose(out, right, 1e-4, 1e-4)


@pytest.mark.usefixtures("runs_host")
@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="no pages to protect")
@pytest.mark.parametrize("size", [5, 9, 17])
def test_what_is_cut_off_is_not_stored(size: int):
    a, b, c = (f"tensor<{each}xi64>" for each in ("3x2", f"2x{size}", f"3x{size}"))
    module = sr.compile(
        f"""
func.func @main(%a: {a}, %b: {b}) -> tensor<3x{size}xi32> {{
  %0 = graph.matmul %a, %b : {a}, {b} -> {c}
  %1 = graph.cast %0 {{to = i32}} : {c} -> tensor<3x{size}xi32>
  return %1 : tensor<3x{size}xi32>
}}
""",
        options=sr.Options(cache=False, threads=1),
    )
    arrays = np.ones((3, 2), np.int64), np.arange(2 * size).reshape(2, size)
    right = (arrays[0] @ arrays[1]).astype(np.int32)
    with guarded(1) as (place,):
        module(*arrays, out=(out := place(np.zeros_like(right))))
        np.testing.assert_array_equal(out, right)
