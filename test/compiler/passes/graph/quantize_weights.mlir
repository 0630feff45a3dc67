// RUN: sr-opt %s -p 'outline-constants,quantize-weights{bits=4}' | filecheck %s
// RUN: sr-opt %s -p 'outline-constants,quantize-weights{bits=8}' | filecheck %s --check-prefix=BYTES
// RUN: sr-opt %s -p 'outline-constants,quantize-weights{bits=4 bytes=true}' | filecheck %s --check-prefix=BOTH

// Four bits lie in words, eight are bytes; 192 rows are three groups of 64.
//
// CHECK-LABEL: func.func @linear
// CHECK-NEXT:    %[[STEPS:.*]] = graph.weight "{{.*}}.steps" : tensor<3x8x32xi32>
// CHECK-NEXT:    %[[SCALES:.*]] = graph.weight "{{.*}}.scales" : tensor<3x1x1x32xf32>
// CHECK-NEXT:    %[[W:.*]] = graph.dequantize_words %[[STEPS]], %[[SCALES]] {bits = 4 : i64}
// CHECK-NEXT:    graph.block_matmul %x, %[[W]] : tensor<7x192xf32>, tensor<3x8x8x32xf32> -> tensor<7x32xf32>
// BYTES-LABEL: func.func @linear
// BYTES-NEXT:    %[[STEPS:.*]] = graph.weight "{{.*}}.steps" : tensor<3x64x32xsi8>
// BYTES-NEXT:    %[[SCALES:.*]] = graph.weight "{{.*}}.scales" : tensor<3x1x32xf32>
// BYTES-NEXT:    %[[ZERO:.*]] = graph.constant dense<0> : tensor<si8>
// BYTES-NEXT:    %[[W:.*]] = graph.dequantize %[[STEPS]], %[[SCALES]], %[[ZERO]]
// BYTES-NEXT:    graph.block_matmul %x, %[[W]] : tensor<7x192xf32>, tensor<3x64x32xf32> -> tensor<7x32xf32>
// BOTH-LABEL: func.func @linear
// BOTH-NEXT:     %[[STEPS:.*]] = graph.weight "{{.*}}.panels" : tensor<2x6x4x16xi32>
// BOTH-NEXT:     %[[SCALES:.*]] = graph.weight "{{.*}}.panel_scales" : tensor<2x3x16xf32>
// BOTH:          graph.multiply_steps %{{.*}}, %[[STEPS]], %[[SCALES]] {bits = 4 : i64}
func.func @linear(%x : tensor<7x192xf32>) -> tensor<7x32xf32> {
  %w = graph.constant dense<0.5> : tensor<32x192xf32>
  %1 = graph.linear %x, %w : tensor<7x192xf32>, tensor<32x192xf32> -> tensor<7x32xf32>
  return %1 : tensor<7x32xf32>
}

// What is stored in 16 bits is quantised as the f32 that it is.
//
// BYTES-LABEL: func.func @half
// BYTES:         graph.weight "{{.*}}" : tensor<1x64x64xsi8>
// BYTES:         graph.block_matmul
func.func @half(%x : tensor<7x64xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64xbf16>
  %1 = graph.cast %w {to = f32} : tensor<64x64xbf16> -> tensor<64x64xf32>
  %2 = graph.matmul %x, %1 : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %2 : tensor<7x64xf32>
}

// 100 rows have groups of 50 bytes, and none of whole words.
//
// CHECK-LABEL: func.func @odd_rows
// CHECK:         graph.matmul
// BYTES-LABEL: func.func @odd_rows
// BYTES:         graph.weight "{{.*}}" : tensor<2x50x64xsi8>
// BYTES:         graph.block_matmul
func.func @odd_rows(%x : tensor<7x100xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<0.5> : tensor<100x64xf32>
  %1 = graph.matmul %x, %w : tensor<7x100xf32>, tensor<100x64xf32> -> tensor<7x64xf32>
  return %1 : tensor<7x64xf32>
}

// What is not finite has no steps.
//
// CHECK-LABEL: func.func @infinite
// CHECK:         graph.matmul
func.func @infinite(%x : tensor<7x64xf32>) -> tensor<7x64xf32> {
  %w = graph.constant dense<"0x0000807F"> : tensor<64x64xf32>
  %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x64xf32> -> tensor<7x64xf32>
  return %1 : tensor<7x64xf32>
}

