// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.abs %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.sign %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.reciprocal %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.sqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.rsqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.abs %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.sign %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.reciprocal %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.sqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = graph.rsqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.neg %x : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
func.func @symbols(%x : tensor<?xf32, ["batch"]>) {
  %0 = graph.neg %x : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
  return
}

// -----

// What needs no fractions is there for integers too.
//
// CHECK-LABEL: func.func @integers
// CHECK:         graph.abs %x : tensor<4xi32> -> tensor<4xi32>
// CHECK:         graph.neg %x : tensor<4xi32> -> tensor<4xi32>
// CHECK:         graph.sign %x : tensor<4xi32> -> tensor<4xi32>
func.func @integers(%x : tensor<4xi32>) {
  %0 = graph.abs %x : tensor<4xi32> -> tensor<4xi32>
  %1 = graph.neg %x : tensor<4xi32> -> tensor<4xi32>
  %2 = graph.sign %x : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// A root has a fraction.
func.func @integers_have_no_root(%x : tensor<4xi32>) {
  // expected-error {{expected float elements, got tensor<4xi32>}}
  %0 = graph.sqrt %x : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// A boolean is not a number.
func.func @a_boolean_has_no_sign(%x : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.neg %x : tensor<4xi1> -> tensor<4xi1>
  return
}
