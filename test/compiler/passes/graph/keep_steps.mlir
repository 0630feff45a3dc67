// RUN: sr-opt %s -p keep-steps | filecheck %s
// RUN: sr-opt %s -p 'keep-steps{bytes=true}' | filecheck %s --check-prefix=BYTES
// RUN: sr-opt %s -p 'keep-steps,fold-constants,fuse,outline-constants,set-target{cpu=x86-64-v3},pack-weights' | filecheck %s --check-prefix=PACKED
// RUN: sr-opt %s -p 'keep-steps,fold-constants,fuse,outline-constants,set-target{cpu=x86-64-v3},pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=LOOPS

// Steps of four bits lie in words, with a scale for each of two groups of 32 rows; the
// middle of their range, which is their zero point, goes. The kernel has steps and
// scales in panels.
//
// CHECK-LABEL: func.func @four_bits
// CHECK-NEXT:    %[[WORDS:.*]] = graph.weight "weight.steps" : tensor<2x4x64xi32>
// CHECK-NEXT:    %[[SCALES:.*]] = graph.weight "weight.scales" : tensor<2x1x1x64xf32>
// CHECK-NEXT:    %[[W:.*]] = graph.dequantize_words %[[WORDS]], %[[SCALES]] {bits = 4 : i64} : tensor<2x4x64xi32>, tensor<2x1x1x64xf32> -> tensor<2x4x8x64xf32>
// CHECK-NEXT:    graph.block_matmul %x, %[[W]] : tensor<7x64xf32>, tensor<2x4x8x64xf32> -> tensor<7x64xf32>
// CHECK-NEXT:    return
// PACKED-LABEL: func.func @four_bits
// PACKED-DAG:     %[[WORDS:.*]] = graph.weight "weight.steps.panels" {panels = #graph.panels<width = 16, rows = [2 by 256, 4 by 64], columns = 64 by 1>} : tensor<2x4x64xi32>
// PACKED-DAG:     %[[SCALES:.*]] = graph.weight "weight.scales.panels" {panels = #graph.panels<width = 16, rows = [2 by 64], columns = 64 by 1>} : tensor<2x1x1x64xf32>
// PACKED:         graph.fusion %{{.*}} {strategies = [#loop.strategy<direct, nr = 16, kc = 1536>]}
// PACKED-NEXT:    ^
// PACKED-NEXT:      graph.dequantize_words
// PACKED-NEXT:      graph.block_matmul
// BYTES-LABEL: func.func @four_bits
// BYTES-NEXT:    %[[WORDS:.*]] = graph.weight "weight.panels" : tensor<4x2x4x16xi32>
// BYTES-NEXT:    %[[SCALES:.*]] = graph.weight "weight.panel_scales" : tensor<4x2x16xf32>
// BYTES:         %[[BYTES:.*]] = graph.quantize %{{.*}}, %[[SCALE:.*]], %{{.*}} : tensor<7x2x32xf32>, tensor<7x2x1xf32>, tensor<si8> -> tensor<7x2x32xsi8>
// BYTES:         %[[SUM:.*]] = graph.sum %[[BYTES]] {{.*}} -> tensor<7x2xi32>
// BYTES-NEXT:    %[[MIDDLE:.*]] = graph.constant dense<-8> : tensor<i32>
// BYTES-NEXT:    %[[OFFSET:.*]] = graph.mul %[[SUM]], %[[MIDDLE]]
// BYTES:         %[[A:.*]] = graph.pack_bytes %{{.*}} : tensor<7x64xsi8> -> tensor<7x16xi32>
// BYTES:         graph.multiply_steps %[[A]], %{{.*}}, %[[OFFSET]], %[[WORDS]], %[[SCALES]] {bits = 4 : i64} {{.*}} -> tensor<7x4x16xf32>
// BYTES-NEXT:    graph.reshape {{.*}} -> tensor<7x64xf32>
// LOOPS:        loop.tile %{{.*}} to 7, %{{.*}} to 64, reduce %[[G:.*]] to 2, reduce %[[W:.*]] to 4, reduce %[[K:.*]] to 8 from
// LOOPS-DAG:      loop.load %{{.*}}[%[[G]] * 64 + %[[W]] * 16 + %[[N:.*]] blocked 16 * 128] : memref<?xi32>
// LOOPS-DAG:      loop.load %{{.*}}[%[[G]] * 16 + %[[N]] blocked 16 * 32] : memref<?xf32>
func.func @four_bits(%x : tensor<7x64xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<15> : tensor<64x2x32xui8>
  %s = graph.constant dense<[[[0.5], [2.0]]]> : tensor<1x2x1xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x2x32xui8>, tensor<1x2x1xf32>, tensor<ui8> -> tensor<64x2x32xf32>
  %2 = graph.reshape %1 {shape = ["64", "64"]} : tensor<64x2x32xf32> -> tensor<64x64xf32>
  %3 = graph.linear %x, %2 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %3 : tensor<7x64xf32>
}

