// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The axis goes, or its size becomes one; what is left are indices.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.argmax %x {axis = 1 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
// CHECK:         graph.argmax %x {axis = -2 : i64, keepdims = true} : tensor<2x3xf32> -> tensor<1x3xi64>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.argmax %x {axis = 1 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
  %1 = graph.argmax %x {axis = -2 : i64, keepdims = true} : tensor<2x3xf32> -> tensor<1x3xi64>
  return
}

// -----

// The other axes stay, whatever their size.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.argmax %x {axis = 1 : i64, keepdims = false} : tensor<?x?xf32, ["batch", "classes"]> -> tensor<?xi64, ["batch"]>
func.func @symbols(%x : tensor<?x?xf32, ["batch", "classes"]>) {
  %0 = graph.argmax %x {axis = 1 : i64, keepdims = false} : tensor<?x?xf32, ["batch", "classes"]> -> tensor<?xi64, ["batch"]>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got 2}}
  %0 = graph.argmax %x {axis = 2 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

// Of no elements none is the greatest.
func.func @nothing_is_greatest(%x : tensor<2x0xf32>) {
  // expected-error {{expected elements along axis 1, got tensor<2x0xf32>}}
  %0 = graph.argmax %x {axis = 1 : i64, keepdims = false} : tensor<2x0xf32> -> tensor<2xi64>
  return
}
