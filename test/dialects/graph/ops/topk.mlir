// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The size along the axis becomes the number of elements asked for.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.topk %x {axis = 1 : i64, k = "3", largest = true} : tensor<2x5xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
func.func @round_trip(%x : tensor<2x5xf32>) {
  %0, %1 = graph.topk %x {axis = 1 : i64, k = "3", largest = true} : tensor<2x5xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

// That number may be a symbol.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.topk %x {axis = 0 : i64, k = "n", largest = false} : tensor<?xf32, ["2 * n"]> -> tensor<?xf32, ["n"]>, tensor<?xi64, ["n"]>
func.func @symbols(%x : tensor<?xf32, ["2 * n"]>) {
  %0, %1 = graph.topk %x {axis = 0 : i64, k = "n", largest = false} : tensor<?xf32, ["2 * n"]> -> tensor<?xf32, ["n"]>, tensor<?xi64, ["n"]>
  return
}

// -----

// There are that many elements.
func.func @too_many(%x : tensor<2x5xf32>) {
  // expected-error {{expected 6 elements along 1, got tensor<2x5xf32>}}
  %0, %1 = graph.topk %x {axis = 1 : i64, k = "6", largest = true} : tensor<2x5xf32> -> tensor<2x6xf32>, tensor<2x6xi64>
  return
}
