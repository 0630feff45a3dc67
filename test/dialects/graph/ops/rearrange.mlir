// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// An axis of either side is made of axes of the grid, and a repeated one of none that is read.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.rearrange %x {sizes = ["2", "3", "5", "7"], reads = [array<i64: 0>, array<i64: 2, 1>], writes = [array<i64: 0, 1>, array<i64: 2, 3>]} : tensor<2x15xf32> -> tensor<6x35xf32>
func.func @round_trip(%x : tensor<2x15xf32>) {
  %0 = graph.rearrange %x {sizes = ["2", "3", "5", "7"], reads = [array<i64: 0>, array<i64: 2, 1>], writes = [array<i64: 0, 1>, array<i64: 2, 3>]} : tensor<2x15xf32> -> tensor<6x35xf32>
  return
}

// -----

// The result has the axes of the grid in order.
func.func @out_of_order(%x : tensor<6xf32>) {
  // expected-error {{expected every axis of the grid once and in order, got ((1,), (0,))}}
  %0 = graph.rearrange %x {sizes = ["2", "3"], reads = [array<i64: 0, 1>], writes = [array<i64: 1>, array<i64: 0>]} : tensor<6xf32> -> tensor<3x2xf32>
  return
}

// -----

// No axis is read twice.
func.func @read_twice(%x : tensor<4xf32>) {
  // expected-error {{expected axes of a grid of 2 at most once, got ((0, 0),)}}
  %0 = graph.rearrange %x {sizes = ["2", "3"], reads = [array<i64: 0, 0>], writes = [array<i64: 0>, array<i64: 1>]} : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

// The sizes are those of the input.
func.func @another_size(%x : tensor<7xf32>) {
  // expected-error {{expected axes of tensor<7xf32> made of axes of the grid, got sizes 6}}
  %0 = graph.rearrange %x {sizes = ["2", "3"], reads = [array<i64: 0, 1>], writes = [array<i64: 0>, array<i64: 1>]} : tensor<7xf32> -> tensor<2x3xf32>
  return
}

// -----

// No size is below zero.
func.func @negative_sizes(%x : tensor<6xf32>) {
  // expected-error {{expected sizes that are not negative, got -2, -3}}
  %0 = graph.rearrange %x {sizes = ["-2", "-3"], reads = [array<i64: 1, 0>], writes = [array<i64: 0, 1>]} : tensor<6xf32> -> tensor<6xf32>
  return
}

// -----

// Axes are whole numbers.
func.func @no_axes(%x : tensor<6xf32>) {
  // expected-error {{Expected attribute i64 but got f32}}
  %0 = graph.rearrange %x {sizes = ["2", "3"], reads = [array<f32: 1.0, 0.0>], writes = [array<i64: 0, 1>]} : tensor<6xf32> -> tensor<6xf32>
  return
}
