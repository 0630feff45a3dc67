// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The places come first, then the taps.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.unfold %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : tensor<2x3x5x7xf32> -> tensor<2x3x2x3x2x3xf32>
// CHECK:         graph.unfold %y {kernel = array<i64: 2>, strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x?xi1, ["time"]> -> tensor<2x3x?x2xi1, ["floordiv(time, 2)"]>
func.func @round_trip(%x : tensor<2x3x5x7xf32>, %y : tensor<2x3x?xi1, ["time"]>) {
  %0 = graph.unfold %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : tensor<2x3x5x7xf32> -> tensor<2x3x2x3x2x3xf32>
  %1 = graph.unfold %y {kernel = array<i64: 2>, strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x?xi1, ["time"]> -> tensor<2x3x?x2xi1, ["floordiv(time, 2)"]>
  return
}

// -----

// The window fits the image.
func.func @too_long(%x : tensor<2x3x5xf32>) {
  // expected-error {{expected a window that fits spatial axis 0, got one that is 2 longer}}
  %0 = graph.unfold %x {kernel = array<i64: 7>, strides = array<i64: 1>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x0x7xf32>
  return
}

// -----

// The window has as many axes as the image.
func.func @axes(%x : tensor<2x3x5xf32>) {
  // expected-error {{expected NxCx... with 2 spatial axes, got tensor<2x3x5xf32>}}
  %0 = graph.unfold %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5xf32> -> tensor<2x3x5x1xf32>
  return
}