// Steps of eight bits are bytes. A scale for each column is one of a single group.
//
// CHECK-LABEL: func.func @eight_bits
// CHECK-NEXT:    %[[STEPS:.*]] = graph.weight "{{.*}}" : tensor<1x64x64xsi8>
// CHECK-NEXT:    %[[SCALES:.*]] = graph.weight "{{.*}}" : tensor<1x1x64xf32>
// CHECK-NEXT:    %[[ZERO:.*]] = graph.constant dense<0> : tensor<si8>
// CHECK-NEXT:    %[[W:.*]] = graph.dequantize %[[STEPS]], %[[SCALES]], %[[ZERO]] : tensor<1x64x64xsi8>, tensor<1x1x64xf32>, tensor<si8> -> tensor<1x64x64xf32>
// CHECK-NEXT:    graph.block_matmul %x, %[[W]] : tensor<2x7x64xf32>, tensor<1x64x64xf32> -> tensor<2x7x64xf32>
// PACKED-LABEL: func.func @eight_bits
// PACKED:         graph.weight "{{.*}}.panels" {panels = {{.*}}} : tensor<1x64x64xsi8>
func.func @eight_bits(%x : tensor<2x7x64xf32>) -> tensor<2x7x64xf32> {
  %w = graph.constant dense<-100> : tensor<64x64xsi8>
  %s = graph.constant dense<0.5> : tensor<64xf32>
  %z = graph.constant dense<0> : tensor<si8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x64xsi8>, tensor<64xf32>, tensor<si8> -> tensor<64x64xf32>
  %2 = graph.matmul %x, %1 : tensor<2x7x64xf32>, tensor<64x64xf32> -> tensor<2x7x64xf32>
  return %2 : tensor<2x7x64xf32>
}

// Other zero points stay, counted as the steps are.
//
// CHECK-LABEL: func.func @zero_points
// CHECK:         %[[ZEROS:.*]] = graph.weight "{{.*}}.zero_points" : tensor<2x1x1x64xsi8>
// CHECK-NEXT:    graph.dequantize_words %{{.*}}, %{{.*}}, %[[ZEROS]] {bits = 4 : i64} : tensor<2x4x64xi32>, tensor<2x1x1x64xf32>, tensor<2x1x1x64xsi8>
// BYTES-LABEL: func.func @zero_points
// BYTES:         %[[ZEROS:.*]] = graph.weight "{{.*}}.panel_zeros" : tensor<4x2x16xui8>
// BYTES:         graph.multiply_steps %{{.*}}, %[[ZEROS]] {bits = 4 : i64}
func.func @zero_points(%x : tensor<7x64xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<9> : tensor<64x2x32xui8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<[[[8], [5]]]> : tensor<1x2x1xui8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x2x32xui8>, tensor<f32>, tensor<1x2x1xui8> -> tensor<64x2x32xf32>
  %2 = graph.reshape %1 {shape = ["64", "64"]} : tensor<64x2x32xf32> -> tensor<64x64xf32>
  %3 = graph.linear %x, %2 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %3 : tensor<7x64xf32>
}

