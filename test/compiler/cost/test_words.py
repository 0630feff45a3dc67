"""Pairs of products with a weight fit into 16 bits, or may not, to the last one."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.building import make_module
from static_runtime.compiler.cost.words import pairs_fit
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.dialects.graph.storage import PanelsAttr
from static_runtime.dialects.shape import Array
from static_runtime.lowering.host_to_llvm import lower_program

from ...as_host import skip_unless_runs

K, N = 70, 40


def weight(*, even: int, odd: int) -> Array:
    """A weight whose k are these in turns in one column, and zeros beside them."""
    array = np.zeros((K, N), np.int8)
    array[::2, 17], array[1::2, 17] = even, odd
    return array


WEIGHTS = [
    # 255 * 128 is 32640; 32767 is the most.
    ((64, 64), True),
    ((127, 1), True),
    ((127, -128), True),
    ((65, 64), False),
    ((-64, -64), True),
    ((-128, 0), True),
    ((-128, -1), False),
    ((127, 127), False),
]


@pytest.mark.parametrize(("numbers", "expected"), WEIGHTS, ids=str)
def test_pairs_of_successive_k(numbers: tuple[int, int], expected: bool):
    panels = PanelsAttr.of(16, [(K, N)], (N, 1), 4)
    even, odd = numbers
    assert pairs_fit(weight(even=even, odd=odd), panels) == expected
    # Elements that are no words have no pairs.
    assert not pairs_fit(weight(even=1, odd=1), PanelsAttr.of(16, [(K, N)], (N, 1)))


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize(("numbers", "expected"), WEIGHTS, ids=str)
@pytest.mark.parametrize("rows", [1, 33])
def test_products_are_exact_either_way(
    rows: int, numbers: tuple[int, int], expected: bool
):
    even, odd = numbers
    x, w = f"tensor<{rows}x{K}xui8>", f"tensor<{K}x{N}xsi8>"
    text = f"""func.func @main(%x: {x}) -> tensor<{rows}x{N}xi32> {{
      %w = graph.weight "w" : {w}
      %1 = graph.matmul %x, %w {{to = i32}} : {x}, {w} -> tensor<{rows}x{N}xi32>
      func.return %1 : tensor<{rows}x{N}xi32>
    }}"""
    ctx, array = context(), weight(even=even, odd=odd)
    ctx.weights.put("w", array)
    module = read_mlir(text, ctx)
    driver = Driver(ctx, sr.Options(cache=False), "x86-64-v3", None)
    artifact, report = driver.compile(module)
    assert (
        "pmadd.ub.sw" in "".join(e.text for e in lower_program(module).kernels)
    ) == expected
    skip_unless_runs("x86-64-v3")
    given = np.full((rows, K), 255, np.uint8)
    found = make_module(artifact, report, 1)(given)
    np.testing.assert_array_equal(
        found, given.astype(np.int32) @ array.astype(np.int32)
    )
