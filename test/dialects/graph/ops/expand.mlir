// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Axes of size one become wider, and new axes come before the others.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.expand %x {shape = ["2", "3", "4"]} : tensor<3x1xf32> -> tensor<2x3x4xf32>
func.func @round_trip(%x : tensor<3x1xf32>) {
  %0 = graph.expand %x {shape = ["2", "3", "4"]} : tensor<3x1xf32> -> tensor<2x3x4xf32>
  return
}

// -----

// An axis of size one becomes any size.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.expand %x {shape = ["batch", "3"]} : tensor<1x3xf32> -> tensor<?x3xf32, ["batch"]>
func.func @symbols(%x : tensor<1x3xf32>) {
  %0 = graph.expand %x {shape = ["batch", "3"]} : tensor<1x3xf32> -> tensor<?x3xf32, ["batch"]>
  return
}

// -----

// An axis that is wider than one keeps its size.
func.func @no_broadcast(%x : tensor<3xf32>) {
  // expected-error {{expected a shape tensor<3xf32> broadcasts to, got tensor<2xf32>}}
  %0 = graph.expand %x {shape = ["2"]} : tensor<3xf32> -> tensor<2xf32>
  return
}

// -----

// Nothing becomes narrower.
func.func @narrower(%x : tensor<3xf32>) {
  // expected-error {{expected a shape tensor<3xf32> broadcasts to, got tensor<1xf32>}}
  %0 = graph.expand %x {shape = ["1"]} : tensor<3xf32> -> tensor<1xf32>
  return
}

// -----

// A symbol is this number or one when the model runs.
//
// CHECK-LABEL: func.func @symbol_to_number
// CHECK:         -> tensor<4xf32>
func.func @symbol_to_number(%x : tensor<?xf32, ["n"]>) {
  %0 = graph.expand %x {shape = ["4"]} : tensor<?xf32, ["n"]> -> tensor<4xf32>
  return
}
