// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},outline-constants,pack-weights' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},outline-constants,pack-weights' | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: sr-opt %s -p 'set-target{cpu=cooperlake},outline-constants,narrow-weights,pack-weights' | filecheck %s --check-prefix=BF16
// RUN: not sr-opt %s -p outline-constants,pack-weights 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// A panel is two vectors wide, or as wide as wastes least. The type says what the tensor is, and stays.
//
// CHECK-LABEL: func.func @product
// AVX2:          graph.weight "constant.panels" {panels = #graph.panels<width = 16, rows = [3 by 48], columns = 48 by 1>} : tensor<3x48xf32>
// AVX512:        graph.weight "constant.panels" {panels = #graph.panels<width = 48, rows = [3 by 48], columns = 48 by 1>} : tensor<3x48xf32>
// CHECK-NEXT:    graph.matmul
func.func @product(%x: tensor<5x3xf32>) -> tensor<5x48xf32> {
  %w = graph.constant dense<2.0> : tensor<3x48xf32>
  %1 = graph.matmul %x, %w : tensor<5x3xf32>, tensor<3x48xf32> -> tensor<5x48xf32>
  func.return %1 : tensor<5x48xf32>
}

// Inside of a fusion it is the same.
//
// CHECK-LABEL: func.func @fused
// AVX2:          graph.weight "constant_1.panels" {panels = #graph.panels<width = 8, rows = [3 by 8], columns = 8 by 1>} : tensor<3x8xf32>
// CHECK:         graph.fusion
func.func @fused(%x: tensor<5x3xf32>) -> tensor<5x8xf32> {
  %w = graph.constant dense<1.0> : tensor<3x8xf32>
  %2 = graph.fusion %x, %w : tensor<5x3xf32>, tensor<3x8xf32> -> tensor<5x8xf32> {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<3x8xf32>):
    %3 = graph.matmul %a, %b : tensor<5x3xf32>, tensor<3x8xf32> -> tensor<5x8xf32>
    %4 = graph.relu %3 : tensor<5x8xf32> -> tensor<5x8xf32>
    graph.yield %4 : tensor<5x8xf32>
  }
  func.return %2 : tensor<5x8xf32>
}

// A stack of matrices is packed matrix by matrix, so that each panel is of one.
//
// CHECK-LABEL: func.func @stack
// AVX2:          panels = #graph.panels<width = 16, rows = [4 by 48, 3 by 16], columns = 16 by 1>
func.func @stack(%x: tensor<4x5x3xf32>) -> tensor<4x5x16xf32> {
  %w = graph.constant dense<3.0> : tensor<4x3x16xf32>
  %1 = graph.matmul %x, %w : tensor<4x5x3xf32>, tensor<4x3x16xf32> -> tensor<4x5x16xf32>
  func.return %1 : tensor<4x5x16xf32>
}

// What another op reads as well is there twice.
//
// CHECK-LABEL: func.func @read_twice
// CHECK:         %[[W:.*]] = graph.weight "constant_3" : tensor<3x16xf32>
// CHECK-NEXT:    %[[P:.*]] = graph.weight "constant_3.panels"
// CHECK-NEXT:    graph.matmul %{{.*}}, %[[P]]
// CHECK-NEXT:    graph.relu %[[W]]
func.func @read_twice(%x: tensor<5x3xf32>) -> (tensor<5x16xf32>, tensor<3x16xf32>) {
  %w = graph.constant dense<4.0> : tensor<3x16xf32>
  %1 = graph.matmul %x, %w : tensor<5x3xf32>, tensor<3x16xf32> -> tensor<5x16xf32>
  %2 = graph.relu %w : tensor<3x16xf32> -> tensor<3x16xf32>
  func.return %1, %2 : tensor<5x16xf32>, tensor<3x16xf32>
}

// The filters of a convolution in this layout are rows and not columns.
//
// CHECK-LABEL: func.func @rows_stay
// CHECK:         graph.weight "constant_4" : tensor<8x3x3x3xf32>
func.func @rows_stay(%x: tensor<2x3x9x9xf32>) -> tensor<2x8x7x7xf32> {
  %w = graph.constant dense<4.0> : tensor<8x3x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x9x9xf32>, tensor<8x3x3x3xf32> -> tensor<2x8x7x7xf32>
  func.return %1 : tensor<2x8x7x7xf32>
}

