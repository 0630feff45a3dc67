// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shapes broadcast as in numpy.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.bitwise_and %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
// CHECK:         graph.bitwise_or %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
// CHECK:         graph.bitwise_xor %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
// CHECK:         graph.shift_left %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
// CHECK:         graph.shift_right %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
func.func @round_trip(%a : tensor<2x3xi64>, %b : tensor<3xi64>) {
  %0 = graph.bitwise_and %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
  %1 = graph.bitwise_or %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
  %2 = graph.bitwise_xor %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
  %3 = graph.shift_left %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
  %4 = graph.shift_right %a, %b : tensor<2x3xi64>, tensor<3xi64> -> tensor<2x3xi64>
  return
}

// -----

// One operand keeps its shape.
//
// CHECK-LABEL: func.func @one_operand
// CHECK:         graph.bitwise_not %a : tensor<4xi32> -> tensor<4xi32>
func.func @one_operand(%a : tensor<4xi32>) {
  %0 = graph.bitwise_not %a : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// Other elements have no meaning here.
func.func @other_elements(%a : tensor<4xf32>) {
  // expected-error {{expected integer elements, got tensor<4xf32>}}
  %0 = graph.bitwise_and %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// A boolean is no row of bits.
func.func @booleans(%a : tensor<4xi1>) {
  // expected-error {{expected integer elements, got tensor<4xi1>}}
  %0 = graph.bitwise_not %a : tensor<4xi1> -> tensor<4xi1>
  return
}