// A first factor, small weights and f64 stay.
//
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: graph.matmul
func.func @others(%x : tensor<64x8xf32>, %y : tensor<8x16xf32>, %z : tensor<8x64xf64>) -> (tensor<64x8xf32>, tensor<8x16xf32>, tensor<8x64xf64>) {
  %w = graph.constant dense<0.5> : tensor<64x64xf32>
  %v = graph.constant dense<0.5> : tensor<16x16xf32>
  %u = graph.constant dense<0.5> : tensor<64x64xf64>
  %1 = graph.matmul %w, %x : tensor<64x64xf32>, tensor<64x8xf32> -> tensor<64x8xf32>
  %2 = graph.matmul %y, %v : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %3 = graph.matmul %z, %u : tensor<8x64xf64>, tensor<64x64xf64> -> tensor<8x64xf64>
  return %1, %2, %3 : tensor<64x8xf32>, tensor<8x16xf32>, tensor<8x64xf64>
}

// Of matrices that are looked up, turned and widened, steps and scales are looked up.
//
// CHECK-LABEL: func.func @looked_up
// CHECK:         %[[STEPS:.*]] = graph.weight "{{.*}}.steps" : tensor<4x2x8x32xi32>
// CHECK-NEXT:    %[[SCALES:.*]] = graph.weight "{{.*}}.scales" : tensor<4x2x1x1x32xf32>
// CHECK-NEXT:    %[[HERE:.*]] = graph.index_select %[[STEPS]], %i {axis = 0 : i64, wraps = true}
// CHECK-NEXT:    %[[BY:.*]] = graph.index_select %[[SCALES]], %i {axis = 0 : i64, wraps = true}
// CHECK-NEXT:    %[[W:.*]] = graph.dequantize_words %[[HERE]], %[[BY]] {bits = 4 : i64}
// CHECK-NEXT:    %[[Y:.*]] = graph.block_matmul %x, %[[W]] {batch = 1 : i64} : tensor<6x7x128xf32>, tensor<6x2x8x8x32xf32> -> tensor<6x7x32xf32>
// CHECK-NEXT:    return %[[Y]]
// BYTES-LABEL: func.func @looked_up
// BYTES:         graph.weight "{{.*}}.steps" : tensor<4x2x64x32xsi8>
// BYTES:         graph.dequantize
// BYTES-NEXT:    graph.block_matmul %x, %{{.*}} {batch = 1 : i64}
// BOTH-LABEL:  func.func @looked_up
// BOTH:          graph.dequantize_words
func.func @looked_up(%x : tensor<6x7x128xf32>, %i : tensor<6xi64>) -> tensor<6x7x32xf32> {
  %w = graph.constant dense<0.5> : tensor<4x32x128xbf16>
  %1 = graph.index_select %w, %i {axis = 0 : i64, wraps = true} : tensor<4x32x128xbf16>, tensor<6xi64> -> tensor<6x32x128xbf16>
  %2 = graph.cast %1 {to = f32} : tensor<6x32x128xbf16> -> tensor<6x32x128xf32>
  %3 = graph.permute %2 {order = array<i64: 0, 2, 1>} : tensor<6x32x128xf32> -> tensor<6x128x32xf32>
  %4 = graph.matmul %x, %3 : tensor<6x7x128xf32>, tensor<6x128x32xf32> -> tensor<6x7x32xf32>
  return %4 : tensor<6x7x32xf32>
}

// What is looked up among numbers that are not finite stays as it is, as does what moves
// matrices from one to another.
//
// CHECK-LABEL: func.func @infinite_among_others
// CHECK:         graph.matmul
// CHECK-LABEL: func.func @moved_between_matrices
// CHECK:         graph.matmul
func.func @infinite_among_others(%x : tensor<6x7x64xf32>, %i : tensor<6xi64>) -> tensor<6x7x64xf32> {
  %w = graph.constant dense<"0x0000807F"> : tensor<4x64x64xf32>
  %1 = graph.index_select %w, %i {axis = 0 : i64, wraps = true} : tensor<4x64x64xf32>, tensor<6xi64> -> tensor<6x64x64xf32>
  %2 = graph.matmul %x, %1 : tensor<6x7x64xf32>, tensor<6x64x64xf32> -> tensor<6x7x64xf32>
  return %2 : tensor<6x7x64xf32>
}

func.func @moved_between_matrices(%x : tensor<64x7x64xf32>, %i : tensor<64xi64>) -> tensor<64x7x64xf32> {
  %w = graph.constant dense<0.5> : tensor<4x64x64xf32>
  %1 = graph.index_select %w, %i {axis = 0 : i64, wraps = true} : tensor<4x64x64xf32>, tensor<64xi64> -> tensor<64x64x64xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0, 2>} : tensor<64x64x64xf32> -> tensor<64x64x64xf32>
  %3 = graph.matmul %x, %2 : tensor<64x7x64xf32>, tensor<64x64x64xf32> -> tensor<64x7x64xf32>
  return %3 : tensor<64x7x64xf32>
}
