// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Each of the limits may be left out.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.clamp %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.clamp %x {min = -1.000000e+00 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.clamp %x {max = 1.000000e+00 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.clamp %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.clamp %x {min = -1.000000e+00 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.clamp %x {max = 1.000000e+00 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.clamp %x {min = 0.000000e+00 : f64} : tensor<?xi64, ["batch"]> -> tensor<?xi64, ["batch"]>
func.func @symbols(%x : tensor<?xi64, ["batch"]>) {
  %0 = graph.clamp %x {min = 0.000000e+00 : f64} : tensor<?xi64, ["batch"]> -> tensor<?xi64, ["batch"]>
  return
}

// -----

// A boolean is not a number.
func.func @booleans_have_no_order(%x : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.clamp %x {min = 0.000000e+00 : f64} : tensor<4xi1> -> tensor<4xi1>
  return
}
