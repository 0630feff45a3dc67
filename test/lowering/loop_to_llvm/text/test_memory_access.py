"""Elements a few apart are those that numpy has there, and none beside them change."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr

from ....as_host import skip_unless_runs

Array: TypeAlias = np.ndarray[Any, Any]

DTYPES: dict[str, Any] = {
    **{"f32": np.float32, "f64": np.float64, "f16": np.float16},
    **{"i32": np.int32, "si8": np.int8, "ui16": np.uint16, "i1": np.bool_},
}

STEPS = (2, 3, 4, 5, 8, 9, -1, -2, -3, -8)


def sliced(type: str, count: int, step: int) -> str:
    """A model that picks `count` elements of each of two rows, to their ends."""
    size = (count - 1) * abs(step) + 1
    start = 0 if step > 0 else size - 1
    x, y = f"tensor<2x{size}x{type}>", f"tensor<2x{count}x{type}>"
    return f"""
    func.func @main(%x: {x}) -> {y} {{
      %0 = graph.slice %x {{starts = ["0", "{start}"], sizes = ["2", "{count}"],
        steps = array<i64: 1, {step}>}} : {x} -> {y}
      return %0 : {y}
    }}"""


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("count", [1, 7, 16, 67, 130])
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "host"])
@pytest.mark.parametrize("type", DTYPES)
@pytest.mark.parametrize("step", STEPS)
def test_elements_that_are_a_few_apart(step: int, type: str, target: str, count: int):
    options = sr.Options(cache=False, check_memory=True)
    model = sr.compile(sliced(type, count, step), target=target, options=options)
    skip_unless_runs(target)
    size = (count - 1) * abs(step) + 1
    x = (np.arange(2 * size).reshape(2, size) % 7 - 3).astype(DTYPES[type])
    np.testing.assert_array_equal(model(x), x[:, ::step])


def by_turns(type: str, count: int, parts: int) -> str:
    """A model that puts as many rows by turns, after one that it repeats as often."""
    x, y = f"tensor<{count}x1x{type}>", f"tensor<{count}x{parts}x{type}>"
    names = [f"%x{each}" for each in range(parts)]
    return f"""
    func.func @main({", ".join(f"{each}: {x}" for each in names)}) -> ({y}, {y}) {{
      %0 = graph.concat {", ".join(names)} {{axis = 1 : i64}}
        : {", ".join([x] * parts)} -> {y}
      %1 = graph.expand %x0 {{shape = ["{count}", "{parts}"]}} : {x} -> {y}
      return %0, %1 : {y}, {y}
    }}"""


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("count", [1, 7, 16, 67, 130])
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "host"])
@pytest.mark.parametrize("type", DTYPES)
@pytest.mark.parametrize("parts", [2, 3, 4, 5, 6, 8, 9])
def test_rows_by_turns(parts: int, type: str, target: str, count: int):
    options = sr.Options(cache=False, check_memory=True)
    model = sr.compile(by_turns(type, count, parts), target=target, options=options)
    skip_unless_runs(target)
    x = (np.arange(parts * count).reshape(parts, count, 1) % 7 - 3).astype(DTYPES[type])
    turns, repeated = model(*x)
    np.testing.assert_array_equal(turns, np.concatenate(x, axis=1))
    np.testing.assert_array_equal(repeated, np.repeat(x[0], parts, axis=1))


@pytest.mark.parametrize("target", ["x86-64-v3", "host"])
def test_short_rows_side_by_side(target: str):
    """Rows of fewer elements than a vector has, of a sum and of a window."""
    text = """
    func.func @main(%x: tensor<?x3xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
      %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false}
        : tensor<?x3xf32, ["n"]> -> tensor<?xf32, ["n"]>
      return %0 : tensor<?xf32, ["n"]>
    }"""
    model = sr.compile(text, target=target, options=sr.Options(cache=False))
    skip_unless_runs(target)
    random = np.random.default_rng(0)
    for count in (0, 1, 15, 16, 17, 100):
        x = random.standard_normal((count, 3)).astype(np.float32)
        np.testing.assert_array_equal(model(x), (x[:, 0] + x[:, 1]) + x[:, 2])
