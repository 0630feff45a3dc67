// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.sin %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.cos %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.tan %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.asin %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.acos %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.atan %x : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.sin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.cos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.tan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.asin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.acos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = graph.atan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.cos %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
func.func @symbols(%x : tensor<?xf64, ["batch"]>) {
  %0 = graph.cos %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
  return
}

// -----

// A sine has a fraction.
func.func @integers_have_no_sine(%x : tensor<4xi32>) {
  // expected-error {{expected float elements, got tensor<4xi32>}}
  %0 = graph.sin %x : tensor<4xi32> -> tensor<4xi32>
  return
}
