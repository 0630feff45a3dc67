// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},narrow-weights' | filecheck %s
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},narrow-weights,pack-weights' | filecheck %s --check-prefix=PACKED
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},narrow-weights,pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=LOOPS
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=cooperlake},narrow-weights,pack-weights' | filecheck %s --check-prefix=DOTS
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=sapphirerapids},narrow-weights,pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=MATRICES
// RUN: not sr-opt %s -p outline-constants,narrow-weights 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// A product reads a weight of bf16, converted inside of its kernel. Its panels are as they would be, half as large.
//
// CHECK-LABEL: func.func @product
// CHECK-NEXT:    %[[W:.*]] = graph.weight "constant.bf16" : tensor<3x48xbf16>
// CHECK-NEXT:    graph.fusion %x, %[[W]] : tensor<5x3xf32>, tensor<3x48xbf16> -> tensor<5x48xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: tensor<5x3xf32>, %[[B:.*]]: tensor<3x48xbf16>):
// CHECK-NEXT:      %[[WIDE:.*]] = graph.cast %[[B]] {to = f32} : tensor<3x48xbf16> -> tensor<3x48xf32>
// CHECK-NEXT:      graph.matmul %[[A]], %[[WIDE]] : tensor<5x3xf32>, tensor<3x48xf32> -> tensor<5x48xf32>
// PACKED-LABEL: func.func @product
// PACKED:        graph.weight "constant.bf16.panels" {panels = #graph.panels<width = 16, rows = [3 by 48], columns = 48 by 1>} : tensor<3x48xbf16>
// PACKED-NEXT:   graph.fusion
func.func @product(%x: tensor<5x3xf32>) -> tensor<5x48xf32> {
  %w = graph.constant dense<2.0> : tensor<3x48xf32>
  %1 = graph.matmul %x, %w : tensor<5x3xf32>, tensor<3x48xf32> -> tensor<5x48xf32>
  func.return %1 : tensor<5x48xf32>
}

// In a fusion the conversion comes first. What is added to the product is as it was.
//
// CHECK-LABEL: func.func @fused
// CHECK:         %[[BIAS:.*]] = graph.weight "constant_2" : tensor<8xf32>
// CHECK-NEXT:    graph.fusion %x, %{{.*}}, %[[BIAS]] : tensor<5x3xf32>, tensor<3x8xbf16>, tensor<8xf32> -> tensor<5x8xf32> {
// CHECK:           graph.cast
// CHECK-NEXT:      graph.matmul
// CHECK-NEXT:      graph.add
func.func @fused(%x: tensor<5x3xf32>) -> tensor<5x8xf32> {
  %w = graph.constant dense<1.0> : tensor<3x8xf32>
  %bias = graph.constant dense<0.1> : tensor<8xf32>
  %1 = graph.matmul %x, %w : tensor<5x3xf32>, tensor<3x8xf32> -> tensor<5x8xf32>
  %2 = graph.add %1, %bias : tensor<5x8xf32>, tensor<8xf32> -> tensor<5x8xf32>
  func.return %2 : tensor<5x8xf32>
}

// What something else reads as well is there twice; two products share what is narrowed.
//
// CHECK-LABEL: func.func @read_by_others
// CHECK-NEXT:    %[[W:.*]] = graph.weight "constant_3" : tensor<3x16xf32>
// CHECK-NEXT:    %[[N:.*]] = graph.weight "constant_3.bf16" : tensor<3x16xbf16>
// CHECK-NEXT:    graph.fusion %x, %[[N]]
// CHECK:         graph.fusion %y, %[[N]]
// CHECK:         graph.relu %[[W]] : tensor<3x16xf32> -> tensor<3x16xf32>
func.func @read_by_others(%x: tensor<5x3xf32>, %y: tensor<6x3xf32>) -> (tensor<5x16xf32>, tensor<6x16xf32>, tensor<3x16xf32>) {
  %w = graph.constant dense<4.0> : tensor<3x16xf32>
  %1 = graph.matmul %x, %w : tensor<5x3xf32>, tensor<3x16xf32> -> tensor<5x16xf32>
  %2 = graph.matmul %y, %w : tensor<6x3xf32>, tensor<3x16xf32> -> tensor<6x16xf32>
  %3 = graph.relu %w : tensor<3x16xf32> -> tensor<3x16xf32>
  func.return %1, %2, %3 : tensor<5x16xf32>, tensor<6x16xf32>, tensor<3x16xf32>
}

