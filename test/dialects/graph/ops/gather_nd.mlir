// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the axes of the indices but the last, then those of a block.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.gather_nd %x, %i {axes = array<i64: 0, 2>, batch_dims = 0 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<5x6x2xi64> -> tensor<5x6x7xf32>
// CHECK:         graph.gather_nd %x, %j {axes = array<i64: 1>, batch_dims = 1 : i64, wraps = false} : tensor<3x7x4xf32>, tensor<3x5x1xi32> -> tensor<3x5x4xf32>
func.func @round_trip(%x : tensor<3x7x4xf32>, %i : tensor<5x6x2xi64>, %j : tensor<3x5x1xi32>) {
  %0 = graph.gather_nd %x, %i {axes = array<i64: 0, 2>, batch_dims = 0 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<5x6x2xi64> -> tensor<5x6x7xf32>
  %1 = graph.gather_nd %x, %j {axes = array<i64: 1>, batch_dims = 1 : i64, wraps = false} : tensor<3x7x4xf32>, tensor<3x5x1xi32> -> tensor<3x5x4xf32>
  return
}

// -----

// A place has no fractional number.
func.func @indices_are_integers(%x : tensor<7xf32>, %i : tensor<5x1xf32>) {
  // expected-error {{expected integer elements, got tensor<5x1xf32>}}
  %0 = graph.gather_nd %x, %i {axes = array<i64: 0>, batch_dims = 0 : i64, wraps = true} : tensor<7xf32>, tensor<5x1xf32> -> tensor<5xf32>
  return
}

// -----

// Nothing is looked up along one axis twice.
func.func @axes_are_the_same(%x : tensor<7x3xf32>, %i : tensor<5x2xi64>) {
  // expected-error {{expected axes that differ, from 0 to 1, got (1, 1)}}
  %0 = graph.gather_nd %x, %i {axes = array<i64: 1, 1>, batch_dims = 0 : i64, wraps = true} : tensor<7x3xf32>, tensor<5x2xi64> -> tensor<5x7xf32>
  return
}

// -----

// Along the axes of a batch nothing is looked up.
func.func @axis_of_the_batch(%x : tensor<7x3xf32>, %i : tensor<7x1xi64>) {
  // expected-error {{expected axes that differ, from 1 to 1, got (0,)}}
  %0 = graph.gather_nd %x, %i {axes = array<i64: 0>, batch_dims = 1 : i64, wraps = true} : tensor<7x3xf32>, tensor<7x1xi64> -> tensor<7x3xf32>
  return
}

// -----

// There is a number for each axis.
func.func @numbers_are_missing(%x : tensor<7x3xf32>, %i : tensor<5x1xi64>) {
  // expected-error {{expected indices of 2 each, got tensor<5x1xi64>}}
  %0 = graph.gather_nd %x, %i {axes = array<i64: 0, 1>, batch_dims = 0 : i64, wraps = true} : tensor<7x3xf32>, tensor<5x1xi64> -> tensor<5xf32>
  return
}

// -----

// Every batch has indices of its own.
func.func @batches_clash(%x : tensor<7x3xf32>, %i : tensor<5x2x1xi64>) {
  // expected-error {{expected 1 axes alike, got tensor<7x3xf32> and tensor<5x2x1xi64>}}
  %0 = graph.gather_nd %x, %i {axes = array<i64: 1>, batch_dims = 1 : i64, wraps = true} : tensor<7x3xf32>, tensor<5x2x1xi64> -> tensor<5x2xf32>
  return
}