// What is added, element by element, stays as it is.
//
// CHECK-LABEL: func.func @no_contraction
// CHECK:         graph.weight "constant_5" : tensor<3x16xf32>
func.func @no_contraction(%x: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %w = graph.constant dense<5.0> : tensor<3x16xf32>
  %1 = graph.add %x, %w : tensor<3x16xf32>, tensor<3x16xf32> -> tensor<3x16xf32>
  func.return %1 : tensor<3x16xf32>
}

// Bytes that are multiplied with bytes lie in words of four k, on every target. Zeros fill up the last word. Pairs
// of products with 6 fit into 16 bits.
//
// CHECK-LABEL: func.func @bytes
// AVX2:          graph.weight "constant_6.panels" {panels = #graph.panels<width = 16, rows = [6 by 16], columns = 16 by 1, vnni = 4>} : tensor<6x16xsi8>
// AVX2-NEXT:     strategies = [#loop.strategy<im2row, nr = 16, vnni = 4, kc = 3072, pairs = true>]
func.func @bytes(%x: tensor<5x6xui8>) -> tensor<5x16xi32> {
  %w = graph.constant dense<6> : tensor<6x16xsi8>
  %1 = graph.fusion %x, %w : tensor<5x6xui8>, tensor<6x16xsi8> -> tensor<5x16xi32> {
  ^bb0(%a: tensor<5x6xui8>, %b: tensor<6x16xsi8>):
    %2 = graph.cast %a {to = i32} : tensor<5x6xui8> -> tensor<5x6xi32>
    %3 = graph.cast %b {to = i32} : tensor<6x16xsi8> -> tensor<6x16xi32>
    %4 = graph.matmul %2, %3 : tensor<5x6xi32>, tensor<6x16xi32> -> tensor<5x16xi32>
    graph.yield %4 : tensor<5x16xi32>
  }
  func.return %1 : tensor<5x16xi32>
}

// Bytes that are multiplied with other numbers are panels of single elements.
//
// CHECK-LABEL: func.func @mixed
// AVX2:          graph.weight "constant_7.panels" {panels = #graph.panels<width = 16, rows = [6 by 16], columns = 16 by 1>} : tensor<6x16xsi8>
func.func @mixed(%x: tensor<5x6xi32>) -> tensor<5x16xi32> {
  %w = graph.constant dense<7> : tensor<6x16xsi8>
  %1 = graph.fusion %x, %w : tensor<5x6xi32>, tensor<6x16xsi8> -> tensor<5x16xi32> {
  ^bb0(%a: tensor<5x6xi32>, %b: tensor<6x16xsi8>):
    %3 = graph.cast %b {to = i32} : tensor<6x16xsi8> -> tensor<6x16xi32>
    %4 = graph.matmul %a, %3 : tensor<5x6xi32>, tensor<6x16xi32> -> tensor<5x16xi32>
    graph.yield %4 : tensor<5x16xi32>
  }
  func.return %1 : tensor<5x16xi32>
}

// A convolution within each channel multiplies element by element: its filters are no words.
//
// CHECK-LABEL: func.func @within_channels
// AVX2:          graph.weight "constant_8.panels" {panels = #graph.panels<width = 16, rows = [3 by 48, 3 by 16], columns = 16 by 1>} : tensor<3x3x1x16xsi8>
// AVX2:          strategies = [#loop.strategy<depthwise>]
func.func @within_channels(%x: tensor<1x9x9x16xui8>) -> tensor<1x7x7x16xi32> {
  %w = graph.constant dense<8> : tensor<3x3x1x16xsi8>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 16 : i64, channels_last, to = i32} : tensor<1x9x9x16xui8>, tensor<3x3x1x16xsi8> -> tensor<1x7x7x16xi32>
  func.return %1 : tensor<1x7x7x16xi32>
}

