// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The image that windows were taken of, as large as it is said to be.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.fold %x {spatial = ["5", "8"], strides = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : tensor<2x3x2x4x2x3xf32> -> tensor<2x3x5x8xf32>
// CHECK:         graph.fold %y {spatial = ["2 * n"], strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x?x2xf32, ["n"]> -> tensor<2x3x?xf32, ["2 * n"]>
func.func @round_trip(%x : tensor<2x3x2x4x2x3xf32>, %y : tensor<2x3x?x2xf32, ["n"]>) {
  %0 = graph.fold %x {spatial = ["5", "8"], strides = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : tensor<2x3x2x4x2x3xf32> -> tensor<2x3x5x8xf32>
  %1 = graph.fold %y {spatial = ["2 * n"], strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x?x2xf32, ["n"]> -> tensor<2x3x?xf32, ["2 * n"]>
  return
}

// -----

// The image has just those places.
func.func @places(%x : tensor<2x3x4x3xf32>) {
  // expected-error {{expected NxCx(positions)...x(taps)... of an image of 7, got tensor<2x3x4x3xf32>}}
  %0 = graph.fold %x {spatial = ["7"], strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x4x3xf32> -> tensor<2x3x7xf32>
  return
}

// -----

// What is added is a number.
func.func @truths(%x : tensor<2x3x4x3xi1>) {
  // expected-error {{expected number elements, got tensor<2x3x4x3xi1>}}
  %0 = graph.fold %x {spatial = ["9"], strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x4x3xi1> -> tensor<2x3x9xi1>
  return
}
