// RUN: sr-opt %s -p mark-borders | filecheck %s

// Zeros around an image are noted, before and after each spatial axis, if weights are known.
//
// CHECK-LABEL: func.func @padded
// CHECK:         graph.conv {{.*}}padding = array<i64: 0, 0>, {{.*}}border = array<i64: 2, 1>
func.func @padded(%x : tensor<1x2x5xf32>) -> tensor<1x1x6xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %0 = graph.pad %x {low = array<i64: 0, 0, 2>, high = array<i64: 0, 0, 1>, value = 0.0 : f64} : tensor<1x2x5xf32> -> tensor<1x2x8xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x2x8xf32>, tensor<1x2x3xf32> -> tensor<1x1x6xf32>
  return %1 : tensor<1x1x6xf32>
}

// So they are where channels are last, and an axis has none.
//
// CHECK-LABEL: func.func @channels_last
// CHECK:         graph.conv {{.*}}border = array<i64: 0, 1, 0, 2>
func.func @channels_last(%x : tensor<1x4x5x2xf32>) -> tensor<1x4x6x1xf32> {
  %w = graph.constant dense<[[[[1.0], [2.0]], [[1.0], [2.0]], [[1.0], [2.0]]]]> : tensor<1x3x2x1xf32>
  %0 = graph.pad %x {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 2, 0>, value = 0.0 : f64} : tensor<1x4x5x2xf32> -> tensor<1x4x8x2xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x4x8x2xf32>, tensor<1x3x2x1xf32> -> tensor<1x4x6x1xf32>
  return %1 : tensor<1x4x6x1xf32>
}

// Weights of bf16 are numbers, too.
//
// CHECK-LABEL: func.func @halves
// CHECK:         graph.conv {{.*}}border = array<i64: 1, 1>
func.func @halves(%x : tensor<1x2x5xbf16>) -> tensor<1x1x5xbf16> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xbf16>
  %0 = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 0.0 : f64} : tensor<1x2x5xbf16> -> tensor<1x2x7xbf16>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x2x7xbf16>, tensor<1x2x3xbf16> -> tensor<1x1x5xbf16>
  return %1 : tensor<1x1x5xbf16>
}

// Where weights have an infinity, a zero counts: their product is NaN. Nor is anything noted
// of weights that the run computes, of padding with another number, and of windows over one
// channel.
//
// CHECK-LABEL: func.func @infinity
// CHECK-NOT:     border
func.func @infinity(%x : tensor<1x2x5xf32>) -> tensor<1x1x5xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 0x7F800000], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %0 = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 0.0 : f64} : tensor<1x2x5xf32> -> tensor<1x2x7xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x2x7xf32>, tensor<1x2x3xf32> -> tensor<1x1x5xf32>
  return %1 : tensor<1x1x5xf32>
}

func.func @computed(%x : tensor<1x2x5xf32>, %w : tensor<1x2x3xf32>) -> tensor<1x1x5xf32> {
  %0 = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 0.0 : f64} : tensor<1x2x5xf32> -> tensor<1x2x7xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x2x7xf32>, tensor<1x2x3xf32> -> tensor<1x1x5xf32>
  return %1 : tensor<1x1x5xf32>
}

func.func @ones(%x : tensor<1x2x5xf32>) -> tensor<1x1x5xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %0 = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 1.0 : f64} : tensor<1x2x5xf32> -> tensor<1x2x7xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x2x7xf32>, tensor<1x2x3xf32> -> tensor<1x1x5xf32>
  return %1 : tensor<1x1x5xf32>
}

func.func @one_channel(%x : tensor<1x1x5xf32>) -> tensor<1x1x5xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %0 = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 0.0 : f64} : tensor<1x1x5xf32> -> tensor<1x1x7xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x1x7xf32>, tensor<1x1x3xf32> -> tensor<1x1x5xf32>
  return %1 : tensor<1x1x5xf32>
}
