// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the axes of the indices, then the width of the table.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.embedding %t, %i : tensor<7x3xf32>, tensor<2x5xi64> -> tensor<2x5x3xf32>
// CHECK:         graph.embedding %t, %j : tensor<7x3xf32>, tensor<i32> -> tensor<3xf32>
func.func @round_trip(%t : tensor<7x3xf32>, %i : tensor<2x5xi64>, %j : tensor<i32>) {
  %0 = graph.embedding %t, %i : tensor<7x3xf32>, tensor<2x5xi64> -> tensor<2x5x3xf32>
  %1 = graph.embedding %t, %j : tensor<7x3xf32>, tensor<i32> -> tensor<3xf32>
  return
}

// -----

// There may be any number of indices, and of rows.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.embedding %t, %i : tensor<?x3xf32, ["words"]>, tensor<?xi64, ["length"]> -> tensor<?x3xf32, ["length"]>
func.func @symbols(%t : tensor<?x3xf32, ["words"]>, %i : tensor<?xi64, ["length"]>) {
  %0 = graph.embedding %t, %i : tensor<?x3xf32, ["words"]>, tensor<?xi64, ["length"]> -> tensor<?x3xf32, ["length"]>
  return
}

// -----

// A row has no fractional number.
func.func @indices_are_integers(%t : tensor<7x3xf32>, %i : tensor<5xf32>) {
  // expected-error {{expected integer elements, got tensor<5xf32>}}
  %0 = graph.embedding %t, %i : tensor<7x3xf32>, tensor<5xf32> -> tensor<5x3xf32>
  return
}

// -----

// A table has rows and columns.
func.func @a_table_has_two_axes(%t : tensor<7xf32>, %i : tensor<5xi64>) {
  // expected-error {{expected a table of two axes, got tensor<7xf32>}}
  %0 = graph.embedding %t, %i : tensor<7xf32>, tensor<5xi64> -> tensor<5xf32>
  return
}
