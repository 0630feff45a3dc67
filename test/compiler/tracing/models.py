"""Models whose branches, trips and dtypes tests choose by their inputs."""

from __future__ import annotations

BRANCH = """
func.func @branch(%c: tensor<i1>, %x: tensor<?x4xf32, ["n"]>)
    -> tensor<?x4xf32, ["n"]> {
  %0 = graph.if %c, %x : tensor<i1>, tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]> {
  ^bb0(%a: tensor<?x4xf32, ["n"]>):
    %1 = graph.exp %a : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
    graph.yield %1 : tensor<?x4xf32, ["n"]>
  } {
  ^bb0(%a: tensor<?x4xf32, ["n"]>):
    %1 = graph.tanh %a : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
    graph.yield %1 : tensor<?x4xf32, ["n"]>
  }
  return %0 : tensor<?x4xf32, ["n"]>
}
"""
"""Where `c` is true exp, else tanh."""

LOOP = """
func.func @loop(%c: tensor<i1>, %n: tensor<i64>) -> tensor<i64> {
  %0 = graph.loop %c, %n {trips = "9223372036854775807", carried = 1 : i64,
    scanned = 0 : i64, conditional = true, backward = array<i64>}
    : tensor<i1>, tensor<i64> -> tensor<i64> {
  ^bb0(%i: tensor<i64>):
    %1 = graph.add %i, %i : tensor<i64>, tensor<i64> -> tensor<i64>
    %2 = graph.lt %1, %i : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %2, %1 : tensor<i1>, tensor<i64>
  }
  return %0 : tensor<i64>
}
"""
"""No trip, or one, as `c` says."""

MIXED = """
func.func @mixed(%x: tensor<2x3xf32>, %s: tensor<f64>, %i: tensor<3xi64>)
    -> (tensor<2x3xf64>, tensor<3xi1>) {
  %0 = graph.cast %x {to = f64} : tensor<2x3xf32> -> tensor<2x3xf64>
  %1 = graph.mul %0, %s : tensor<2x3xf64>, tensor<f64> -> tensor<2x3xf64>
  %2 = graph.eq %i, %i : tensor<3xi64>, tensor<3xi64> -> tensor<3xi1>
  return %1, %2 : tensor<2x3xf64>, tensor<3xi1>
}
"""
"""Two dtypes in one kernel, a scalar, and kernels of integers and of booleans."""

TURN = """
func.func @turn(%x: tensor<?x?x4xf32, ["b", "t"]>, %w: tensor<4x4xf32>)
    -> tensor<?x?x4xf32, ["t", "b"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0, 2>}
    : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
  %1 = graph.matmul %0, %w : tensor<?x?x4xf32, ["t", "b"]>, tensor<4x4xf32>
    -> tensor<?x?x4xf32, ["t", "b"]>
  return %1 : tensor<?x?x4xf32, ["t", "b"]>
}
"""
"""A permutation that is skipped for a batch of one."""

IMAGE = """
func.func @image(%x: tensor<1x16x33x33xf32>, %w: tensor<64x16x3x3xf32>)
    -> tensor<1x64x31x31xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>,
    padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x16x33x33xf32>, tensor<64x16x3x3xf32> -> tensor<1x64x31x31xf32>
  return %0 : tensor<1x64x31x31xf32>
}
"""
"""A convolution that is computed with its channels last."""

WIDE = """
func.func @wide(%x: tensor<?x64xf32, ["n"]>, %w: tensor<64x64xf32>)
    -> tensor<?x64xf32, ["n"]> {
  %0 = graph.matmul %x, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  return %0 : tensor<?x64xf32, ["n"]>
}
"""
"""A product whose work threads share when there are many rows."""
