// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the axes of the indices, which may reach less far than the input.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.gather %x, %i {axis = 1 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<3x5x4xi64> -> tensor<3x5x4xf32>
// CHECK:         graph.gather %x, %j {axis = -3 : i64, wraps = false} : tensor<3x7x4xf32>, tensor<9x2x1xi32> -> tensor<9x2x1xf32>
func.func @round_trip(%x : tensor<3x7x4xf32>, %i : tensor<3x5x4xi64>, %j : tensor<9x2x1xi32>) {
  %0 = graph.gather %x, %i {axis = 1 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<3x5x4xi64> -> tensor<3x5x4xf32>
  %1 = graph.gather %x, %j {axis = -3 : i64, wraps = false} : tensor<3x7x4xf32>, tensor<9x2x1xi32> -> tensor<9x2x1xf32>
  return
}

// -----

// Whether indices fit may be known when the model runs only.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.gather %x, %i {axis = 0 : i64, wraps = false} : tensor<?x?xf32, ["n", "m"]>, tensor<?x?xi64, ["k", "l"]> -> tensor<?x?xf32, ["k", "l"]>
func.func @symbols(%x : tensor<?x?xf32, ["n", "m"]>, %i : tensor<?x?xi64, ["k", "l"]>) {
  %0 = graph.gather %x, %i {axis = 0 : i64, wraps = false} : tensor<?x?xf32, ["n", "m"]>, tensor<?x?xi64, ["k", "l"]> -> tensor<?x?xf32, ["k", "l"]>
  return
}

// -----

// A place has no fractional number.
func.func @indices_are_integers(%x : tensor<7xf32>, %i : tensor<5xf32>) {
  // expected-error {{expected integer elements, got tensor<5xf32>}}
  %0 = graph.gather %x, %i {axis = 0 : i64, wraps = true} : tensor<7xf32>, tensor<5xf32> -> tensor<5xf32>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<7xf32>, %i : tensor<5xi64>) {
  // expected-error {{expected an axis from -1 to 0, got 1}}
  %0 = graph.gather %x, %i {axis = 1 : i64, wraps = true} : tensor<7xf32>, tensor<5xi64> -> tensor<5xf32>
  return
}

// -----

// Both have as many axes.
func.func @ranks_clash(%x : tensor<7x3xf32>, %i : tensor<5xi64>) {
  // expected-error {{expected as many axes, got tensor<7x3xf32> and tensor<5xi64>}}
  %0 = graph.gather %x, %i {axis = 0 : i64, wraps = true} : tensor<7x3xf32>, tensor<5xi64> -> tensor<5xf32>
  return
}

// -----

// There is no line beyond the input.
func.func @indices_reach_too_far(%x : tensor<7x3xf32>, %i : tensor<5x4xi64>) {
  // expected-error {{expected indices that fit off axis 0, got tensor<7x3xf32> and tensor<5x4xi64>}}
  %0 = graph.gather %x, %i {axis = 0 : i64, wraps = true} : tensor<7x3xf32>, tensor<5x4xi64> -> tensor<5x4xf32>
  return
}
