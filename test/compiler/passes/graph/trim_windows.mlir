// RUN: sr-opt %s -p trim-windows | filecheck %s
// RUN: sr-opt %s -p 'trim-windows{dilated=true}' | filecheck %s --check-prefix=DILATED

// A window that is spread farther than the image is wide sees it at one tap.
//
// CHECK-LABEL: func.func @spread
// CHECK:         %[[W:.*]] = graph.constant dense<2.000000e+00> : tensor<1x1x1xf32>
// CHECK-NEXT:    graph.conv %x, %[[W]] {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 6>, {{.*}} -> tensor<1x1x5xf32>
// DILATED-LABEL: func.func @spread
// DILATED:         graph.constant dense<2.000000e+00> : tensor<1x1x1xf32>
func.func @spread(%x : tensor<1x1x5xf32>) -> tensor<1x1x5xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 6, 6>, dilation = array<i64: 6>, groups = 1 : i64} : tensor<1x1x5xf32>, tensor<1x1x3xf32> -> tensor<1x1x5xf32>
  return %1 : tensor<1x1x5xf32>
}

// So it is in bf16.
//
// CHECK-LABEL: func.func @halves
// CHECK:         graph.constant dense<2.000000e+00> : tensor<1x1x1xbf16>
// DILATED-LABEL: func.func @halves
func.func @halves(%x : tensor<1x1x5xbf16>) -> tensor<1x1x5xbf16> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xbf16>
  %1 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 6, 6>, dilation = array<i64: 6>, groups = 1 : i64} : tensor<1x1x5xbf16>, tensor<1x1x3xbf16> -> tensor<1x1x5xbf16>
  return %1 : tensor<1x1x5xbf16>
}

// Each axis is looked at by itself.
//
// CHECK-LABEL: func.func @an_axis_of_one
// CHECK:         graph.constant dense<[{{\[\[\[}}4.000000e+00, 5.000000e+00, 6.000000e+00]]]]> : tensor<1x1x1x3xf32>
// CHECK-NEXT:    graph.conv %x, {{.*}} {strides = array<i64: 1, 1>, padding = array<i64: 0, 1, 0, 1>, {{.*}} -> tensor<1x1x1x4xf32>
// DILATED-LABEL: func.func @an_axis_of_one
// DILATED:         graph.conv %x, {{.*}} padding = array<i64: 1, 1, 1, 1>
func.func @an_axis_of_one(%x : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x1x4xf32>, tensor<1x1x3x3xf32> -> tensor<1x1x1x4xf32>
  return %1 : tensor<1x1x1x4xf32>
}

// A tap that sees nothing stays where padding would be below zero without it: two come
// before the image here, and there is padding for one.
//
// CHECK-LABEL: func.func @one_side
// CHECK:         graph.constant dense<[{{\[\[}}2.000000e+00, 3.000000e+00]]]> : tensor<1x1x2xf32>
// CHECK-NEXT:    graph.conv %x, {{.*}} padding = array<i64: 2, 1>, {{.*}} -> tensor<1x1x2xf32>
func.func @one_side(%x : tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %2 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 5, 4>, dilation = array<i64: 3>, groups = 1 : i64} : tensor<1x1x2xf32>, tensor<1x1x4xf32> -> tensor<1x1x2xf32>
  return %2 : tensor<1x1x2xf32>
}

// Of open sizes, of weights that are computed, and where a weight is not finite all
// taps stay.
//
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-3: padding = array<i64: 6, 6>
func.func @stays(%x : tensor<1x1x?xf32, ["n"]>, %y : tensor<1x1x5xf32>, %v : tensor<1x1x3xf32>) -> (tensor<1x1x?xf32, ["n"]>, tensor<1x1x5xf32>, tensor<1x1x5xf32>) {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %inf = graph.constant dense<[[[0x7F800000, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 6, 6>, dilation = array<i64: 6>, groups = 1 : i64} : tensor<1x1x?xf32, ["n"]>, tensor<1x1x3xf32> -> tensor<1x1x?xf32, ["n"]>
  %2 = graph.conv %y, %v {strides = array<i64: 1>, padding = array<i64: 6, 6>, dilation = array<i64: 6>, groups = 1 : i64} : tensor<1x1x5xf32>, tensor<1x1x3xf32> -> tensor<1x1x5xf32>
  %3 = graph.conv %y, %inf {strides = array<i64: 1>, padding = array<i64: 6, 6>, dilation = array<i64: 6>, groups = 1 : i64} : tensor<1x1x5xf32>, tensor<1x1x3xf32> -> tensor<1x1x5xf32>
  return %1, %2, %3 : tensor<1x1x?xf32, ["n"]>, tensor<1x1x5xf32>, tensor<1x1x5xf32>
}
