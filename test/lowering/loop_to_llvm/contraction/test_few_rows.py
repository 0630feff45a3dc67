"""
Products of an open number of rows, which read B where it is if they have few: they have
the bits of a product of that many rows, in which B is packed or not.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from xdsl.parser import Parser

import static_runtime as sr
from static_runtime.compiler.ir.context import context
from static_runtime.lowering.loop_to_llvm import lower_kernels

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "f16": np.float16}


def product(rows: int | str, columns: int, type: str) -> str:
    """The text of products of matrices that a run computes, and of what follows."""

    def tensor(*sizes: int | str) -> str:
        names = ", ".join(f'"{each}"' for each in sizes if isinstance(each, str))
        shape = "x".join("?" if isinstance(each, str) else f"{each}" for each in sizes)
        return f"tensor<{shape}x{type}{f', [{names}]' * bool(names)}>"

    a, b, c = tensor(3, rows, "k"), tensor(3, "k", columns), tensor(3, rows, columns)
    return f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
      %0 = graph.matmul %a, %b : {a}, {b} -> {c}
      %1 = graph.neg %0 : {c} -> {c}
      func.return %1 : {c}
    }}"""


@cache
def compiled(rows: int | str, columns: int, type: str, threads: int) -> sr.StaticModule:
    """A product of some rows, or of any number of them."""
    options = sr.Options(cache=False, threads=threads)
    return sr.compile(product(rows, columns, type), options=options)


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize(
    ("rows", "k"), [(1, 300), (2, 17), (7, 1030), (8, 300), (9, 5), (30, 600)]
)
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("columns", [128, 72])
@pytest.mark.parametrize("threads", [1, 2])
def test_open_and_known_rows_have_equal_bits(
    type: str, columns: int, threads: int, rows: int, k: int
):
    random = np.random.default_rng(columns)
    a = (9 * random.standard_normal((3, rows, k))).astype(TYPES[type])
    b = (9 * random.standard_normal((3, k, columns))).astype(TYPES[type])
    module, known = (compiled(n, columns, type, threads) for n in ("n", rows))
    np.testing.assert_array_equal(module(a, b), known(a, b))


SCHEDULED = """
builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256,
    registers = 16, fma = true>} {
  loop.kernel @product(%a: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32>)
      symbols ["n", "k"] {
    %zero = arith.constant 0.0 : f32
    loop.tile %i to "n", %j to COLUMNS, reduce %l to "k" from %zero : f32 by 6, 16, 8
        as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 512 of 0, pack = "b">
        k_loop (%sum) {
      %x = loop.load %a[%i * "k" + %l] : memref<?xf32>
      %w = loop.load %b[PLACE] : memref<?xf32>
      %next = math.fma %x, %w, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %total) {
      loop.store %total, %y[%row * COLUMNS + %column] : memref<?xf32>
      loop.yield
    }
  }
}
"""


@pytest.mark.parametrize(
    ("columns", "place", "has_both"),
    [
        (64, "%l * 64 + %j", True),
        (60, "%l * 60 + %j", False),
        (64, '%j * "k" + %l', False),
    ],
)
def test_b_is_packed_for_few_rows_where_vectors_would_not_do(
    columns: int, place: str, has_both: bool
):
    text = SCHEDULED.replace("COLUMNS", str(columns)).replace("PLACE", place)
    written = lower_kernels(Parser(context(), text).parse_module())
    assert ("icmp slt i64 %symbol.n, 2" in str(written)) == has_both
