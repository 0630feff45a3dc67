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


@pytest.mark.parametrize("between", [(), (4,)])
def test_parts_without_elements_take_no_time(between: tuple[int, ...]):
    outer = "?x" + "".join(f"{each}x" for each in between)
    x = f'tensor<{outer}?xf32, ["n", "m"]>'
    half = f'tensor<{outer}?xf32, ["n", "floordiv(m, 2)"]>'
    both = f'tensor<{outer}?xf32, ["n", "floordiv(m, 2) + m"]>'
    axis = len(between) + 1
    module = sr.compile(
        f"""func.func @main(%x: {x}, %y: {half}) -> {both} {{
          %0 = graph.concat %x, %y {{axis = {axis} : i64}} : {x}, {half} -> {both}
          return %0 : {both}
        }}""",
        options=sr.Options(cache=False),
    )
    nothing = np.empty((HUGE, *between, 0), np.float32)
    assert module(nothing, nothing).shape == nothing.shape
    for columns in (1, 2, 5):
        x = np.random.default_rng(1).random((3, *between, columns), np.float32)
        y = np.ones((3, *between, columns // 2), np.float32)
        np.testing.assert_array_equal(module(x, y), np.concatenate([x, y], axis))
