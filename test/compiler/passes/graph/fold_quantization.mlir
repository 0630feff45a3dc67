// RUN: sr-opt %s -p fold-quantization | filecheck %s

// The term of the zero point is a constant: 7 times the sum of 64 threes.
//
// CHECK-LABEL: func.func @matmul
// CHECK:         %[[SUM:.*]] = graph.matmul %x, %w {to = i32} : tensor<4x64xui8>, tensor<64x2xsi8> -> tensor<4x2xi32>
// CHECK-NEXT:    %[[TERM:.*]] = graph.constant dense<1344> : tensor<1x2xi32>
// CHECK-NEXT:    %[[REST:.*]] = graph.sub %[[SUM]], %[[TERM]]
// CHECK-NEXT:    %[[FLOAT:.*]] = graph.cast %[[REST]] {to = f32}
// CHECK-NEXT:    %[[SCALE:.*]] = graph.constant dense<[2.500000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    %[[NUMBERS:.*]] = graph.mul %[[FLOAT]], %[[SCALE]]
// CHECK-NEXT:    graph.quantize %[[NUMBERS]], %s, %p
func.func @matmul(%x : tensor<4x64xui8>) -> tensor<4x2xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<7> : tensor<ui8>
  %w = graph.constant dense<3> : tensor<64x2xsi8>
  %t = graph.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %q = graph.constant dense<0> : tensor<si8>
  %1 = graph.dequantize %x, %s, %p : tensor<4x64xui8>, tensor<f32>, tensor<ui8> -> tensor<4x64xf32>
  %2 = graph.dequantize %w, %t, %q : tensor<64x2xsi8>, tensor<2xf32>, tensor<si8> -> tensor<64x2xf32>
  %3 = graph.matmul %1, %2 : tensor<4x64xf32>, tensor<64x2xf32> -> tensor<4x2xf32>
  %4 = graph.quantize %3, %s, %p : tensor<4x2xf32>, tensor<f32>, tensor<ui8> -> tensor<4x2xui8>
  return %4 : tensor<4x2xui8>
}

// Both zero points are terms outside of the loop; scales that a run finds are factors
// one after the other.
//
// CHECK-LABEL: func.func @linear_of_two_activations
// CHECK:         %[[W:.*]] = graph.permute %w {order = array<i64: 1, 0>}
// CHECK:         graph.matmul %x, %[[W]] {to = i32} : tensor<4x64xui8>, tensor<64x2xui8> -> tensor<4x2xi32>
// CHECK:         graph.sum %[[W]] {axes = array<i64: 0>, keepdims = true, to = i32}
// CHECK:         graph.sum %x {axes = array<i64: 1>, keepdims = true, to = i32}
// CHECK:         %[[FLOAT:.*]] = graph.cast {{.*}} {to = f32}
// CHECK:         %[[ONE:.*]] = graph.mul %[[FLOAT]], %s
// CHECK:         %[[BOTH:.*]] = graph.mul %[[ONE]], %t
// CHECK-NEXT:    return %[[BOTH]]
func.func @linear_of_two_activations(%x : tensor<4x64xui8>, %w : tensor<2x64xui8>, %s : tensor<f32>, %p : tensor<ui8>, %t : tensor<f32>, %q : tensor<ui8>) -> tensor<4x2xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4x64xui8>, tensor<f32>, tensor<ui8> -> tensor<4x64xf32>
  %2 = graph.dequantize %w, %t, %q : tensor<2x64xui8>, tensor<f32>, tensor<ui8> -> tensor<2x64xf32>
  %3 = graph.linear %1, %2 : tensor<4x64xf32>, tensor<2x64xf32> -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// What is around an image is its zero point, which stands for zero.
//
// CHECK-LABEL: func.func @conv
// CHECK:         %[[WIDE:.*]] = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 7.000000e+00 : f64}
// CHECK:         graph.conv %[[WIDE]], %w {{{.*}}to = i32, padding = array<i64: 0, 0>
// CHECK:         %[[SCALE:.*]] = graph.constant dense<{{.*}}> : tensor<2x1xf32>
// CHECK:         graph.mul {{.*}}, %[[SCALE]]
func.func @conv(%x : tensor<1x3x5xui8>, %w : tensor<2x3x3xsi8>) -> tensor<1x2x5xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<7> : tensor<ui8>
  %t = graph.constant dense<[[[0.5]], [[2.0]]]> : tensor<2x1x1xf32>
  %q = graph.constant dense<0> : tensor<si8>
  %1 = graph.dequantize %x, %s, %p : tensor<1x3x5xui8>, tensor<f32>, tensor<ui8> -> tensor<1x3x5xf32>
  %2 = graph.dequantize %w, %t, %q : tensor<2x3x3xsi8>, tensor<2x1x1xf32>, tensor<si8> -> tensor<2x3x3xf32>
  %3 = graph.conv %1, %2 {strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x5xf32>, tensor<2x3x3xf32> -> tensor<1x2x5xf32>
  return %3 : tensor<1x2x5xf32>
}

