// RUN: sr-opt %s -p fold-requantization | filecheck %s

// A bias of 3 and -5 times the factor joins the zero point's term of 7; factors are over the scale of 0.5.
//
// CHECK-LABEL: func.func @conv
// CHECK:         %[[SUM:.*]] = graph.conv %x, %w
// CHECK:         %[[TERM:.*]] = graph.constant dense<{{.*}}-4{{.*}}-12{{.*}}> : tensor<2x1x1xi32>
// CHECK-NEXT:    %[[BOTH:.*]] = graph.add %[[SUM]], %[[TERM]]
// CHECK-NEXT:    %[[FLOAT:.*]] = graph.cast %[[BOTH]] {to = f32}
// CHECK-NEXT:    %[[FACTOR:.*]] = graph.constant dense<5.000000e-01> : tensor<2x1x1xf32>
// CHECK-NEXT:    %[[STEPS:.*]] = graph.mul %[[FLOAT]], %[[FACTOR]]
// CHECK-NEXT:    graph.quantize %[[STEPS]], %[[ONE:.*]], %p
func.func @conv(%x : tensor<1x3x5x5xui8>, %w : tensor<2x3x3x3xsi8>) -> tensor<1x2x3x3xui8> {
  %z = graph.constant dense<7> : tensor<2x1x1xi32>
  %k = graph.constant dense<0.25> : tensor<f32>
  %b = graph.constant dense<[[[0.75]], [[-1.25]]]> : tensor<2x1x1xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<0> : tensor<ui8>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, to = i32} : tensor<1x3x5x5xui8>, tensor<2x3x3x3xsi8> -> tensor<1x2x3x3xi32>
  %2 = graph.sub %1, %z : tensor<1x2x3x3xi32>, tensor<2x1x1xi32> -> tensor<1x2x3x3xi32>
  %3 = graph.cast %2 {to = f32} : tensor<1x2x3x3xi32> -> tensor<1x2x3x3xf32>
  %4 = graph.mul %3, %k : tensor<1x2x3x3xf32>, tensor<f32> -> tensor<1x2x3x3xf32>
  %5 = graph.add %4, %b : tensor<1x2x3x3xf32>, tensor<2x1x1xf32> -> tensor<1x2x3x3xf32>
  %6 = graph.quantize %5, %s, %p : tensor<1x2x3x3xf32>, tensor<f32>, tensor<ui8> -> tensor<1x2x3x3xui8>
  return %6 : tensor<1x2x3x3xui8>
}

// A bias between integers stays a float. Below the zero point there are steps: the Relu stays.
//
// CHECK-LABEL: func.func @bias_of_floats
// CHECK:         %[[FACTOR:.*]] = graph.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK-NEXT:    %[[SCALED:.*]] = graph.mul %{{.*}}, %[[FACTOR]]
// CHECK-NEXT:    %[[BIAS:.*]] = graph.constant dense<[2.000000e-01, -2.500000e+00]> : tensor<2xf32>
// CHECK-NEXT:    %[[SUM:.*]] = graph.add %[[SCALED]], %[[BIAS]]
// CHECK-NEXT:    %[[RELU:.*]] = graph.relu %[[SUM]]
// CHECK-NEXT:    graph.quantize %[[RELU]], %[[ONE:.*]], %p
func.func @bias_of_floats(%x : tensor<4x64xui8>, %w : tensor<64x2xsi8>) -> tensor<4x2xui8> {
  %k = graph.constant dense<0.25> : tensor<f32>
  %b = graph.constant dense<[0.1, -1.25]> : tensor<2xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<9> : tensor<ui8>
  %1 = graph.matmul %x, %w {to = i32} : tensor<4x64xui8>, tensor<64x2xsi8> -> tensor<4x2xi32>
  %2 = graph.cast %1 {to = f32} : tensor<4x2xi32> -> tensor<4x2xf32>
  %3 = graph.mul %2, %k : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
  %4 = graph.add %3, %b : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
  %5 = graph.relu %4 : tensor<4x2xf32> -> tensor<4x2xf32>
  %6 = graph.quantize %5, %s, %p : tensor<4x2xf32>, tensor<f32>, tensor<ui8> -> tensor<4x2xui8>
  return %6 : tensor<4x2xui8>
}