// A convolution with its channels last is a product as well.
//
// CHECK-LABEL: func.func @convolution
// CHECK:         graph.weight "constant_4.bf16" : tensor<3x3x3x8xbf16>
// PACKED-LABEL: func.func @convolution
// PACKED:        rows = [3 by 72, 9 by 8], columns = 8 by 1>} : tensor<3x3x3x8xbf16>
func.func @convolution(%x: tensor<2x9x9x3xf32>) -> tensor<2x7x7x8xf32> {
  %w = graph.constant dense<4.0> : tensor<3x3x3x8xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<2x9x9x3xf32>, tensor<3x3x3x8xf32> -> tensor<2x7x7x8xf32>
  func.return %1 : tensor<2x7x7x8xf32>
}

// A weight that is not read in panels stays: here it is the rows.
//
// CHECK-LABEL: func.func @rows_stay
// CHECK-NEXT:    graph.weight "constant_5" : tensor<5x3xf32>
// CHECK-NEXT:    graph.matmul
func.func @rows_stay(%x: tensor<3x16xf32>) -> tensor<5x16xf32> {
  %w = graph.constant dense<5.0> : tensor<5x3xf32>
  %1 = graph.matmul %w, %x : tensor<5x3xf32>, tensor<3x16xf32> -> tensor<5x16xf32>
  func.return %1 : tensor<5x16xf32>
}

// As do the filters of a convolution that has one for each channel.
//
// CHECK-LABEL: func.func @depthwise_stays
// CHECK-NEXT:    graph.weight "constant_6" : tensor<3x3x1x32xf32>
// CHECK-NEXT:    graph.conv
func.func @depthwise_stays(%x: tensor<1x22x22x32xf32>) -> tensor<1x20x20x32xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x1x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 32 : i64, channels_last} : tensor<1x22x22x32xf32>, tensor<3x3x1x32xf32> -> tensor<1x20x20x32xf32>
  func.return %1 : tensor<1x20x20x32xf32>
}

// Only f32 is narrowed.
//
// CHECK-LABEL: func.func @double_stays
// CHECK-NEXT:    graph.weight "constant_7" : tensor<3x16xf64>
func.func @double_stays(%x: tensor<5x3xf64>) -> tensor<5x16xf64> {
  %w = graph.constant dense<5.0> : tensor<3x16xf64>
  %1 = graph.matmul %x, %w : tensor<5x3xf64>, tensor<3x16xf64> -> tensor<5x16xf64>
  func.return %1 : tensor<5x16xf64>
}

// What is added, element by element, stays as it is.
//
// CHECK-LABEL: func.func @no_contraction
// CHECK-NEXT:    graph.weight "constant_8" : tensor<3x16xf32>
func.func @no_contraction(%x: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %w = graph.constant dense<5.0> : tensor<3x16xf32>
  %1 = graph.add %x, %w : tensor<3x16xf32>, tensor<3x16xf32> -> tensor<3x16xf32>
  func.return %1 : tensor<3x16xf32>
}

// Where many rows use a panel, a block of it is made f32 once.
//
// LOOPS-LABEL: loop.kernel @cast_matmul_10
// LOOPS-SAME:      {strategies = [#loop.strategy<widened, nr = {{.*}}>]}
// LOOPS:         pack = "b"> k_loop
// LOOPS:           %[[B:.*]] = loop.load %{{.*}}[%{{.*}} * 16 + %{{.*}} blocked 16 * 1024] : memref<?xbf16>
// LOOPS-NEXT:      %[[WIDE:.*]] = arith.extf %[[B]] : bf16 to f32
// LOOPS-NEXT:      math.fma %{{.*}}, %[[WIDE]], %{{.*}} : f32
func.func @many_rows(%x: tensor<64x64xf32>) -> tensor<64x48xf32> {
  %w = graph.constant dense<6.0> : tensor<64x48xf32>
  %1 = graph.matmul %x, %w : tensor<64x64xf32>, tensor<64x48xf32> -> tensor<64x48xf32>
  func.return %1 : tensor<64x48xf32>
}

