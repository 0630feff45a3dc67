// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.softmax %x {axis = -1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.log_softmax %x {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.softmax %x {axis = -1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.log_softmax %x {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// Along a symbol, too.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.softmax %x {axis = 1 : i64} : tensor<?x?xf32, ["batch", "classes"]> -> tensor<?x?xf32, ["batch", "classes"]>
func.func @symbols(%x : tensor<?x?xf32, ["batch", "classes"]>) {
  %0 = graph.softmax %x {axis = 1 : i64} : tensor<?x?xf32, ["batch", "classes"]> -> tensor<?x?xf32, ["batch", "classes"]>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got -3}}
  %0 = graph.softmax %x {axis = -3 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A share has a fraction.
func.func @integers_have_no_shares(%x : tensor<2x3xi64>) {
  // expected-error {{expected float elements, got tensor<2x3xi64>}}
  %0 = graph.log_softmax %x {axis = 1 : i64} : tensor<2x3xi64> -> tensor<2x3xi64>
  return
}
