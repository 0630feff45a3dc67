// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.cumsum %x {axis = -1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.cumprod %x {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.cummax %x {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.cummin %x {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.cumsum %x {axis = -1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.cumprod %x {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.cummax %x {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.cummin %x {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.cumsum %x {axis = 0 : i64} : tensor<?xi64, ["batch"]> -> tensor<?xi64, ["batch"]>
func.func @symbols(%x : tensor<?xi64, ["batch"]>) {
  %0 = graph.cumsum %x {axis = 0 : i64} : tensor<?xi64, ["batch"]> -> tensor<?xi64, ["batch"]>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got 2}}
  %0 = graph.cumsum %x {axis = 2 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A boolean is not a number, but it may be the greatest.
func.func @booleans_have_no_sum(%x : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.cumsum %x {axis = 0 : i64} : tensor<4xi1> -> tensor<4xi1>
  return
}
