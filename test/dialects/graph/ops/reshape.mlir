// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The product of the sizes stays.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
// CHECK:         graph.reshape %x {shape = ["3", "1", "2"]} : tensor<2x3xf32> -> tensor<3x1x2xf32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %1 = graph.reshape %x {shape = ["3", "1", "2"]} : tensor<2x3xf32> -> tensor<3x1x2xf32>
  return
}

// -----

// A product of symbols is a dimension as well.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.reshape %x {shape = ["batch * seq", "4"]} : tensor<?x?x4xf32, ["batch", "seq"]> -> tensor<?x4xf32, ["batch * seq"]>
// CHECK:         graph.reshape %x {shape = ["batch", "4 * seq"]} : tensor<?x?x4xf32, ["batch", "seq"]> -> tensor<?x?xf32, ["batch", "4 * seq"]>
func.func @symbols(%x : tensor<?x?x4xf32, ["batch", "seq"]>) {
  %0 = graph.reshape %x {shape = ["batch * seq", "4"]} : tensor<?x?x4xf32, ["batch", "seq"]> -> tensor<?x4xf32, ["batch * seq"]>
  %1 = graph.reshape %x {shape = ["batch", "4 * seq"]} : tensor<?x?x4xf32, ["batch", "seq"]> -> tensor<?x?xf32, ["batch", "4 * seq"]>
  return
}

// -----

// No element is lost.
func.func @too_few_elements(%x : tensor<2x3xf32>) {
  // expected-error {{expected as many elements as tensor<2x3xf32>, got shape 5}}
  %0 = graph.reshape %x {shape = ["5"]} : tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

// A symbol is this number when the model runs.
//
// CHECK-LABEL: func.func @symbol_to_number
// CHECK:         -> tensor<4xf32>
func.func @symbol_to_number(%x : tensor<?xf32, ["n"]>) {
  %0 = graph.reshape %x {shape = ["4"]} : tensor<?xf32, ["n"]> -> tensor<4xf32>
  return
}

// -----

// These sizes are never equal.
func.func @symbols_clash(%x : tensor<?xf32, ["n"]>) {
  // expected-error {{expected as many elements as tensor<?xf32, ["n"]>, got shape 2 * n}}
  %0 = graph.reshape %x {shape = ["2 * n"]} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["2 * n"]>
  return
}
