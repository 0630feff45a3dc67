// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape stays.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.logical_not %x : tensor<2x3xi1> -> tensor<2x3xi1>
func.func @round_trip(%x : tensor<2x3xi1>) {
  %0 = graph.logical_not %x : tensor<2x3xi1> -> tensor<2x3xi1>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.logical_not %x : tensor<?xi1, ["batch"]> -> tensor<?xi1, ["batch"]>
func.func @symbols(%x : tensor<?xi1, ["batch"]>) {
  %0 = graph.logical_not %x : tensor<?xi1, ["batch"]> -> tensor<?xi1, ["batch"]>
  return
}

// -----

// A number is compared with zero first.
func.func @numbers_are_not_true(%x : tensor<4xi32>) {
  // expected-error {{expected bool elements, got tensor<4xi32>}}
  %0 = graph.logical_not %x : tensor<4xi32> -> tensor<4xi32>
  return
}
