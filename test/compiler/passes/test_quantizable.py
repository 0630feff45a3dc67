"""Products are found with the values that they read, or why they stay in floats."""

from __future__ import annotations

import numpy as np

from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.quantizable import quantizable

OTHERS = """
func.func @main(%x : tensor<4x64xf32>, %h : tensor<4x4xf16>, %s : tensor<4x64xsi8>,
    %k : tensor<?x?xf32, ["a", "b"]>, %l : tensor<?x3xf32, ["b"]>, %c : tensor<i1>)
    -> (tensor<4x8xf32>, tensor<4x4xf16>, tensor<4x8xf32>, tensor<?x3xf32, ["a"]>,
        tensor<4x64xf32>)
    attributes {graph.input_names = ["x", "h", "s", "k", "l", "c"]} {
  %n = graph.weight "nan" : tensor<8x64xf32>
  %w = graph.weight "w" : tensor<8x64xf32>
  %v = graph.weight "square" : tensor<64x64xf32>
  %1 = graph.linear %x, %n : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  %2 = graph.matmul %h, %h : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
  %d = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<si8>
  %f = graph.dequantize %s, %d, %z : tensor<4x64xsi8>, tensor<f32>, tensor<si8>
    -> tensor<4x64xf32>
  %3 = graph.linear %f, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  %4 = graph.matmul %k, %l : tensor<?x?xf32, ["a", "b"]>, tensor<?x3xf32, ["b"]>
    -> tensor<?x3xf32, ["a"]>
  %5 = graph.if %c, %x, %v : tensor<i1>, tensor<4x64xf32>, tensor<64x64xf32>
    -> tensor<4x64xf32> {
  ^bb0(%a : tensor<4x64xf32>, %b : tensor<64x64xf32>):
    %6 = graph.matmul %a, %b : tensor<4x64xf32>, tensor<64x64xf32> -> tensor<4x64xf32>
    graph.yield %6 : tensor<4x64xf32>
  } {
  ^bb0(%a : tensor<4x64xf32>, %b : tensor<64x64xf32>):
    graph.yield %a : tensor<4x64xf32>
  }
  return %1, %2, %3, %4, %5 : tensor<4x8xf32>, tensor<4x4xf16>, tensor<4x8xf32>,
    tensor<?x3xf32, ["a"]>, tensor<4x64xf32>
}
"""

MOVED = """
func.func @main(%x : tensor<4x64xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    attributes {graph.input_names = ["x"]} {
  %w = graph.weight "w" : tensor<8x64xf32>
  %r = graph.relu %x : tensor<4x64xf32> -> tensor<4x64xf32> loc("act")
  %p = graph.permute %r {order = array<i64: 1, 0>} : tensor<4x64xf32>
    -> tensor<64x4xf32>
  %q = graph.reshape %p {shape = ["4", "64"]} : tensor<64x4xf32> -> tensor<4x64xf32>
  %1 = graph.linear %q, %w : tensor<4x64xf32>, tensor<8x64xf32>
    -> tensor<4x8xf32> loc("fc")
  %2 = graph.linear %x, %w : tensor<4x64xf32>, tensor<8x64xf32>
    -> tensor<4x8xf32> loc("fc")
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}
"""


def found_in(text: str) -> tuple[list[tuple[str, str, object]], list[str]]:
    """The products of a text, each with its refusal and what it reads; the values."""
    ctx = context()
    ctx.weights.put("w", np.ones((8, 64), np.float32))
    ctx.weights.put("square", np.ones((64, 64), np.float32))
    ctx.weights.put("nan", np.full((8, 64), np.nan, np.float32))
    found = quantizable(read_mlir(text, ctx), ctx.weights)
    return [(e.name, e.refusal, e.read) for e in found.products], [*found.values]


def test_what_is_moved_is_read_where_it_is_made():
    products, values = found_in(MOVED)
    assert products == [("fc", "", ("act", None)), ("fc#2", "", ("x", None))]
    assert values == ["act", "x"]


def test_products_that_stay_in_floats_say_why():
    products, values = found_in(OTHERS)
    assert products == [
        ("linear", "its weight has numbers that are not finite, or beyond 2**40", ()),
        ("matmul", "its numbers are not f32", ()),
        ("linear#2", "the model says how it is quantised", ()),
        ("matmul#2", "how much it adds up is known to the run alone", ()),
        ("matmul#3", "it is in a branch or a loop", ()),
    ]
    assert not values
