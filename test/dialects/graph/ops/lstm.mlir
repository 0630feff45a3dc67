// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Four gates; the states are the output and the cell.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}} = graph.lstm %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["sigmoid", "tanh", "tanh"], backward = false} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
func.func @round_trip(%a0 : tensor<4x2x5xf32>, %a1 : tensor<4x6x5xf32>, %a2 : tensor<4x6x6xf32>, %a3 : tensor<4x6xf32>, %a4 : tensor<4x6xf32>, %a5 : tensor<2x6xf32>, %a6 : tensor<2x6xf32>) {
  %0, %1, %2 = graph.lstm %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["sigmoid", "tanh", "tanh"], backward = false} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A projection makes the state of another size than the cell.
//
// CHECK-LABEL: func.func @projection
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}} = graph.lstm %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8 {functions = ["sigmoid", "tanh", "tanh"], backward = false, given = ["peepholes", "projection"]} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x7xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x7xf32>, tensor<2x6xf32>, tensor<3x6xf32>, tensor<7x6xf32> -> tensor<4x2x7xf32>, tensor<2x7xf32>, tensor<2x6xf32>
func.func @projection(%a0 : tensor<4x2x5xf32>, %a1 : tensor<4x6x5xf32>, %a2 : tensor<4x6x7xf32>, %a3 : tensor<4x6xf32>, %a4 : tensor<4x6xf32>, %a5 : tensor<2x7xf32>, %a6 : tensor<2x6xf32>, %a7 : tensor<3x6xf32>, %a8 : tensor<7x6xf32>) {
  %0, %1, %2 = graph.lstm %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8 {functions = ["sigmoid", "tanh", "tanh"], backward = false, given = ["peepholes", "projection"]} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x7xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x7xf32>, tensor<2x6xf32>, tensor<3x6xf32>, tensor<7x6xf32> -> tensor<4x2x7xf32>, tensor<2x7xf32>, tensor<2x6xf32>
  return
}

// -----

// Without a projection they are of one size.
func.func @state_without_projection(%a0 : tensor<4x2x5xf32>, %a1 : tensor<4x6x5xf32>, %a2 : tensor<4x6x7xf32>, %a3 : tensor<4x6xf32>, %a4 : tensor<4x6xf32>, %a5 : tensor<2x7xf32>, %a6 : tensor<2x6xf32>) {
  // expected-error {{expected recurrent_weight of tensor<4x6x6xf32>, got tensor<4x6x7xf32>}}
  %0, %1, %2 = graph.lstm %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["sigmoid", "tanh", "tanh"], backward = false} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x7xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x7xf32>, tensor<2x6xf32> -> tensor<4x2x7xf32>, tensor<2x7xf32>, tensor<2x6xf32>
  return
}

// -----

// Three gates see the cell.
func.func @peepholes_are_counted(%a0 : tensor<4x2x5xf32>, %a1 : tensor<4x6x5xf32>, %a2 : tensor<4x6x6xf32>, %a3 : tensor<4x6xf32>, %a4 : tensor<4x6xf32>, %a5 : tensor<2x6xf32>, %a6 : tensor<2x6xf32>, %a7 : tensor<4x6xf32>) {
  // expected-error {{expected peepholes of tensor<3x6xf32>, got tensor<4x6xf32>}}
  %0, %1, %2 = graph.lstm %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {functions = ["sigmoid", "tanh", "tanh"], backward = false, given = ["peepholes"]} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<4x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
  return
}
