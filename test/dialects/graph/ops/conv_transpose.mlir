// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Any number of spatial axes, with strides, dilation, padding and groups.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.conv_transpose %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<3x4x3x3xf32> -> tensor<2x4x10x7xf32>
func.func @round_trip(%x : tensor<2x3x5x7xf32>, %w : tensor<3x4x3x3xf32>) {
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<3x4x3x3xf32> -> tensor<2x4x10x7xf32>
  return
}

// -----

// The size of the result follows from that of the image.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         tensor<?x4x?xf32, ["batch", "2 * time + 1"]>
func.func @symbols(%x : tensor<?x3x?xf32, ["batch", "time"]>, %w : tensor<3x4x3xf32>) {
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<3x4x3xf32> -> tensor<?x4x?xf32, ["batch", "2 * time + 1"]>
  return
}

// -----

// The weights have as many channels as the image.
func.func @channels(%x : tensor<2x3x5xf32>, %w : tensor<4x3x2xf32>) {
  // expected-error {{expected NxCx... and Cx(O/1)x..., got tensor<2x3x5xf32> and tensor<4x3x2xf32>}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<2x3x5xf32>, tensor<4x3x2xf32> -> tensor<2x3x6xf32>
  return
}

// -----

// Every spatial axis has a stride.
func.func @strides(%x : tensor<2x3x5xf32>, %w : tensor<3x3x2xf32>) {
  // expected-error {{expected a kernel, a stride, two paddings, an output padding and a dilation for each of 1 spatial axes, got (2,), (1, 1), (0, 0), (0,) and (1,)}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<2x3x5xf32>, tensor<3x3x2xf32> -> tensor<2x3x6xf32>
  return
}

// -----

// Nothing is spread backwards.
func.func @negative(%x : tensor<2x3x5xf32>, %w : tensor<3x3x2xf32>) {
  // expected-error {{expected strides and dilations of one or more and paddings of zero or more, got (1,), (1,), (0, -1) and (0,)}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1>, padding = array<i64: 0, -1>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<2x3x5xf32>, tensor<3x3x2xf32> -> tensor<2x3x6xf32>
  return
}

// -----

// Padding leaves something of the image.
func.func @cut_off(%x : tensor<2x3x2xf32>, %w : tensor<3x3x2xf32>) {
  // expected-error {{expected an image that padding leaves elements of, got 2 along spatial axis 0}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1>, padding = array<i64: 3, 1>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<2x3x2xf32>, tensor<3x3x2xf32> -> tensor<2x3x0xf32>
  return
}
