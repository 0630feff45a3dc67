// RUN: sr-opt %s --split-input-file -p 'insert-quantization{profile="%S/insert_quantization.yaml"}' | filecheck %s
// RUN: sr-opt %s --split-input-file -p 'insert-quantization{profile="%S/insert_quantization.yaml"},fold-constants{dequantizes=false},sink-dequantize,fold-quantization' | filecheck %s --check-prefix=BYTES
// RUN: not sr-opt %s --split-input-file -p 'insert-quantization{profile="%S/none.yaml"}' 2>&1 | filecheck %s --check-prefix=NONE

// NONE: {{.*}}none.yaml: expected a profile, got no such file

// From -1.27 to 1.28 there are 255 steps of 0.01.
//
// CHECK-LABEL: func.func @linear
// CHECK-DAG:     %[[S:.*]] = graph.constant dense<{{0.01|1.0+e-02|0.0099999.*}}> : tensor<f32>
// CHECK-DAG:     %[[Z:.*]] = graph.constant dense<127> : tensor<ui8>
// CHECK:         %[[Q:.*]] = graph.quantize %x, %[[S]], %[[Z]] : tensor<4x64xf32>, tensor<f32>, tensor<ui8> -> tensor<4x64xui8>
// CHECK-NEXT:    %[[X:.*]] = graph.dequantize %[[Q]], %[[S]], %[[Z]]
// CHECK:         %[[W:.*]] = graph.weight "weight.bytes" : tensor<8x64xsi8>
// CHECK-NEXT:    %[[T:.*]] = graph.weight "weight.scales" : tensor<8x1xf32>
// CHECK:         %[[B:.*]] = graph.dequantize %[[W]], %[[T]]
// CHECK-NEXT:    graph.linear %[[X]], %[[B]] : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
// BYTES-LABEL: func.func @linear
// BYTES:         graph.matmul %{{.*}}, %{{.*}} {to = i32} : tensor<4x64xui8>, tensor<64x8xsi8> -> tensor<4x8xi32>
func.func @linear(%x : tensor<4x64xf32>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.linear %x, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A matrix that comes second has a scale for each column, a filter for each of its own.
//
// CHECK-LABEL: func.func @layers
// CHECK:         graph.weight "weight.scales" : tensor<6x1x1x1xf32>
// CHECK:         graph.conv
// CHECK:         graph.relu
// CHECK:         graph.quantize
// CHECK:         graph.dequantize
// CHECK:         graph.weight {{.*}} : tensor<3xf32>
// CHECK:         graph.matmul
// BYTES-LABEL: func.func @layers
// BYTES:         graph.conv {{.*}}to = i32{{.*}}ui8{{.*}}si8
// BYTES:         graph.quantize %{{.*}} : tensor<1x6x3x3xf32>
// BYTES:         graph.max_pool %{{.*}} -> tensor<1x6x2x2xui8>
// BYTES:         graph.reshape %{{.*}} -> tensor<4x6xui8>
// BYTES:         graph.matmul {{.*}}to = i32{{.*}}ui8{{.*}}si8
func.func @layers(%x : tensor<1x2x5x5xf32>) -> tensor<4x3xf32> {
  %w = graph.constant dense<0.5> : tensor<6x2x3x3xf32>
  %v = graph.constant dense<0.5> : tensor<6x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x5x5xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x3x3xf32>
  %2 = graph.relu %1 : tensor<1x6x3x3xf32> -> tensor<1x6x3x3xf32>
  %3 = graph.max_pool %2 {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>} : tensor<1x6x3x3xf32> -> tensor<1x6x2x2xf32>
  %4 = graph.reshape %3 {shape = ["4", "6"]} : tensor<1x6x2x2xf32> -> tensor<4x6xf32>
  %5 = graph.matmul %4, %v : tensor<4x6xf32>, tensor<6x3xf32> -> tensor<4x3xf32>
  return %5 : tensor<4x3xf32>
}

// -----

// Both factors are values, each with its own scale; the result of the model is what it was.
//
// CHECK-LABEL: func.func @two_values
// CHECK:         %[[R:.*]] = graph.relu
// CHECK:         %[[B:.*]] = graph.dequantize {{.*}} -> tensor<64x64xf32>
// CHECK:         graph.matmul %{{.*}}, %[[B]]
// CHECK:         return %{{.*}}, %[[R]]
// BYTES-LABEL: func.func @two_values
// BYTES:         graph.matmul {{.*}} {to = i32} : tensor<64x64xui8>, tensor<64x64xui8> -> tensor<64x64xi32>
func.func @two_values(%x : tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %1 = graph.relu %x : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = graph.matmul %x, %1 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %2, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// What is concatenated has the steps of the result, so bytes are concatenated.
//
// CHECK-LABEL: func.func @concatenated
// CHECK:         %[[A:.*]] = graph.dequantize {{.*}} -> tensor<4x32xf32>
// CHECK:         %[[B:.*]] = graph.dequantize {{.*}} -> tensor<4x32xf32>
// CHECK:         graph.concat %[[A]], %[[B]]
// CHECK-NOT:     graph.quantize
// CHECK:         graph.linear
// BYTES-LABEL: func.func @concatenated
// BYTES:         graph.concat {{.*}} -> tensor<4x64xui8>
func.func @concatenated(%x : tensor<4x32xf32>, %y : tensor<4x32xf32>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.concat %x, %y {axis = 1 : i64} : tensor<4x32xf32>, tensor<4x32xf32> -> tensor<4x64xf32>
  %2 = graph.linear %1, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Nothing but zeros was seen: the scale is one.
//
// CHECK-LABEL: func.func @zeros
// CHECK:         %[[S:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         graph.quantize %zeros, %[[S]]
func.func @zeros(%zeros : tensor<4x64xf32>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.linear %zeros, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A product that is kept reads the value as it was, also where another reads its steps.
//
// CHECK-LABEL: func.func @kept
// CHECK:         %[[X:.*]] = graph.dequantize
// CHECK:         graph.linear %x, %w
// CHECK:         graph.linear %[[X]], %
func.func @kept(%x : tensor<4x64xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.linear %x, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32> loc("kept")
  %2 = graph.linear %x, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Of what was never seen there are no steps.
//
// CHECK-LABEL: func.func @unseen
// CHECK-NOT:     graph.quantize
// CHECK:         return
func.func @unseen(%unseen : tensor<4x64xf32>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.linear %unseen, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// 70,000 products of a byte without a sign and one with a sign may not fit into 32 bits.
//
// CHECK-LABEL: func.func @long_sum
// CHECK-NOT:     graph.quantize
// CHECK:         return
func.func @long_sum(%x : tensor<1x70000xf32>) -> tensor<1x1xf32> {
  %w = graph.constant dense<0.5> : tensor<1x70000xf32>
  %1 = graph.linear %x, %w : tensor<1x70000xf32>, tensor<1x70000xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// -----

// A model that says how it is quantised stays as it says.
//
// CHECK-LABEL: func.func @quantised
// CHECK-NOT:     graph.quantize
// CHECK:         return
func.func @quantised(%x : tensor<4x64xf32>, %y : tensor<64x8xsi8>) -> tensor<4x8xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<si8>
  %1 = graph.dequantize %y, %s, %z : tensor<64x8xsi8>, tensor<f32>, tensor<si8> -> tensor<64x8xf32>
  %2 = graph.matmul %x, %1 : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
