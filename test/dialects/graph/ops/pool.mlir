// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Any number of spatial axes, with strides, dilation and padding.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.max_pool %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
// CHECK:         graph.max_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 2>} : tensor<2x3x5xf32> -> tensor<2x3x3xf32>
// CHECK:         graph.sum_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x4xf32>
// CHECK:         graph.avg_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, count_padding = true} : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
// CHECK:         graph.avg_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, count_padding = false} : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
func.func @round_trip(%x : tensor<2x3x5x7xf32>, %y : tensor<2x3x5xf32>) {
  %0 = graph.max_pool %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
  %1 = graph.max_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 2>} : tensor<2x3x5xf32> -> tensor<2x3x3xf32>
  %2 = graph.sum_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x4xf32>
  %3 = graph.avg_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, count_padding = true} : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  %4 = graph.avg_pool %y {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, count_padding = false} : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  return
}

// -----

// The number of places follows from the size of the image.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<?x3x?xf32, ["batch", "time"]> -> tensor<?x3x?xf32, ["batch", "floordiv(time, 2)"]>
func.func @symbols(%x : tensor<?x3x?xf32, ["batch", "time"]>) {
  %0 = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<?x3x?xf32, ["batch", "time"]> -> tensor<?x3x?xf32, ["batch", "floordiv(time, 2)"]>
  return
}

// -----

// The greatest and the sum are there for integers too.
//
// CHECK-LABEL: func.func @integers
// CHECK:         graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<1x1x4xi64> -> tensor<1x1x2xi64>
// CHECK:         graph.sum_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<1x1x4xi64> -> tensor<1x1x2xi64>
func.func @integers(%x : tensor<1x1x4xi64>) {
  %0 = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<1x1x4xi64> -> tensor<1x1x2xi64>
  %1 = graph.sum_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<1x1x4xi64> -> tensor<1x1x2xi64>
  return
}

// -----

// A mean has a fraction.
func.func @integers_have_no_mean(%x : tensor<1x1x4xi64>) {
  // expected-error {{expected float elements, got tensor<1x1x4xi64>}}
  %0 = graph.avg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, count_padding = true} : tensor<1x1x4xi64> -> tensor<1x1x2xi64>
  return
}

// -----

// A boolean is not a number.
func.func @booleans_have_no_order(%x : tensor<1x1x4xi1>) {
  // expected-error {{expected number elements, got tensor<1x1x4xi1>}}
  %0 = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<1x1x4xi1> -> tensor<1x1x2xi1>
  return
}

// -----

// The window has as many axes as the image.
func.func @ranks_clash(%x : tensor<2x3x5x7xf32>) {
  // expected-error {{expected NxCx... with 1 spatial axes, got tensor<2x3x5x7xf32>}}
  %0 = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x4x7xf32>
  return
}

// -----

// A window has at least one element.
func.func @empty_window(%x : tensor<2x3x5xf32>) {
  // expected-error {{expected NxCx... with 1 spatial axes, got tensor<2x3x5xf32>}}
  %0 = graph.sum_pool %x {kernel = array<i64: 0>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x6xf32>
  return
}

// -----

// There is one stride and one dilation for each spatial axis.
func.func @too_few_dilations(%x : tensor<2x3x5x7xf32>) {
  // expected-error {{expected a stride and a dilation for each of 2 spatial axes, got (1, 1) and (1,)}}
  %0 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x4x6xf32>
  return
}

// -----

// To take elements away is a slice.
func.func @negative_padding(%x : tensor<2x3x5xf32>) {
  // expected-error {{expected 2 paddings of zero or more, got (-1, 0)}}
  %0 = graph.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: -1, 0>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x3xf32>
  return
}

// -----

// A window is a stride longer than the image at most.
func.func @window_too_large(%x : tensor<2x3x5xf32>) {
  // expected-error {{expected a window that fits spatial axis 0, got one that is 2 longer}}
  %0 = graph.max_pool %x {kernel = array<i64: 7>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<2x3x5xf32> -> tensor<2x3x1xf32>
  return
}
