// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The axes of the indices stand where the axis was.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.index_select %x, %i {axis = 1 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<2x5xi64> -> tensor<3x2x5x4xf32>
// CHECK:         graph.index_select %v, %j {axis = 0 : i64, wraps = false} : tensor<7xf32>, tensor<i32> -> tensor<f32>
func.func @round_trip(%x : tensor<3x7x4xf32>, %v : tensor<7xf32>, %i : tensor<2x5xi64>, %j : tensor<i32>) {
  %0 = graph.index_select %x, %i {axis = 1 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<2x5xi64> -> tensor<3x2x5x4xf32>
  %1 = graph.index_select %v, %j {axis = 0 : i64, wraps = false} : tensor<7xf32>, tensor<i32> -> tensor<f32>
  return
}

// -----

// There may be any number of indices, and of what they choose from.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.index_select %x, %i {axis = 0 : i64, wraps = false} : tensor<?x4xf32, ["rows"]>, tensor<?xi64, ["chosen"]> -> tensor<?x4xf32, ["chosen"]>
func.func @symbols(%x : tensor<?x4xf32, ["rows"]>, %i : tensor<?xi64, ["chosen"]>) {
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = false} : tensor<?x4xf32, ["rows"]>, tensor<?xi64, ["chosen"]> -> tensor<?x4xf32, ["chosen"]>
  return
}

// -----

// A place has no fractional number.
func.func @indices_are_integers(%x : tensor<7xf32>, %i : tensor<5xf32>) {
  // expected-error {{expected integer elements, got tensor<5xf32>}}
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = true} : tensor<7xf32>, tensor<5xf32> -> tensor<5xf32>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<7xf32>, %i : tensor<5xi64>) {
  // expected-error {{expected an axis from -1 to 0, got 1}}
  %0 = graph.index_select %x, %i {axis = 1 : i64, wraps = true} : tensor<7xf32>, tensor<5xi64> -> tensor<5xf32>
  return
}
