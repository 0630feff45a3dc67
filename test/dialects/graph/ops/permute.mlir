// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The order names for each axis of the result the axis that it was.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.permute %x {order = array<i64: 2, 0, 1>} : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
func.func @round_trip(%x : tensor<2x3x5xf32>) {
  %0 = graph.permute %x {order = array<i64: 2, 0, 1>} : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  return
}

// -----

// Symbols move with their axes.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.permute %x {order = array<i64: 2, 1, 0>} : tensor<?x3x?xf32, ["m", "n"]> -> tensor<?x3x?xf32, ["n", "m"]>
func.func @symbols(%x : tensor<?x3x?xf32, ["m", "n"]>) {
  %0 = graph.permute %x {order = array<i64: 2, 1, 0>} : tensor<?x3x?xf32, ["m", "n"]> -> tensor<?x3x?xf32, ["n", "m"]>
  return
}

// -----

// Each axis is there once.
func.func @axis_twice(%x : tensor<2x3xf32>) {
  // expected-error {{expected every axis of tensor<2x3xf32> once, got (0, 0)}}
  %0 = graph.permute %x {order = array<i64: 0, 0>} : tensor<2x3xf32> -> tensor<2x2xf32>
  return
}

// -----

// No axis is left out.
func.func @axis_missing(%x : tensor<2x3xf32>) {
  // expected-error {{expected every axis of tensor<2x3xf32> once, got (1,)}}
  %0 = graph.permute %x {order = array<i64: 1>} : tensor<2x3xf32> -> tensor<3xf32>
  return
}