// One factor is no integer.
//
// CHECK-LABEL: func.func @only_weights_are_quantised
// CHECK:         graph.matmul {{.*}} : tensor<4x64xf32>, tensor<64x2xf32>
func.func @only_weights_are_quantised(%x : tensor<4x64xf32>, %w : tensor<64x2xsi8>, %t : tensor<f32>, %q : tensor<si8>) -> tensor<4x2xf32> {
  %1 = graph.dequantize %w, %t, %q : tensor<64x2xsi8>, tensor<f32>, tensor<si8> -> tensor<64x2xf32>
  %2 = graph.matmul %x, %1 : tensor<4x64xf32>, tensor<64x2xf32> -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// 40000 products of 255 * 255 do not fit into 32 bits.
//
// CHECK-LABEL: func.func @sums_may_not_fit
// CHECK:         graph.matmul {{.*}} : tensor<4x40000xf32>, tensor<40000x2xf32>
func.func @sums_may_not_fit(%x : tensor<4x40000xui8>, %w : tensor<40000x2xui8>, %s : tensor<f32>, %p : tensor<ui8>) -> tensor<4x2xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4x40000xui8>, tensor<f32>, tensor<ui8> -> tensor<4x40000xf32>
  %2 = graph.dequantize %w, %s, %p : tensor<40000x2xui8>, tensor<f32>, tensor<ui8> -> tensor<40000x2xf32>
  %3 = graph.matmul %1, %2 : tensor<4x40000xf32>, tensor<40000x2xf32> -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// Nobody knows how many products there are.
//
// CHECK-LABEL: func.func @sums_of_any_length
// CHECK:         graph.matmul {{.*}} : tensor<4x?xf32, ["k"]>, tensor<?x2xf32, ["k"]>
func.func @sums_of_any_length(%x : tensor<4x?xui8, ["k"]>, %w : tensor<?x2xui8, ["k"]>, %s : tensor<f32>, %p : tensor<ui8>) -> tensor<4x2xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4x?xui8, ["k"]>, tensor<f32>, tensor<ui8> -> tensor<4x?xf32, ["k"]>
  %2 = graph.dequantize %w, %s, %p : tensor<?x2xui8, ["k"]>, tensor<f32>, tensor<ui8> -> tensor<?x2xf32, ["k"]>
  %3 = graph.matmul %1, %2 : tensor<4x?xf32, ["k"]>, tensor<?x2xf32, ["k"]> -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// A row of the weights has a scale for each block of what is summed.
//
// CHECK-LABEL: func.func @scales_differ_in_the_sum
// CHECK:         graph.matmul {{.*}} : tensor<4x2xf32>, tensor<2x2xf32>
func.func @scales_differ_in_the_sum(%x : tensor<4x2xui8>, %w : tensor<2x2xui8>, %s : tensor<f32>, %t : tensor<2x1xf32>, %p : tensor<ui8>) -> tensor<4x2xf32> {
  %1 = graph.dequantize %x, %s, %p : tensor<4x2xui8>, tensor<f32>, tensor<ui8> -> tensor<4x2xf32>
  %2 = graph.dequantize %w, %t, %p : tensor<2x2xui8>, tensor<2x1xf32>, tensor<ui8> -> tensor<2x2xf32>
  %3 = graph.matmul %1, %2 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// The product of the scales is no normal number.
//
// CHECK-LABEL: func.func @scales_are_tiny
// CHECK:         graph.matmul {{.*}} : tensor<4x2xf32>, tensor<2x2xf32>
func.func @scales_are_tiny(%x : tensor<4x2xui8>, %w : tensor<2x2xui8>, %p : tensor<ui8>) -> tensor<4x2xf32> {
  %s = graph.constant dense<1.0e-20> : tensor<f32>
  %1 = graph.dequantize %x, %s, %p : tensor<4x2xui8>, tensor<f32>, tensor<ui8> -> tensor<4x2xf32>
  %2 = graph.dequantize %w, %s, %p : tensor<2x2xui8>, tensor<f32>, tensor<ui8> -> tensor<2x2xf32>
  %3 = graph.matmul %1, %2 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}
