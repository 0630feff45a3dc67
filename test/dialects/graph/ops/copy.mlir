// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Any tensor may be copied.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.copy %x : tensor<2x3xi1> -> tensor<2x3xi1>
func.func @round_trip(%x : tensor<2x3xi1>) {
  %0 = graph.copy %x : tensor<2x3xi1> -> tensor<2x3xi1>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.copy %x : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
func.func @symbols(%x : tensor<?xf32, ["batch"]>) {
  %0 = graph.copy %x : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
  return
}

// -----

// A copy has the type of what it is a copy of.
func.func @another_shape(%x : tensor<2x3xf32>) {
  // expected-error {{expected result type tensor<2x3xf32>, got tensor<6xf32>}}
  %0 = graph.copy %x : tensor<2x3xf32> -> tensor<6xf32>
  return
}
