// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Three gates, of which two have one function.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         %{{.*}}, %{{.*}} = graph.gru %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["sigmoid", "tanh"], backward = false, resets_product = true} : tensor<4x2x5xf32>, tensor<3x6x5xf32>, tensor<3x6x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
func.func @round_trip(%a0 : tensor<4x2x5xf32>, %a1 : tensor<3x6x5xf32>, %a2 : tensor<3x6x6xf32>, %a3 : tensor<3x6xf32>, %a4 : tensor<3x6xf32>, %a5 : tensor<2x6xf32>) {
  %0, %1 = graph.gru %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["sigmoid", "tanh"], backward = false, resets_product = true} : tensor<4x2x5xf32>, tensor<3x6x5xf32>, tensor<3x6x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// Each gate has a weight.
func.func @gates_are_counted(%a0 : tensor<4x2x5xf32>, %a1 : tensor<4x6x5xf32>, %a2 : tensor<4x6x6xf32>, %a3 : tensor<4x6xf32>, %a4 : tensor<4x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected weight of tensor<3x6x5xf32>, got tensor<4x6x5xf32>}}
  %0, %1 = graph.gru %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["sigmoid", "tanh"], backward = false, resets_product = true} : tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}
