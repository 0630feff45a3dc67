// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There are two results of one shape, the second of indices.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.sort %x {axis = -1 : i64, descending = false} : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0, %1 = graph.sort %x {axis = -1 : i64, descending = false} : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

// An axis of any size is put in order.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.sort %x {axis = 0 : i64, descending = true} : tensor<?xi1, ["n"]> -> tensor<?xi1, ["n"]>, tensor<?xi64, ["n"]>
func.func @symbols(%x : tensor<?xi1, ["n"]>) {
  %0, %1 = graph.sort %x {axis = 0 : i64, descending = true} : tensor<?xi1, ["n"]> -> tensor<?xi1, ["n"]>, tensor<?xi64, ["n"]>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got 2}}
  %0, %1 = graph.sort %x {axis = 2 : i64, descending = false} : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return
}
