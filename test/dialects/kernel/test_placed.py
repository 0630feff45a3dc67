"""What is moved as a whole is written part by part where the move puts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr

Array: TypeAlias = np.ndarray[Any, Any]

X = 'tensor<?x3xf32, ["n"]>'
TWO = 'tensor<?x3xf32, ["2 * n"]>'


def model(body: str, result: str) -> str:
    """A model of three inputs with as many rows."""
    return f"""
    func.func @main(%x: {X}, %y: {X}, %z: {X}) -> {result} {{
      {body}
      return %r : {result}
    }}"""


def around(value: Array, by: float) -> Array:
    """Rows with another row above and below, and two elements after each."""
    return np.pad(value, ((1, 1), (0, 2)), constant_values=by)


PADS = "low = array<i64: 1, 0>, high = array<i64: 1, 2>, value = 2.5 : f64"

WIDE = 'tensor<?x5xf32, ["2 * n + 2"]>'
WIDER = 'tensor<?x7xf32, ["2 * n + 4"]>'
THREE = 'tensor<?x3xf32, ["3 * n"]>'

CONCAT = f"""%a = graph.neg %x : {X} -> {X}
      %b = graph.concat %a, %y {{axis = 0 : i64}} : {X}, {X} -> {TWO}"""


def both(x: Array, y: Array) -> Array:
    """What is concatenated first."""
    return np.concatenate([-x, y])


MODELS: dict[str, tuple[str, int, Callable[[Array, Array, Array], Array]]] = {
    "padded": (
        model(f"{CONCAT} %r = graph.pad %b {{{PADS}}} : {TWO} -> {WIDE}", WIDE),
        1,
        lambda x, y, _: around(both(x, y), 2.5),
    ),
    "padded twice": (
        model(
            f"""{CONCAT} %c = graph.pad %b {{{PADS}}} : {TWO} -> {WIDE}
            %r = graph.pad %c {{{PADS.replace("2.5", "1.5")}}} : {WIDE} -> {WIDER}""",
            WIDER,
        ),
        1,
        lambda x, y, _: around(around(both(x, y), 2.5), 1.5),
    ),
    "concatenated": (
        model(
            f"""{CONCAT} %r = graph.concat %b, %z {{axis = 0 : i64}}
            : {TWO}, {X} -> {THREE}""",
            THREE,
        ),
        1,
        lambda x, y, z: np.concatenate([-x, y, z]),
    ),
    # What computes with it reads it at other places, or more than once.
    "computed with": (
        model(
            f"""{CONCAT} %c = graph.exp %b : {TWO} -> {TWO}
            %r = graph.pad %c {{{PADS}}} : {TWO} -> {WIDE}""",
            WIDE,
        ),
        2,
        lambda x, y, _: around(np.exp(both(x, y)), 2.5),
    ),
    "turned": (
        model(
            f"""{CONCAT} %r = graph.permute %b {{order = array<i64: 1, 0>}}
            : {TWO} -> tensor<3x?xf32, ["2 * n"]>""",
            'tensor<3x?xf32, ["2 * n"]>',
        ),
        2,
        lambda x, y, _: both(x, y).T,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_parts_are_where_they_belong(name: str):
    text, kernels, expected = MODELS[name]
    compiled = sr.compile(text, options=sr.Options(cache=False))
    assert len(compiled.program.calls) == kernels
    random = np.random.default_rng(0)
    for rows in (0, 1, 5, 40):
        x, y, z = random.standard_normal((3, rows, 3)).astype(np.float32)
        wanted = expected(x, y, z)
        np.testing.assert_allclose(compiled(x, y, z), wanted, rtol=1e-6, atol=0)


def test_a_part_of_what_is_concatenated_is_no_place_for_it():
    """A fusion of a model's own text, which `fuse` would not make."""
    text = """
    func.func @main(%x : tensor<4x3xf32>, %y : tensor<4x3xf32>) -> tensor<5x3xf32> {
      %0 = graph.fusion %x, %y : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<5x3xf32> {
      ^bb0(%a : tensor<4x3xf32>, %b : tensor<4x3xf32>):
        %1 = graph.concat %a, %b {axis = 0 : i64}
          : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<8x3xf32>
        %2 = graph.slice %1 {starts = ["0", "0"], sizes = ["5", "3"],
          steps = array<i64: 1, 1>} : tensor<8x3xf32> -> tensor<5x3xf32>
        graph.yield %2 : tensor<5x3xf32>
      }
      return %0 : tensor<5x3xf32>
    }"""
    with pytest.raises(sr.CompileError, match=r"is that of graph\.concat element"):
        sr.compile(text, options=sr.Options(cache=False))
