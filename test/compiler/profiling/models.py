"""Models that tests profile."""

from __future__ import annotations

CHAIN = """
func.func @chain(%x: tensor<?x8xf32, ["n"]>, %w: tensor<8x8xf32>)
    -> tensor<?x8xf32, ["n"]> {
  %0 = graph.matmul %x, %w : tensor<?x8xf32, ["n"]>, tensor<8x8xf32>
    -> tensor<?x8xf32, ["n"]> loc("first")
  %1 = graph.relu %0 : tensor<?x8xf32, ["n"]> -> tensor<?x8xf32, ["n"]> loc("clamp")
  %2 = graph.matmul %1, %w : tensor<?x8xf32, ["n"]>, tensor<8x8xf32>
    -> tensor<?x8xf32, ["n"]> loc("second")
  %3 = graph.matmul %2, %w : tensor<?x8xf32, ["n"]>, tensor<8x8xf32>
    -> tensor<?x8xf32, ["n"]> loc("third")
  return %3 : tensor<?x8xf32, ["n"]>
}
"""
"""Three products; the first clamps its result."""

TRIPS = """
func.func @trips(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.loop %x {trips = "5", carried = 1 : i64, scanned = 0 : i64,
    conditional = false, backward = array<i64>} : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.exp %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
"""
"""Five trips of one kernel."""

POINTS = """
func.func @points(%x: tensor<4x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = graph.embedding %x, %i : tensor<4x3xf32>, tensor<2xi64> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""
"""Rows that are looked up."""
