// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shapes broadcast as in numpy.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.atan2 %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.hypot %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.copysign %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
func.func @round_trip(%a : tensor<2x3xf32>, %b : tensor<3xf32>) {
  %0 = graph.atan2 %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %1 = graph.hypot %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %2 = graph.copysign %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

// Other elements have no meaning here.
func.func @other_elements(%a : tensor<4xi64>) {
  // expected-error {{expected float elements, got tensor<4xi64>}}
  %0 = graph.atan2 %a, %a : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return
}
