// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The shape and the dtype of the result are those of the operand.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.leaky_relu %x {slope = 1.000000e-01 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.sigmoid %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.silu %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.gelu %x {approximate = "none"} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.gelu %x {approximate = "tanh"} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.leaky_relu %x {slope = 1.000000e-01 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.sigmoid %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.silu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.gelu %x {approximate = "none"} : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = graph.gelu %x {approximate = "tanh"} : tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = graph.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.silu %x : tensor<?x3xf64, ["batch"]> -> tensor<?x3xf64, ["batch"]>
func.func @symbols(%x : tensor<?x3xf64, ["batch"]>) {
  %0 = graph.silu %x : tensor<?x3xf64, ["batch"]> -> tensor<?x3xf64, ["batch"]>
  return
}

// -----

// Only relu has a meaning for integers too.
//
// CHECK-LABEL: func.func @relu_of_integers
// CHECK:         graph.relu %x : tensor<4xi64> -> tensor<4xi64>
func.func @relu_of_integers(%x : tensor<4xi64>) {
  %0 = graph.relu %x : tensor<4xi64> -> tensor<4xi64>
  return
}

// -----

// All others need fractions.
func.func @integers_have_no_curve(%x : tensor<4xi64>) {
  // expected-error {{expected float elements, got tensor<4xi64>}}
  %0 = graph.sigmoid %x : tensor<4xi64> -> tensor<4xi64>
  return
}

// -----

// A boolean is not a number.
func.func @a_boolean_has_no_sign(%x : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.relu %x : tensor<4xi1> -> tensor<4xi1>
  return
}

// -----

// The ways to compute gelu are two.
func.func @no_such_approximation(%x : tensor<4xf32>) {
  // expected-error {{expected approximate "none" or "tanh", got "erf"}}
  %0 = graph.gelu %x {approximate = "erf"} : tensor<4xf32> -> tensor<4xf32>
  return
}
