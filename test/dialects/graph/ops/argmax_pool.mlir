// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The numbers are i64, whatever is compared.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.argmax_pool %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x?xf32, ["time"]> -> tensor<2x3x3x?xi64, ["time"]>
func.func @round_trip(%x : tensor<2x3x5x?xf32, ["time"]>) {
  %0 = graph.argmax_pool %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x?xf32, ["time"]> -> tensor<2x3x3x?xi64, ["time"]>
  return
}

// -----

// Every window has an element of the image.
func.func @padding(%x : tensor<2x3x5xf32>) {
  // expected-error {{expected windows with elements in them, got paddings (2, 0)}}
  %0 = graph.argmax_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 2, 0>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x6xi64>
  return
}

// -----

// A step is not so long that a window misses the image.
func.func @steps(%x : tensor<2x3x2xf32>) {
  // expected-error {{expected windows with elements in them, got steps of 3 over 2}}
  %0 = graph.argmax_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 3>} : tensor<2x3x2xf32> -> tensor<2x3x1xi64>
  return
}

// -----

// A window that begins in the image has an element in it, however long its step.
//
// CHECK-LABEL: func.func @first_elements
// CHECK:         graph.argmax_pool
func.func @first_elements(%x : tensor<2x3x2xf32>) {
  %0 = graph.argmax_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 2>, dilation = array<i64: 3>} : tensor<2x3x2xf32> -> tensor<2x3x1xi64>
  return
}
