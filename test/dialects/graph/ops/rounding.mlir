// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.ceil %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.floor %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.round %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.trunc %x : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.ceil %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.floor %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.round %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.trunc %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.floor %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
func.func @symbols(%x : tensor<?xf64, ["batch"]>) {
  %0 = graph.floor %x : tensor<?xf64, ["batch"]> -> tensor<?xf64, ["batch"]>
  return
}

// -----

// An integer has nothing to round.
func.func @integers_are_whole(%x : tensor<4xi32>) {
  // expected-error {{expected float elements, got tensor<4xi32>}}
  %0 = graph.round %x : tensor<4xi32> -> tensor<4xi32>
  return
}
