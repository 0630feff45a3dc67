// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A row of indices for each place, for the whole tensor or for each slice of the first
// axes.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.resample %x, %i, %w {axis = 1 : i64, skips = false} : tensor<3x7x4xf32>, tensor<5x2xi64>, tensor<5x2xf32> -> tensor<3x5x4xf32>
// CHECK:         graph.resample %x, %j, %v {axis = -1 : i64, skips = false} : tensor<3x7x4xf32>, tensor<3x7x5x2xi32>, tensor<3x7x5x2xf32> -> tensor<3x7x5xf32>
func.func @round_trip(%x : tensor<3x7x4xf32>, %i : tensor<5x2xi64>, %w : tensor<5x2xf32>, %j : tensor<3x7x5x2xi32>, %v : tensor<3x7x5x2xf32>) {
  %0 = graph.resample %x, %i, %w {axis = 1 : i64, skips = false} : tensor<3x7x4xf32>, tensor<5x2xi64>, tensor<5x2xf32> -> tensor<3x5x4xf32>
  %1 = graph.resample %x, %j, %v {axis = -1 : i64, skips = false} : tensor<3x7x4xf32>, tensor<3x7x5x2xi32>, tensor<3x7x5x2xf32> -> tensor<3x7x5xf32>
  return
}

// -----

// Every index has a weight.
func.func @weights(%x : tensor<7xf32>, %i : tensor<5x2xi64>, %w : tensor<5x3xf32>) {
  // expected-error {{expected indices and weights of (batch)x(points)x(taps) for axis 0 of tensor<7xf32>, got tensor<5x2xi64> and tensor<5x3xf32>}}
  %0 = graph.resample %x, %i, %w {axis = 0 : i64, skips = false} : tensor<7xf32>, tensor<5x2xi64>, tensor<5x3xf32> -> tensor<5xf32>
  return
}

// -----

// The batch comes before the axis.
func.func @batch(%x : tensor<3x7xf32>, %i : tensor<3x5x2xi64>, %w : tensor<3x5x2xf32>) {
  // expected-error {{expected indices and weights of (batch)x(points)x(taps) for axis 0 of tensor<3x7xf32>, got tensor<3x5x2xi64> and tensor<3x5x2xf32>}}
  %0 = graph.resample %x, %i, %w {axis = 0 : i64, skips = false} : tensor<3x7xf32>, tensor<3x5x2xi64>, tensor<3x5x2xf32> -> tensor<5x7xf32>
  return
}

// -----

// Sums of weighted elements have fractions.
func.func @integers(%x : tensor<7xi64>, %i : tensor<5x2xi64>, %w : tensor<5x2xi64>) {
  // expected-error {{expected float elements, got tensor<7xi64>}}
  %0 = graph.resample %x, %i, %w {axis = 0 : i64, skips = false} : tensor<7xi64>, tensor<5x2xi64>, tensor<5x2xi64> -> tensor<5xi64>
  return
}
