// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Any number of spatial axes, in groups, with strides, dilation and padding.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x5x7xf32>
// CHECK:         graph.conv %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 2>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x2x3xf32>
// CHECK:         graph.conv %y, %v {strides = array<i64: 2>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, groups = 3 : i64} : tensor<2x3x8xf32>, tensor<3x1x3xf32> -> tensor<2x3x4xf32>
func.func @round_trip(%x : tensor<2x3x5x7xf32>, %w : tensor<4x3x3x3xf32>, %y : tensor<2x3x8xf32>, %v : tensor<3x1x3xf32>) {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x5x7xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 2>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x2x3xf32>
  %2 = graph.conv %y, %v {strides = array<i64: 2>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, groups = 3 : i64} : tensor<2x3x8xf32>, tensor<3x1x3xf32> -> tensor<2x3x4xf32>
  return
}

// -----

// The size of what comes out follows from what goes in.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<4x3x3xf32> -> tensor<?x4x?xf32, ["batch", "time"]>
// CHECK:         graph.conv %x, %w {strides = array<i64: 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<4x3x3xf32> -> tensor<?x4x?xf32, ["batch", "floordiv(time + 1, 2)"]>
func.func @symbols(%x : tensor<?x3x?xf32, ["batch", "time"]>, %w : tensor<4x3x3xf32>) {
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<4x3x3xf32> -> tensor<?x4x?xf32, ["batch", "time"]>
  %1 = graph.conv %x, %w {strides = array<i64: 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<4x3x3xf32> -> tensor<?x4x?xf32, ["batch", "floordiv(time + 1, 2)"]>
  return
}

// -----

// The weight has a number for each channel of its group.
func.func @channels_clash(%x : tensor<1x3x8xf32>, %w : tensor<4x2x3xf32>) {
  // expected-error {{expected NxCx... and Ox(C/1)x..., got tensor<1x3x8xf32> and tensor<4x2x3xf32>}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x2x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

// The channels of the result are shared out evenly.
func.func @groups_are_uneven(%x : tensor<1x4x8xf32>, %w : tensor<3x2x3xf32>) {
  // expected-error {{expected NxCx... and Ox(C/2)x..., got tensor<1x4x8xf32> and tensor<3x2x3xf32>}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 2 : i64} : tensor<1x4x8xf32>, tensor<3x2x3xf32> -> tensor<1x3x6xf32>
  return
}

// -----

// The kernel has as many spatial axes as the image.
func.func @ranks_clash(%x : tensor<1x3x8xf32>, %w : tensor<4x3x3x3xf32>) {
  // expected-error {{expected NxCx... and Ox(C/1)x..., got tensor<1x3x8xf32> and tensor<4x3x3x3xf32>}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

// Both have elements of one type.
func.func @dtypes_clash(%x : tensor<1x3x8xf32>, %w : tensor<4x3x3xf64>) {
  // expected-error {{expected NxCx... and Ox(C/1)x..., got tensor<1x3x8xf32> and tensor<4x3x3xf64>}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf64> -> tensor<1x4x6xf32>
  return
}

// -----

// There is one stride and one dilation for each spatial axis.
func.func @too_few_strides(%x : tensor<1x3x8x8xf32>, %w : tensor<4x3x3x3xf32>) {
  // expected-error {{expected a stride and a dilation for each of 2 spatial axes, got (1,) and (1, 1)}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// Padding is given before each axis, and after each.
func.func @padding_of_one_side(%x : tensor<1x3x8xf32>, %w : tensor<4x3x3xf32>) {
  // expected-error {{expected 2 paddings of zero or more, got (1,)}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// A window that does not move has no number of places.
func.func @stride_of_zero(%x : tensor<1x3x8xf32>, %w : tensor<4x3x3xf32>) {
  // expected-error {{expected strides and dilations of one or more, got (0,) and (1,)}}
  %0 = graph.conv %x, %w {strides = array<i64: 0>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

// A window that is a stride longer than the image has no place.
func.func @window_without_place(%x : tensor<1x3x4xf32>, %w : tensor<4x3x3xf32>) {
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x3x4xf32>, tensor<4x3x3xf32> -> tensor<1x4x0xf32>
  return
}

// -----

// A window is no longer than that.
func.func @window_too_large(%x : tensor<1x3x3xf32>, %w : tensor<4x3x3xf32>) {
  // expected-error {{expected a window that fits spatial axis 0, got one that is 2 longer}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 2>, groups = 1 : i64} : tensor<1x3x3xf32>, tensor<4x3x3xf32> -> tensor<1x4x1xf32>
  return
}

// -----

// A boolean is not a number.
func.func @booleans_have_no_product(%x : tensor<1x3x8xi1>, %w : tensor<4x3x3xi1>) {
  // expected-error {{expected number elements, got tensor<1x3x8xi1>}}
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xi1>, tensor<4x3x3xi1> -> tensor<1x4x6xi1>
  return
}

// -----

// Bytes of any sign are summed in i32.
//
// CHECK-LABEL: func.func @bytes
// CHECK:         to = i32} : tensor<1x3x5xui8>, tensor<4x3x3xsi8> -> tensor<1x4x3xi32>
func.func @bytes(%x : tensor<1x3x5xui8>, %w : tensor<4x3x3xsi8>) {
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64, to = i32} : tensor<1x3x5xui8>, tensor<4x3x3xsi8> -> tensor<1x4x3xi32>
  return
}
