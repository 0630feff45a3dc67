// RUN: sr-opt %s -p sink-dequantize | filecheck %s

// Steps are permuted, and those below zero become the zero point.
//
// CHECK-LABEL: func.func @permute_and_relu
// CHECK-NEXT:    %p = graph.constant dense<7> : tensor<ui8>
// CHECK-NEXT:    %[[MOVED:.*]] = graph.permute %x {order = array<i64: 1, 0>} : tensor<4x6xui8> -> tensor<6x4xui8>
// CHECK-NEXT:    %[[RESULT:.*]] = graph.maximum %[[MOVED]], %p : tensor<6x4xui8>, tensor<ui8> -> tensor<6x4xui8>
// CHECK-NEXT:    return %[[RESULT]]
func.func @permute_and_relu(%x : tensor<4x6xui8>) -> tensor<6x4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<7> : tensor<ui8>
  %1 = graph.dequantize %x, %s, %p : tensor<4x6xui8>, tensor<f32>, tensor<ui8> -> tensor<4x6xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
  %3 = graph.relu %2 : tensor<6x4xf32> -> tensor<6x4xf32>
  %4 = graph.quantize %3, %s, %p : tensor<6x4xf32>, tensor<f32>, tensor<ui8> -> tensor<6x4xui8>
  return %4 : tensor<6x4xui8>
}

// Tensors of one scale are concatenated and pooled as steps.
//
// CHECK-LABEL: func.func @concat_and_pool
// CHECK:         %[[BOTH:.*]] = graph.concat %x, %x {axis = 1 : i64} : tensor<1x2x4xui8>, tensor<1x2x4xui8> -> tensor<1x4x4xui8>
// CHECK-NEXT:    %[[RESULT:.*]] = graph.max_pool %[[BOTH]] {{.*}} : tensor<1x4x4xui8> -> tensor<1x4x3xui8>
// CHECK-NEXT:    return %[[RESULT]]
func.func @concat_and_pool(%x : tensor<1x2x4xui8>) -> tensor<1x4x3xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<0.5> : tensor<1xf32>
  %p = graph.constant dense<7> : tensor<ui8>
  %1 = graph.dequantize %x, %s, %p : tensor<1x2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2x4xf32>
  %2 = graph.dequantize %x, %t, %p : tensor<1x2x4xui8>, tensor<1xf32>, tensor<ui8> -> tensor<1x2x4xf32>
  %3 = graph.concat %1, %2 {axis = 1 : i64} : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<1x4x4xf32>
  %4 = graph.max_pool %3 {kernel = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 2>, dilation = array<i64: 1>} : tensor<1x4x4xf32> -> tensor<1x4x3xf32>
  %5 = graph.quantize %4, %s, %p : tensor<1x4x3xf32>, tensor<f32>, tensor<ui8> -> tensor<1x4x3xui8>
  return %5 : tensor<1x4x3xui8>
}

// The scales of channels move with their axis.
//
// CHECK-LABEL: func.func @scale_for_each_channel
// CHECK:         %[[MOVED:.*]] = graph.permute %x {order = array<i64: 1, 0>} : tensor<4x6xui8> -> tensor<6x4xui8>
// CHECK:         %[[SCALE:.*]] = graph.permute %s {order = array<i64: 1, 0>} : tensor<4x1xf32> -> tensor<1x4xf32>
// CHECK:         graph.dequantize %[[MOVED]], %[[SCALE]]
func.func @scale_for_each_channel(%x : tensor<4x6xui8>, %s : tensor<4x1xf32>, %p : tensor<ui8>) -> tensor<6x4xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4x6xui8>, tensor<4x1xf32>, tensor<ui8> -> tensor<4x6xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// Another user keeps the numbers.
//
// CHECK-LABEL: func.func @several_users
// CHECK:         %[[NUMBERS:.*]] = graph.dequantize %x
// CHECK:         graph.reshape %x
// CHECK:         graph.exp %[[NUMBERS]]
func.func @several_users(%x : tensor<4x6xui8>, %s : tensor<f32>, %p : tensor<ui8>) -> (tensor<24xf32>, tensor<4x6xf32>) {
  %1 = graph.dequantize %x, %s, %p : tensor<4x6xui8>, tensor<f32>, tensor<ui8> -> tensor<4x6xf32>
  %2 = graph.reshape %1 {shape = ["24"]} : tensor<4x6xf32> -> tensor<24xf32>
  %3 = graph.exp %1 : tensor<4x6xf32> -> tensor<4x6xf32>
  return %2, %3 : tensor<24xf32>, tensor<4x6xf32>
}

// Each step is rounded to one of another scale.
//
// CHECK-LABEL: func.func @mismatched_scales
// CHECK:         graph.quantize
func.func @mismatched_scales(%x : tensor<4xui8>) -> tensor<4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<0.25> : tensor<f32>
  %p = graph.constant dense<7> : tensor<ui8>
  %1 = graph.dequantize %x, %s, %p : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %2 = graph.quantize %1, %t, %p : tensor<4xf32>, tensor<f32>, tensor<ui8> -> tensor<4xui8>
  return %2 : tensor<4xui8>
}

// Steps of two scales are no tensor of steps.
//
// CHECK-LABEL: func.func @concat_of_mismatched_scales
// CHECK:         graph.concat {{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @concat_of_mismatched_scales(%x : tensor<4xui8>, %s : tensor<f32>, %t : tensor<f32>, %p : tensor<ui8>) -> tensor<8xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %2 = graph.dequantize %x, %t, %p : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %3 = graph.concat %1, %2 {axis = 0 : i64} : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// A scale that a run finds may be negative, or zero.
//
// CHECK-LABEL: func.func @order_is_unknown
// CHECK:         graph.relu {{.*}} : tensor<4xf32>
func.func @order_is_unknown(%x : tensor<4xui8>, %s : tensor<f32>, %p : tensor<ui8>) -> tensor<4xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %2 = graph.relu %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The last window is in the padding alone, where it is less than any step.
//
// CHECK-LABEL: func.func @windows_in_the_padding
// CHECK:         graph.max_pool {{.*}} : tensor<1x2x4xf32>
func.func @windows_in_the_padding(%x : tensor<1x2x4xui8>) -> tensor<1x2x5xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<7> : tensor<ui8>
  %1 = graph.dequantize %x, %s, %p : tensor<1x2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2x4xf32>
  %2 = graph.max_pool %1 {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 2>, dilation = array<i64: 1>} : tensor<1x2x4xf32> -> tensor<1x2x5xf32>
  return %2 : tensor<1x2x5xf32>
}

// Rows of a table of words are looked up as steps.
//
// CHECK-LABEL: func.func @looked_up
// CHECK:         %[[ROWS:.*]] = graph.index_select %x, %i {axis = 0 : i64, wraps = true} : tensor<9x6xui8>, tensor<4xi64> -> tensor<4x6xui8>
// CHECK-NEXT:    graph.dequantize %[[ROWS]], %s, %p
func.func @looked_up(%x : tensor<9x6xui8>, %i : tensor<4xi64>, %s : tensor<f32>, %p : tensor<ui8>) -> tensor<4x6xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<9x6xui8>, tensor<f32>, tensor<ui8> -> tensor<9x6xf32>
  %2 = graph.index_select %1, %i {axis = 0 : i64, wraps = true} : tensor<9x6xf32>, tensor<4xi64> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
