"""A loop whose inner loops do nothing is not run, however far it counts."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

HUGE = 2**40
"""Trips that take minutes, even of a loop that does nothing."""


def compiled(result: str, body: str) -> sr.StaticModule:
    """A function of one matrix."""
    x = 'tensor<?x?xf32, ["n", "m"]>'
    return sr.compile(
        f"func.func @main(%x: {x}) -> {result} {{\n%0 = {body} : {x} -> {result}\n"
        f"return %0 : {result}\n}}",
        options=sr.Options(cache=False),
    )


TURNED = 'tensor<?x?xf32, ["m", "n"]>'
SOFTMAX = 'tensor<?x?xf32, ["n", "m"]>'


@pytest.mark.parametrize("shape", [(HUGE, 0), (0, HUGE)])
def test_what_has_no_elements_takes_no_time(shape: tuple[int, int]):
    x = np.empty(shape, np.float32)
    turned = compiled(TURNED, "graph.permute %x {order = array<i64: 1, 0>}")
    assert turned(x).shape == shape[::-1]
    softmax = compiled(SOFTMAX, "graph.softmax %x {axis = 1 : i64}")
    assert softmax(x).shape == shape
    flipped = compiled(
        SOFTMAX,
        'graph.slice %x {starts = ["n - 1", "0"], sizes = ["n", "m"], '
        "steps = array<i64: -1, 1>}",
    )
    assert flipped(x).shape == shape


def test_nor_does_what_has_a_huge_number_of_rows():
    x, cut = f'tensor<{HUGE}x?xf32, ["m"]>', f'tensor<{HUGE}x?xf32, ["min(3, m)"]>'
    module = sr.compile(
        f"""func.func @main(%x: {x}) -> {cut} {{
          %0 = graph.slice %x {{starts = ["0", "0"], sizes = ["{HUGE}", "min(3, m)"],
              steps = array<i64: 1, 1>}} : {x} -> {cut}
          return %0 : {cut}
        }}""",
        options=sr.Options(cache=False),
    )
    assert module(np.empty((HUGE, 0), np.float32)).shape == (HUGE, 0)


@pytest.mark.parametrize("shape", [(HUGE, 0), (0, HUGE)])
def test_a_sum_of_nothing_is_zero_at_once(shape: tuple[int, int]):
    total = compiled(
        "tensor<f32>",
        "graph.sum %x {axes = array<i64: 0, 1>, keepdims = false}",
    )
    assert total(np.empty(shape, np.float32)) == 0


def test_what_has_elements_is_computed():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    turned = compiled(TURNED, "graph.permute %x {order = array<i64: 1, 0>}")
    assert np.array_equal(turned(x), x.T)
    total = compiled(
        "tensor<f32>", "graph.sum %x {axes = array<i64: 0, 1>, keepdims = false}"
    )
    assert total(x) == 66


def test_parts_without_elements_take_no_time():
    x, half = 'tensor<?x?xf32, ["n", "m"]>', 'tensor<?x?xf32, ["n", "floordiv(m, 2)"]>'
    both = 'tensor<?x?xf32, ["n", "floordiv(m, 2) + m"]>'
    module = sr.compile(
        f"""func.func @main(%x: {x}, %y: {half}) -> {both} {{
          %0 = graph.concat %x, %y {{axis = 1 : i64}} : {x}, {half} -> {both}
          return %0 : {both}
        }}""",
        options=sr.Options(cache=False),
    )
    x, y = np.empty((HUGE, 0), np.float32), np.empty((HUGE, 0), np.float32)
    assert module(x, y).shape == (HUGE, 0)
    for columns in (1, 2, 5):
        x = np.arange(3 * columns, dtype=np.float32).reshape(3, columns)
        y = np.ones((3, columns // 2), np.float32)
        np.testing.assert_array_equal(module(x, y), np.concatenate([x, y], 1))
