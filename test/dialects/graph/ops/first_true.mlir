// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The axis goes, or its size becomes one; what is left are indices.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.first_true %x {axis = 1 : i64, keepdims = false} : tensor<2x3xi1> -> tensor<2xi64>
// CHECK:         graph.first_true %x {axis = -2 : i64, keepdims = true} : tensor<2x3xi1> -> tensor<1x3xi64>
func.func @round_trip(%x : tensor<2x3xi1>) {
  %0 = graph.first_true %x {axis = 1 : i64, keepdims = false} : tensor<2x3xi1> -> tensor<2xi64>
  %1 = graph.first_true %x {axis = -2 : i64, keepdims = true} : tensor<2x3xi1> -> tensor<1x3xi64>
  return
}

// -----

// The other axes stay, whatever their size.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.first_true %x {axis = 1 : i64, keepdims = false} : tensor<?x?xi1, ["m", "n"]> -> tensor<?xi64, ["m"]>
func.func @symbols(%x : tensor<?x?xi1, ["m", "n"]>) {
  %0 = graph.first_true %x {axis = 1 : i64, keepdims = false} : tensor<?x?xi1, ["m", "n"]> -> tensor<?xi64, ["m"]>
  return
}

// -----

// Only a boolean holds.
func.func @numbers_do_not_hold(%x : tensor<2x3xf32>) {
  // expected-error {{expected bool elements, got tensor<2x3xf32>}}
  %0 = graph.first_true %x {axis = 1 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

// Of no elements none is the first.
func.func @nothing_is_first(%x : tensor<2x0xi1>) {
  // expected-error {{expected elements along axis 1, got tensor<2x0xi1>}}
  %0 = graph.first_true %x {axis = 1 : i64, keepdims = false} : tensor<2x0xi1> -> tensor<2xi64>
  return
}
