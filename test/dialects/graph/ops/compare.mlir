// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shapes broadcast as in numpy, and the answers are booleans.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.eq %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
// CHECK:         graph.ne %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
// CHECK:         graph.lt %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
// CHECK:         graph.le %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
// CHECK:         graph.gt %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
// CHECK:         graph.ge %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
func.func @round_trip(%a : tensor<2x3xf32>, %b : tensor<3xf32>) {
  %0 = graph.eq %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
  %1 = graph.ne %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
  %2 = graph.lt %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
  %3 = graph.le %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
  %4 = graph.gt %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
  %5 = graph.ge %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xi1>
  return
}

// -----

// A symbol broadcasts with one.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.lt %a, %b : tensor<?xi64, ["batch"]>, tensor<i64> -> tensor<?xi1, ["batch"]>
func.func @symbols(%a : tensor<?xi64, ["batch"]>, %b : tensor<i64>) {
  %0 = graph.lt %a, %b : tensor<?xi64, ["batch"]>, tensor<i64> -> tensor<?xi1, ["batch"]>
  return
}

// -----

// Nothing is converted unasked.
func.func @dtypes_clash(%a : tensor<4xf32>, %b : tensor<4xi32>) {
  // expected-error {{expected operands of one dtype, got tensor<4xf32> and tensor<4xi32>}}
  %0 = graph.eq %a, %b : tensor<4xf32>, tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

// Two sizes agree when they are equal or one of them is one.
func.func @shapes_clash(%a : tensor<4xf32>, %b : tensor<5xf32>) {
  // expected-error {{expected operands that broadcast, got tensor<4xf32> and tensor<5xf32>}}
  %0 = graph.gt %a, %b : tensor<4xf32>, tensor<5xf32> -> tensor<4xi1>
  return
}

// -----

// The result is never of the operands' type.
func.func @answers_are_booleans(%a : tensor<4xf32>) {
  // expected-error {{expected result type tensor<4xi1>, got tensor<4xf32>}}
  %0 = graph.le %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