// Groups of four rows have no whole words.
//
// CHECK-LABEL: func.func @short_groups
// CHECK:         graph.linear
func.func @short_groups(%x : tensor<7x64xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<3> : tensor<64x16x4xui8>
  %s = graph.constant dense<[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]]> : tensor<1x16x1xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x16x4xui8>, tensor<1x16x1xf32>, tensor<ui8> -> tensor<64x16x4xf32>
  %2 = graph.reshape %1 {shape = ["64", "64"]} : tensor<64x16x4xf32> -> tensor<64x64xf32>
  %3 = graph.linear %x, %2 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %3 : tensor<7x64xf32>
}

// A number of a denormal scale would be rounded otherwise.
//
// CHECK-LABEL: func.func @denormal_scale
// CHECK:         graph.linear
func.func @denormal_scale(%x : tensor<7x64xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<3> : tensor<64x64xui8>
  %s = graph.constant dense<1.0e-40> : tensor<f32>
  %z = graph.constant dense<8> : tensor<ui8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x64xui8>, tensor<f32>, tensor<ui8> -> tensor<64x64xf32>
  %2 = graph.linear %x, %1 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %2 : tensor<7x64xf32>
}

// A small weight takes little memory as it is.
//
// CHECK-LABEL: func.func @small_weight
// CHECK:         graph.linear
func.func @small_weight(%x : tensor<7x32xf32>) -> tensor<7x32xf32> {
  %w = graph.constant dense<3> : tensor<32x32xui8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<8> : tensor<ui8>
  %1 = graph.dequantize %w, %s, %z : tensor<32x32xui8>, tensor<f32>, tensor<ui8> -> tensor<32x32xf32>
  %2 = graph.linear %x, %1 : tensor<7x32xf32>, tensor<32x32xf32> -> tensor<7x32xf32>
  return %2 : tensor<7x32xf32>
}

// Steps that the run finds are no constants.
//
// CHECK-LABEL: func.func @steps_of_a_run
// CHECK:         graph.linear
func.func @steps_of_a_run(%x : tensor<7x64xf32>, %w : tensor<64x64xui8>) -> tensor<7x64xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<8> : tensor<ui8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x64xui8>, tensor<f32>, tensor<ui8> -> tensor<64x64xf32>
  %2 = graph.linear %x, %1 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %2 : tensor<7x64xf32>
}

// What is rounded to blocks says so itself, whatever the option: products are of bytes
// with blocks of whole groups, else of the numbers that it is rounded to.
//
// CHECK-LABEL: func.func @rounded
// CHECK-NOT:     graph.round_blocks
// CHECK:         graph.multiply_steps
// CHECK-SAME:      tensor<7x16xi32>, tensor<7x4xf32>, tensor<7x4xi32>, tensor<4x4x2x16xi32>
// CHECK:         %[[ROUNDED:.*]] = graph.round_blocks %x {block = 64 : i64}
// CHECK:         graph.block_matmul %[[ROUNDED]]
func.func @rounded(%x : tensor<7x64xf32>) -> (tensor<7x64xf32>, tensor<7x64xf32>) {
  %w = graph.constant dense<15> : tensor<64x2x32xui8>
  %s = graph.constant dense<[[[0.5], [2.0]]]> : tensor<1x2x1xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %1 = graph.dequantize %w, %s, %z : tensor<64x2x32xui8>, tensor<1x2x1xf32>, tensor<ui8> -> tensor<64x2x32xf32>
  %2 = graph.reshape %1 {shape = ["64", "64"]} : tensor<64x2x32xf32> -> tensor<64x64xf32>
  %3 = graph.round_blocks %x {block = 16 : i64} : tensor<7x64xf32> -> tensor<7x64xf32>
  %4 = graph.linear %3, %2 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  %5 = graph.round_blocks %x {block = 64 : i64} : tensor<7x64xf32> -> tensor<7x64xf32>
  %6 = graph.linear %5, %2 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %4, %6 : tensor<7x64xf32>, tensor<7x64xf32>
}
