// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shapes broadcast as in numpy.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.logical_and %a, %b : tensor<2x3xi1>, tensor<3xi1> -> tensor<2x3xi1>
// CHECK:         graph.logical_or %a, %b : tensor<2x3xi1>, tensor<3xi1> -> tensor<2x3xi1>
// CHECK:         graph.logical_xor %a, %b : tensor<2x3xi1>, tensor<3xi1> -> tensor<2x3xi1>
func.func @round_trip(%a : tensor<2x3xi1>, %b : tensor<3xi1>) {
  %0 = graph.logical_and %a, %b : tensor<2x3xi1>, tensor<3xi1> -> tensor<2x3xi1>
  %1 = graph.logical_or %a, %b : tensor<2x3xi1>, tensor<3xi1> -> tensor<2x3xi1>
  %2 = graph.logical_xor %a, %b : tensor<2x3xi1>, tensor<3xi1> -> tensor<2x3xi1>
  return
}

// -----

// A symbol broadcasts with one.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.logical_and %a, %b : tensor<?xi1, ["batch"]>, tensor<i1> -> tensor<?xi1, ["batch"]>
func.func @symbols(%a : tensor<?xi1, ["batch"]>, %b : tensor<i1>) {
  %0 = graph.logical_and %a, %b : tensor<?xi1, ["batch"]>, tensor<i1> -> tensor<?xi1, ["batch"]>
  return
}

// -----

// A number is compared with zero first.
func.func @numbers_are_not_true(%a : tensor<4xf32>) {
  // expected-error {{expected bool elements, got tensor<4xf32>}}
  %0 = graph.logical_or %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Both operands are booleans.
func.func @dtypes_clash(%a : tensor<4xi1>, %b : tensor<4xi32>) {
  // expected-error {{expected operands of one dtype, got tensor<4xi1> and tensor<4xi32>}}
  %0 = graph.logical_and %a, %b : tensor<4xi1>, tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

// Two sizes agree when they are equal or one of them is one.
func.func @shapes_clash(%a : tensor<4xi1>, %b : tensor<5xi1>) {
  // expected-error {{expected operands that broadcast, got tensor<4xi1> and tensor<5xi1>}}
  %0 = graph.logical_xor %a, %b : tensor<4xi1>, tensor<5xi1> -> tensor<4xi1>
  return
}