// A bias that is no number is no integer.
//
// CHECK-LABEL: func.func @bias_of_nan
// CHECK:         %[[SCALED:.*]] = graph.mul %{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<2xf32>
// CHECK-NEXT:    %[[BIAS:.*]] = graph.constant dense<[2.000000e+00, 0x7fc00000]> : tensor<2xf32>
// CHECK-NEXT:    graph.add %[[SCALED]], %[[BIAS]]
func.func @bias_of_nan(%x : tensor<4x64xui8>, %w : tensor<64x2xsi8>) -> tensor<4x2xui8> {
  %k = graph.constant dense<0.25> : tensor<f32>
  %b = graph.constant dense<[1.0, 0x7fc00000]> : tensor<2xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<9> : tensor<ui8>
  %1 = graph.matmul %x, %w {to = i32} : tensor<4x64xui8>, tensor<64x2xsi8> -> tensor<4x2xi32>
  %2 = graph.cast %1 {to = f32} : tensor<4x2xi32> -> tensor<4x2xf32>
  %3 = graph.mul %2, %k : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
  %4 = graph.add %3, %b : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
  %5 = graph.quantize %4, %s, %p : tensor<4x2xf32>, tensor<f32>, tensor<ui8> -> tensor<4x2xui8>
  return %5 : tensor<4x2xui8>
}

// Two tensors of steps are added in those of the result; what Relu makes zero saturates.
//
// CHECK-LABEL: func.func @sum_of_steps
// CHECK:         %[[A:.*]] = graph.dequantize %x, %{{.*}}, %p
// CHECK:         %[[B:.*]] = graph.dequantize %y, %{{.*}}, %p
// CHECK-NEXT:    %[[SUM:.*]] = graph.add %[[A]], %[[B]]
// CHECK-NEXT:    graph.quantize %[[SUM]], %[[ONE:.*]], %p
func.func @sum_of_steps(%x : tensor<4xui8>, %y : tensor<4xui8>) -> tensor<4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<0.3> : tensor<f32>
  %p = graph.constant dense<0> : tensor<ui8>
  %1 = graph.dequantize %x, %s, %p : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %2 = graph.dequantize %y, %t, %p : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %3 = graph.add %1, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.relu %3 : tensor<4xf32> -> tensor<4xf32>
  %5 = graph.quantize %4, %t, %p : tensor<4xf32>, tensor<f32>, tensor<ui8> -> tensor<4xui8>
  return %5 : tensor<4xui8>
}

// Each odd step is a tie, which two roundings send up or down: one factor does not.
//
// CHECK-LABEL: func.func @ties
// CHECK:         %[[X:.*]] = graph.dequantize %x, %s, %p
// CHECK-NEXT:    graph.quantize %[[X]], %t, %p
func.func @ties(%x : tensor<4xsi8>) -> tensor<4xsi8> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %t = graph.constant dense<0.02> : tensor<f32>
  %p = graph.constant dense<100> : tensor<si8>
  %1 = graph.dequantize %x, %s, %p : tensor<4xsi8>, tensor<f32>, tensor<si8> -> tensor<4xf32>
  %2 = graph.quantize %1, %t, %p : tensor<4xf32>, tensor<f32>, tensor<si8> -> tensor<4xsi8>
  return %2 : tensor<4xsi8>
}

// What another op reads keeps its size.
//
// CHECK-LABEL: func.func @read_by_others
// CHECK:         graph.quantize %{{.*}}, %s, %p
func.func @read_by_others(%x : tensor<4xi32>) -> (tensor<4xui8>, tensor<4xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<0> : tensor<ui8>
  %1 = graph.cast %x {to = f32} : tensor<4xi32> -> tensor<4xf32>
  %2 = graph.mul %1, %s : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %3 = graph.quantize %2, %s, %p : tensor<4xf32>, tensor<f32>, tensor<ui8> -> tensor<4xui8>
  return %3, %2 : tensor<4xui8>, tensor<4xf32>
}

// A product of floats is rounded as the model says.
//
// CHECK-LABEL: func.func @floats
// CHECK:         graph.quantize %{{.*}}, %s, %p
func.func @floats(%x : tensor<4xf32>) -> tensor<4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<0> : tensor<ui8>
  %1 = graph.mul %x, %s : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %2 = graph.quantize %1, %s, %p : tensor<4xf32>, tensor<f32>, tensor<ui8> -> tensor<4xui8>
  return %2 : tensor<4xui8>
}

// PyTorch multiplies by the reciprocal, and NaN becomes zero.
//
// CHECK-LABEL: func.func @reciprocal
// CHECK:         graph.quantize %{{.*}}, %s, %p {reciprocal}
func.func @reciprocal(%x : tensor<4xi32>) -> tensor<4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %p = graph.constant dense<0> : tensor<ui8>
  %0 = graph.cast %x {to = f32} : tensor<4xi32> -> tensor<4xf32>
  %1 = graph.mul %0, %s : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %2 = graph.quantize %1, %s, %p {reciprocal} : tensor<4xf32>, tensor<f32>, tensor<ui8> -> tensor<4xui8>
  return %2 : tensor<4xui8>
}
