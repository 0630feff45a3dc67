// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The condition and both branches broadcast as in numpy.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.where %c, %a, %b : tensor<2x3xi1>, tensor<3xf32>, tensor<f32> -> tensor<2x3xf32>
func.func @round_trip(%c : tensor<2x3xi1>, %a : tensor<3xf32>, %b : tensor<f32>) {
  %0 = graph.where %c, %a, %b : tensor<2x3xi1>, tensor<3xf32>, tensor<f32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol broadcasts with one.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.where %c, %a, %b : tensor<?xi1, ["batch"]>, tensor<1xf32>, tensor<f32> -> tensor<?xf32, ["batch"]>
func.func @symbols(%c : tensor<?xi1, ["batch"]>, %a : tensor<1xf32>, %b : tensor<f32>) {
  %0 = graph.where %c, %a, %b : tensor<?xi1, ["batch"]>, tensor<1xf32>, tensor<f32> -> tensor<?xf32, ["batch"]>
  return
}

// -----

// A number is compared with zero first.
func.func @numbers_are_not_true(%c : tensor<4xi32>, %a : tensor<4xf32>) {
  // expected-error {{expected a condition of i1, got tensor<4xi32>}}
  %0 = graph.where %c, %a, %a : tensor<4xi32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Nothing is converted unasked.
func.func @branches_clash(%c : tensor<4xi1>, %a : tensor<4xf32>, %b : tensor<4xf64>) {
  // expected-error {{expected branches of one dtype, got tensor<4xf32> and tensor<4xf64>}}
  %0 = graph.where %c, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

// Two sizes agree when they are equal or one of them is one.
func.func @shapes_clash(%c : tensor<4xi1>, %a : tensor<5xf32>) {
  // expected-error {{expected operands that broadcast, got tensor<4xi1> and tensor<5xf32> and tensor<5xf32>}}
  %0 = graph.where %c, %a, %a : tensor<4xi1>, tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  return
}
