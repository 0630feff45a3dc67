"""The work of a kernel is counted from its loops, whatever op they came from."""

from __future__ import annotations

import pytest

from static_runtime.compiler.cost.kernel_work import (
    bytes_touched,
    integer_operations_of,
    operations_of,
)
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.dialects.loop.ops.kernel import KernelOp

BUFFERS = "%a: memref<?xf32>, %b: memref<?xf32>"


def kernel(body: str, buffers: str = BUFFERS) -> KernelOp:
    """The kernel of some loops over `n`."""
    text = f'loop.kernel @k({buffers}) symbols ["n"] {{\n{body}\n}}'
    (made,) = parse_module(context(), text, "kernel").ops
    assert isinstance(made, KernelOp)
    return made


ROWS = """
  loop.for parallel %i to "n" {
    loop.for parallel %j to 8 lanes 8 {
      %x = loop.load %a[%j] : memref<?xf32>
      %y = math.exp %x : f32
      %z = arith.addf %y, %x : f32
      loop.store %z, %b[%i * 8 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }"""

TILE = """
  %zero = arith.constant 0.0 : f32
  loop.tile %i to "n", %j to 7, reduce %k to 5 from %zero : f32 k_loop (%sum) {
    %x = loop.load %a[%i * 5 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 7 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %all) {
    %half = arith.mulf %all, %all : f32
    loop.store %half, %c[%row * 7 + %column] : memref<?xf32>
    loop.yield
  }"""

LOOKUP = """
  loop.check_index %a["n"] below 1000 : memref<?xi64>
  loop.for parallel %i to "n" {
    %x = loop.load %a[%i] : memref<?xi64>
    %at = loop.clamp_index %x below 1000 : i64
    loop.for parallel %j to 8 {
      %y = loop.load %b[%at * 8 + %j] : memref<?xf32>
      loop.store %y, %c[%i * 8 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }"""

SORT = """
  loop.argsort %b[0] first 3 of "n" descending : memref<?xi64> key (%i) {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.yield %x : f32
  }"""


@pytest.mark.parametrize(
    ("body", "buffers", "operations", "bytes"),
    [
        (ROWS, BUFFERS, "16 * n", ["32", "32 * n"]),
        (TILE, f"{BUFFERS}, %c: memref<?xf32>", "77 * n", ["20 * n", "140", "28 * n"]),
        (
            LOOKUP,
            "%a: memref<?xi64>, %b: memref<?xf32>, %c: memref<?xf32>",
            "0",
            ["8 * n", "32 * n", "32 * n"],
        ),
    ],
)
def test_points_of_loops_are_counted(
    body: str, buffers: str, operations: str, bytes: list[str]
):
    made = kernel(body, buffers)
    assert str(operations_of(made)) == operations
    assert [*map(str, bytes_touched(made))] == bytes


INTEGERS = """
  %zero = arith.constant 0 : i32
  loop.tile %i to "n", %j to 7, reduce %k to 5 from %zero : i32 k_loop (%sum) {
    %x = loop.load %a[%i * 5 + %k] : memref<?xi32>
    %y = loop.load %b[%k * 7 + %j] : memref<?xi32>
    %product = arith.muli %x, %y : i32
    %next = arith.addi %sum, %product : i32
    loop.yield %next : i32
  } epilogue (%row, %column, %all) {
    %square = arith.muli %all, %all : i32
    loop.store %square, %c[%row * 7 + %column] : memref<?xi32>
    loop.yield
  }"""


def test_products_of_integers_that_are_added_are_counted():
    made = kernel(INTEGERS, "%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi32>")
    assert str(operations_of(made)) == "0"
    assert str(integer_operations_of(made)) == "70 * n"


def test_the_work_of_a_sort_is_not_known():
    made = kernel(SORT, "%a: memref<?xf32>, %b: memref<?xi64>")
    assert operations_of(made) is None
    assert bytes_touched(made) == [None, None]