// A target that multiplies pairs of bf16 has the other factor rounded too, and two steps side by side.
//
// Registers of matrices want panels of 16 columns, and have room for the accumulators of 32 rows and as many columns.
//
// MATRICES-LABEL: loop.kernel @cast_cast_cast_matmul_10
// MATRICES-SAME:   {strategies = [#loop.strategy<im2row, nr = {{.*}}>]}
// MATRICES:        loop.tile {{.*}} : f32 by 32, 32, 16 as #loop.schedule<nr = 16, mc = 32, nc = 48, kc = 64 of 0, pack = "a", pad = 32> k_loop
// MATRICES:          loop.load %{{.*}}[%{{.*}} blocked 2 * 32 + %{{.*}} blocked 16 by 2 * 1024] : memref<?xbf16>
// DOTS-LABEL:  func.func @many_rows
// DOTS-NEXT:     graph.weight "constant_9.bf16.panels" {panels = #graph.panels<width = 48, rows = [64 by 48], columns = 48 by 1, vnni = 2>} : tensor<64x48xbf16>
// DOTS-NEXT:     graph.fusion
// DOTS-NEXT:     ^{{.*}}(%[[A:.*]]: tensor<64x64xf32>, %[[B:.*]]: tensor<64x48xbf16>):
// DOTS-NEXT:       %[[WIDE:.*]] = graph.cast %[[B]] {to = f32} : tensor<64x48xbf16> -> tensor<64x48xf32>
// DOTS-NEXT:       %[[ROUNDED:.*]] = graph.cast %[[A]] {to = bf16} : tensor<64x64xf32> -> tensor<64x64xbf16>
// DOTS-NEXT:       %[[ROWS:.*]] = graph.cast %[[ROUNDED]] {to = f32} : tensor<64x64xbf16> -> tensor<64x64xf32>
// DOTS-NEXT:       graph.matmul %[[ROWS]], %[[WIDE]]

// Where the steps are odd, zeros fill up the last pair.
//
// DOTS-LABEL:  func.func @odd
// DOTS:          columns = 48 by 1, vnni = 2>} : tensor<65x48xbf16>
// DOTS-COUNT-3:  graph.cast
// DOTS:          graph.matmul
// MATRICES-LABEL: loop.kernel @cast_cast_cast_matmul_11
// MATRICES:        loop.tile {{.*}} as #loop.schedule<nr = 16, mc = 32, nc = 48, kc = 65 of 0, pack = "a", pad = 62> k_loop
func.func @odd(%x: tensor<64x65xf32>) -> tensor<64x48xf32> {
  %w = graph.constant dense<6.0> : tensor<65x48xf32>
  %1 = graph.matmul %x, %w : tensor<64x65xf32>, tensor<65x48xf32> -> tensor<64x48xf32>
  func.return %1 : tensor<64x48xf32>
}

// For few rows, or where only a run knows how many, each step makes f32 of what it reads.
//
// LOOPS-LABEL: loop.kernel @cast_matmul_12
// LOOPS-SAME:      {strategies = [#loop.strategy<direct, nr = {{.*}}>]}
// LOOPS:         arith.extf
// LOOPS-LABEL: loop.kernel @cast_matmul_13
// LOOPS-SAME:      {strategies = [#loop.strategy<direct, nr = {{.*}}>]}
// LOOPS:         arith.extf
func.func @few_rows(%x: tensor<4x64xf32>, %y: tensor<?x64xf32, ["n"]>) -> (tensor<4x48xf32>, tensor<?x48xf32, ["n"]>) {
  %w = graph.constant dense<6.0> : tensor<64x48xf32>
  %1 = graph.matmul %x, %w : tensor<4x64xf32>, tensor<64x48xf32> -> tensor<4x48xf32>
  %2 = graph.matmul %y, %w : tensor<?x64xf32, ["n"]>, tensor<64x48xf32> -> tensor<?x48xf32, ["n"]>
  func.return %1, %2 : tensor<4x48xf32>, tensor<?x48xf32, ["n"]>
}

// A scale of steps is no factor by itself, and stays as it is.
//
// CHECK-LABEL: func.func @scales
// CHECK-DAG:     graph.weight "{{.*}}" : tensor<2x1x48xi32>
// CHECK-DAG:     graph.weight "{{.*}}" : tensor<2x1x1x48xf32>
// CHECK-NOT:     bf16
// CHECK:         return
func.func @scales(%x : tensor<7x16xf32>) -> tensor<7x48xf32> {
  %w = graph.constant dense<3> : tensor<2x1x48xi32>
  %s = graph.constant dense<0.5> : tensor<2x1x1x48xf32>
  %1 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<2x1x48xi32>, tensor<2x1x1x48xf32> -> tensor<2x1x8x48xf32>
  %2 = graph.block_matmul %x, %1 : tensor<7x16xf32>, tensor<2x1x8x48xf32> -> tensor<7x48xf32>
  func.return %2 : tensor<7x48xf32>
}
