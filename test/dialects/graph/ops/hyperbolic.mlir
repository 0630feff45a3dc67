// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.sinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.cosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.asinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.acosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.atanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.sinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.cosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.asinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.acosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = graph.atanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.tanh %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
func.func @symbols(%x : tensor<?xf64, ["batch"]>) {
  %0 = graph.tanh %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
  return
}

// -----

// A tangent has a fraction.
func.func @integers_have_no_tangent(%x : tensor<4xi32>) {
  // expected-error {{expected float elements, got tensor<4xi32>}}
  %0 = graph.tanh %x : tensor<4xi32> -> tensor<4xi32>
  return
}
