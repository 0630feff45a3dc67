// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The two axes become one, which is the last.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.diagonal %x {axes = array<i64: 0, 2>, offset = 0 : i64} : tensor<3x2x5xf32> -> tensor<2x3xf32>
// CHECK:         graph.diagonal %x {axes = array<i64: 0, -1>, offset = 4 : i64} : tensor<3x2x5xf32> -> tensor<2x1xf32>
// CHECK:         graph.diagonal %x {axes = array<i64: 0, 1>, offset = -9 : i64} : tensor<3x2x5xf32> -> tensor<5x0xf32>
func.func @round_trip(%x : tensor<3x2x5xf32>) {
  %0 = graph.diagonal %x {axes = array<i64: 0, 2>, offset = 0 : i64} : tensor<3x2x5xf32> -> tensor<2x3xf32>
  %1 = graph.diagonal %x {axes = array<i64: 0, -1>, offset = 4 : i64} : tensor<3x2x5xf32> -> tensor<2x1xf32>
  %2 = graph.diagonal %x {axes = array<i64: 0, 1>, offset = -9 : i64} : tensor<3x2x5xf32> -> tensor<5x0xf32>
  return
}

// -----

// The diagonal of a square is as long as a side.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.diagonal %x {axes = array<i64: 0, 1>, offset = 0 : i64} : tensor<?x?xf32, ["n", "n"]> -> tensor<?xf32, ["n"]>
func.func @symbols(%x : tensor<?x?xf32, ["n", "n"]>) {
  %0 = graph.diagonal %x {axes = array<i64: 0, 1>, offset = 0 : i64} : tensor<?x?xf32, ["n", "n"]> -> tensor<?xf32, ["n"]>
  return
}

// -----

// There are two axes.
func.func @one_axis(%x : tensor<2x3xf32>) {
  // expected-error {{expected two axes that differ, got (1, -1)}}
  %0 = graph.diagonal %x {axes = array<i64: 1, -1>, offset = 0 : i64} : tensor<2x3xf32> -> tensor<2xf32>
  return
}