// 255 * (65 + 65) does not fit into 16 bits; nor does the instruction take bytes with a sign on the left.
//
// CHECK-LABEL: func.func @pairs_that_may_saturate
// AVX2:          strategies = [#loop.strategy<im2row, nr = 16, vnni = 4, kc = 3072>]
// AVX2:          strategies = [#loop.strategy<im2row, nr = 16, vnni = 4, kc = 3072>]
func.func @pairs_that_may_saturate(%x: tensor<5x6xui8>, %y: tensor<5x6xsi8>) -> (tensor<5x16xi32>, tensor<5x16xi32>) {
  %v = graph.constant dense<65> : tensor<6x16xsi8>
  %w = graph.constant dense<6> : tensor<6x16xsi8>
  %1 = graph.matmul %x, %v {to = i32} : tensor<5x6xui8>, tensor<6x16xsi8> -> tensor<5x16xi32>
  %2 = graph.matmul %y, %w {to = i32} : tensor<5x6xsi8>, tensor<6x16xsi8> -> tensor<5x16xi32>
  func.return %1, %2 : tensor<5x16xi32>, tensor<5x16xi32>
}

// What is rounded to bf16 beside a factor that is rounded too lies in words of two k.
//
// BF16-LABEL: func.func @rounded
// BF16:         panels = #graph.panels<width = {{[0-9]+}}, rows = [6 by 16], columns = 16 by 1, vnni = 2>} : tensor<6x16xbf16>
func.func @rounded(%x: tensor<5x6xf32>) -> tensor<5x16xf32> {
  %w = graph.constant dense<9.0> : tensor<6x16xf32>
  %1 = graph.matmul %x, %w : tensor<5x6xf32>, tensor<6x16xf32> -> tensor<5x16xf32>
  func.return %1 : tensor<5x16xf32>
}

// A product of bytes with one k sums nothing: a weight without rows has no words of four.
//
// CHECK-LABEL: func.func @one_k
// AVX2:          graph.weight "constant_12.panels" {panels = #graph.panels<width = 16, rows = [], columns = 16 by 1>} : tensor<1x16xsi8>
func.func @one_k(%x: tensor<2x5x1xui8>) -> tensor<2x5x16xi32> {
  %w = graph.constant dense<9> : tensor<1x16xsi8>
  %1 = graph.fusion %x, %w : tensor<2x5x1xui8>, tensor<1x16xsi8> -> tensor<2x5x16xi32> {
  ^bb0(%a: tensor<2x5x1xui8>, %b: tensor<1x16xsi8>):
    %2 = graph.cast %a {to = i32} : tensor<2x5x1xui8> -> tensor<2x5x1xi32>
    %3 = graph.cast %b {to = i32} : tensor<1x16xsi8> -> tensor<1x16xi32>
    %4 = graph.matmul %2, %3 : tensor<2x5x1xi32>, tensor<1x16xi32> -> tensor<2x5x16xi32>
    graph.yield %4 : tensor<2x5x16xi32>
  }
  func.return %1 : tensor<2x5x16xi32>
}

// Of matrices that are looked up, a panel of one lies beside that of the next.
//
// CHECK-LABEL: func.func @looked_up
// AVX2:          graph.weight "constant_13.panels" {panels = #graph.panels<width = 16, rows = [3 by 128, 8 by 16], columns = 16 by 1>} : tensor<3x8x16xf32>
func.func @looked_up(%x: tensor<5x4x8xf32>, %i: tensor<5xi64>) -> tensor<5x4x16xf32> {
  %w = graph.constant dense<9.0> : tensor<3x8x16xf32>
  %1 = graph.fusion %x, %w, %i : tensor<5x4x8xf32>, tensor<3x8x16xf32>, tensor<5xi64> -> tensor<5x4x16xf32> {
  ^bb0(%a: tensor<5x4x8xf32>, %b: tensor<3x8x16xf32>, %c: tensor<5xi64>):
    %2 = graph.index_select %b, %c {axis = 0 : i64, wraps = false} : tensor<3x8x16xf32>, tensor<5xi64> -> tensor<5x8x16xf32>
    %3 = graph.matmul %a, %2 : tensor<5x4x8xf32>, tensor<5x8x16xf32> -> tensor<5x4x16xf32>
    graph.yield %3 : tensor<5x4x16xf32>
  }
  func.return %1 : tensor<5x4x16xf32>
}
