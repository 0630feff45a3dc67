// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The ratio is kept until the model is frozen, though nothing is dropped.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.dropout %x {ratio = 5.000000e-01 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.dropout %x {ratio = 5.000000e-01 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.dropout %x {ratio = 5.000000e-01 : f64} : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
func.func @symbols(%x : tensor<?xf32, ["batch"]>) {
  %0 = graph.dropout %x {ratio = 5.000000e-01 : f64} : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
  return
}

// -----

// The result has the type of the operand.
func.func @another_shape(%x : tensor<2x3xf32>) {
  // expected-error {{expected result type tensor<2x3xf32>, got tensor<6xf32>}}
  %0 = graph.dropout %x {ratio = 5.000000e-01 : f64} : tensor<2x3xf32> -> tensor<6xf32>
  return
}
