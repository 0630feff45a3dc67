// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.expm1 %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.exp2 %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.log %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.log1p %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.log2 %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.log10 %x : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.expm1 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.exp2 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.log %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.log1p %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = graph.log2 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = graph.log10 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.exp %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
func.func @symbols(%x : tensor<?xf64, ["batch"]>) {
  %0 = graph.exp %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
  return
}

// -----

// An exponential has a fraction.
func.func @integers_have_no_exponential(%x : tensor<4xi32>) {
  // expected-error {{expected float elements, got tensor<4xi32>}}
  %0 = graph.exp %x : tensor<4xi32> -> tensor<4xi32>
  return
}
