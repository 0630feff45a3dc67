// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The axis becomes the last one, of as many elements as are asked for.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.argsort %x {axis = 0 : i64, count = "2", descending = true} : tensor<7x3x5xf32> -> tensor<3x5x2xi64>
func.func @round_trip(%x : tensor<7x3x5xf32>) {
  %0 = graph.argsort %x {axis = 0 : i64, count = "2", descending = true} : tensor<7x3x5xf32> -> tensor<3x5x2xi64>
  return
}

// -----

// That number may be a symbol.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.argsort %x {axis = -1 : i64, count = "n", descending = false} : tensor<?x?xi1, ["n", "m"]> -> tensor<?x?xi64, ["n", "n"]>
func.func @symbols(%x : tensor<?x?xi1, ["n", "m"]>) {
  %0 = graph.argsort %x {axis = -1 : i64, count = "n", descending = false} : tensor<?x?xi1, ["n", "m"]> -> tensor<?x?xi64, ["n", "n"]>
  return
}

// -----

// There are that many elements.
func.func @too_many(%x : tensor<2x5xf32>) {
  // expected-error {{expected 6 elements along 1, got tensor<2x5xf32>}}
  %0 = graph.argsort %x {axis = 1 : i64, count = "6", descending = true} : tensor<2x5xf32> -> tensor<2x6xi64>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got 2}}
  %0 = graph.argsort %x {axis = 2 : i64, count = "1", descending = false} : tensor<2x3xf32> -> tensor<2x1xi64>
  return
}
