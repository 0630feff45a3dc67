// RUN: sr-opt %s -p 'outline-constants,transform-convolutions{tile=2}' | filecheck %s
// RUN: sr-opt %s -p 'outline-constants,transform-convolutions{tile=4}' | filecheck %s --check-prefix=FOUR

// A tile of two has 16 products where the sum has 36; one of four 36 where it has 144.
//
// CHECK-LABEL: func.func @conv
// CHECK-NEXT:    %[[A:.*]] = graph.winograd_input %x {tile = 2 : i64} : tensor<1x18x15x32xf32> -> tensor<16x56x32xf32>
// CHECK-NEXT:    %[[W:.*]] = graph.weight "{{.*}}.winograd2" : tensor<16x32x32xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.matmul %[[A]], %[[W]] : tensor<16x56x32xf32>, tensor<16x32x32xf32> -> tensor<16x56x32xf32>
// CHECK-NEXT:    %[[C:.*]] = graph.winograd_output %[[B]] {tile = 2 : i64, shape = ["1", "16", "13", "32"]} : tensor<16x56x32xf32> -> tensor<1x16x13x32xf32>
// CHECK-NEXT:    return %[[C]]
// FOUR-LABEL: func.func @conv
// FOUR-NEXT:    graph.winograd_input %x {tile = 4 : i64} : tensor<1x18x15x32xf32> -> tensor<36x16x32xf32>
func.func @conv(%x : tensor<1x18x15x32xf32>) -> tensor<1x16x13x32xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x18x15x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x16x13x32xf32>
  return %1 : tensor<1x16x13x32xf32>
}

// Sizes are of no matter, nor whether they are known.
//
// CHECK-LABEL: func.func @open
// CHECK:         graph.winograd_input %x {tile = 2 : i64}
// CHECK:         graph.winograd_output {{.*}} {tile = 2 : i64, shape = ["n", "h - 2", "1", "32"]}
func.func @open(%x : tensor<?x?x3x32xf32, ["n", "h"]>) -> tensor<?x?x1x32xf32, ["n", "h - 2"]> {
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<?x?x3x32xf32, ["n", "h"]>, tensor<3x3x32x32xf32> -> tensor<?x?x1x32xf32, ["n", "h - 2"]>
  return %1 : tensor<?x?x1x32xf32, ["n", "h - 2"]>
}

// Channels first are put last, so that bits do not depend on the order of axes.
//
// CHECK-LABEL: func.func @channels_first
// CHECK:         graph.permute %x {order = array<i64: 0, 2, 3, 1>}
// CHECK:         graph.winograd_input
// CHECK:         graph.permute {{.*}} {order = array<i64: 0, 3, 1, 2>}
func.func @channels_first(%x : tensor<1x32x5x5xf32>) -> tensor<1x64x3x3xf32> {
  %w = graph.constant dense<0.5> : tensor<64x32x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x32x5x5xf32>, tensor<64x32x3x3xf32> -> tensor<1x64x3x3xf32>
  return %1 : tensor<1x64x3x3xf32>
}

// With few channels transforms take longer than they save.
//
// CHECK-LABEL: func.func @few_channels
// CHECK:         graph.conv
func.func @few_channels(%x : tensor<1x18x18x16xf32>) -> tensor<1x16x16x64xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x16x64xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x18x18x16xf32>, tensor<3x3x16x64xf32> -> tensor<1x16x16x64xf32>
  return %1 : tensor<1x16x16x64xf32>
}

// Windows that are not next to each other share no products.
//
// CHECK-LABEL: func.func @strides
// CHECK:         graph.conv
func.func @strides(%x : tensor<1x17x17x32xf32>) -> tensor<1x8x8x32xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x17x17x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x8x8x32xf32>
  return %1 : tensor<1x8x8x32xf32>
}

// Dilated windows have other elements between theirs.
//
// CHECK-LABEL: func.func @dilation
// CHECK:         graph.conv
func.func @dilation(%x : tensor<1x18x18x32xf32>) -> tensor<1x14x14x32xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 2, 2>, groups = 1 : i64, channels_last} : tensor<1x18x18x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x14x14x32xf32>
  return %1 : tensor<1x14x14x32xf32>
}

// Groups have few channels each.
//
// CHECK-LABEL: func.func @groups
// CHECK:         graph.conv
func.func @groups(%x : tensor<1x5x5x64xf32>) -> tensor<1x3x3x64xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x32x64xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64, channels_last} : tensor<1x5x5x64xf32>, tensor<3x3x32x64xf32> -> tensor<1x3x3x64xf32>
  return %1 : tensor<1x3x3x64xf32>
}

// Tiles are for windows of three by three.
//
// CHECK-LABEL: func.func @window
// CHECK:         graph.conv
func.func @window(%x : tensor<1x5x5x32xf32>) -> tensor<1x3x5x32xf32> {
  %w = graph.constant dense<0.5> : tensor<3x1x32x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x5x5x32xf32>, tensor<3x1x32x32xf32> -> tensor<1x3x5x32xf32>
  return %1 : tensor<1x3x5x32xf32>
}

// In 16 bits transforms would round too much.
//
// CHECK-LABEL: func.func @half
// CHECK:         graph.conv
func.func @half(%x : tensor<1x5x5x32xf16>) -> tensor<1x3x3x32xf16> {
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf16>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x5x5x32xf16>, tensor<3x3x32x32xf16> -> tensor<1x3x3x32xf16>
  return %1 : tensor<1x3x3x32xf16>
}

// Sums of bytes are exact.
//
// CHECK-LABEL: func.func @bytes
// CHECK:         graph.conv
func.func @bytes(%x : tensor<1x5x5x32xui8>) -> tensor<1x3x3x32xi32> {
  %w = graph.constant dense<5> : tensor<3x3x32x32xsi8>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last, to = i32} : tensor<1x5x5x32xui8>, tensor<3x3x32x32xsi8> -> tensor<1x3x3x32xi32>
  return %1 : tensor<1x3x3x32xi32>
}

// Windows that the run computes would be transformed in each call.
//
// CHECK-LABEL: func.func @unknown
// CHECK:         graph.conv
func.func @unknown(%x : tensor<1x5x5x32xf32>, %w : tensor<3x3x32x32xf32>) -> tensor<1x3x3x32xf32> {
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x5x5x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x3x3x32xf32>
  return %1 : tensor<1x3x3x32xf32>
}

// An infinity among the weights would become NaN in all results of a tile.
//
// CHECK-LABEL: func.func @infinite
// CHECK:         graph.conv
func.func @infinite(%x : tensor<1x5x5x32xf32>) -> tensor<1x3x3x32xf32> {
  %w = graph.constant dense<0x7F800000> : tensor<3x3x32x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x5x5x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x3x3x32xf32>
  return %1 : tensor<1x3x3x32xf32>
}

// Windows in which errors of four rows are more than 1e-4 have tiles of two.
//
// FOUR-LABEL: func.func @many_channels
// FOUR:         graph.winograd_input %x {tile = 2 : i64}
func.func @many_channels(%x : tensor<1x5x5x4096xf32>) -> tensor<1x3x3x17xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x4096x17xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x5x5x4096xf32>, tensor<3x3x4096x17xf32> -> tensor<1x3x3x17xf32>
  return %1 : tensor<1x3x3x17xf32>
}
