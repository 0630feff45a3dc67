// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shapes broadcast as in numpy.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.rem %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.mod %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.floor_div %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
func.func @round_trip(%a : tensor<2x3xf32>, %b : tensor<3xf32>) {
  %0 = graph.rem %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %1 = graph.mod %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %2 = graph.floor_div %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

// Other elements have no meaning here.
func.func @other_elements(%a : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.rem %a, %a : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return
}
