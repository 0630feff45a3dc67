// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s

// Channels last and the weights in panels: a window is read where it lies in the image,
// by six places at a time.
//
// CHECK-LABEL: loop.kernel @conv_0
// CHECK-SAME:      {strategies = [#loop.strategy<direct, nr = {{.*}}>]}
// CHECK:         to 400, {{.*}} to 64, reduce {{.*}} to 3, reduce {{.*}} to 192 {{.*}} by 6, 16, 8 as #loop.schedule<nr = 16, mc = 48, nc = 64, kc = 3 of 0> k_loop
func.func @direct(%x: tensor<1x22x22x64xf32>) -> tensor<1x20x20x64xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x64x64xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x22x22x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x20x20x64xf32>
  func.return %1 : tensor<1x20x20x64xf32>
}

// Places a multiple of 4096 bytes apart fall into few sets of the cache, and many filters
// read them: windows are copied side by side, a block at a time.
//
// CHECK-LABEL: loop.kernel @conv_1
// CHECK-SAME:      {strategies = [#loop.strategy<im2row, nr = {{.*}}>]}
// CHECK:         as #loop.schedule<nr = 16, mc = 30, nc = 256, kc = 1024 of 0, pack = "a"> k_loop
func.func @im2row(%x: tensor<1x20x20x1024xf32>) -> tensor<1x20x20x256xf32> {
  %w = graph.constant dense<0.5> : tensor<1x1x1024x256xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x20x20x1024xf32>, tensor<1x1x1024x256xf32> -> tensor<1x20x20x256xf32>
  func.return %1 : tensor<1x20x20x256xf32>
}

// Channels first: the columns are a row of the image, which is copied into panels.
//
// CHECK-LABEL: loop.kernel @conv_2
// CHECK-SAME:      {strategies = [#loop.strategy<gemm, nr = {{.*}}>]}
// CHECK:         pack = "b
func.func @gemm(%x: tensor<1x64x22x22xf32>) -> tensor<1x64x20x20xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x22x22xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x20x20xf32>
  func.return %1 : tensor<1x64x20x20xf32>
}

// A filter for each channel: image and weights both lie along the channels, and nothing
// is shared by them but registers for accumulators.
//
// CHECK-LABEL: loop.kernel @conv_3
// CHECK-SAME:      {strategies = [#loop.strategy<depthwise>]}
// CHECK:         loop.tile {{.*}} by 6, 16, 8 k_loop
func.func @depthwise(%x: tensor<1x22x22x64xf32>) -> tensor<1x20x20x64xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x1x64xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 64 : i64, channels_last} : tensor<1x22x22x64xf32>, tensor<3x3x1x64xf32> -> tensor<1x20x20x64xf32>
  func.return %1 : tensor<1x20x20x64xf32>
}

// Where all channels fit a tile, registers hold what three rows of half of them share.
//
// CHECK-LABEL: loop.kernel @conv_4
// CHECK:         loop.tile {{.*}} by 3, 16, 8 slides k_loop
func.func @whole_lines(%x: tensor<1x22x22x32xf32>) -> tensor<1x20x20x32xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x1x32xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 32 : i64, channels_last} : tensor<1x22x22x32xf32>, tensor<3x3x1x32xf32> -> tensor<1x20x20x32xf32>
  func.return %1 : tensor<1x20x20x32xf32>
}

// A single row of a product goes by the lines of the other operand as they lie.
//
// CHECK-LABEL: loop.kernel @matmul_5
// CHECK-SAME:      {strategies = [#loop.strategy<gemv>]}
func.func @gemv(%x: tensor<1x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1x1024xf32> {
  %1 = graph.matmul %x, %w : tensor<1x1024xf32>, tensor<1024x1024xf32> -> tensor<1x1024xf32>
  func.return %1 : tensor<1x1024xf32>
}

// So little is computed that nothing pays.
//
// CHECK-LABEL: loop.kernel @matmul_6
// CHECK-SAME:      {strategies = [#loop.strategy<plain>]}
// CHECK:         loop.tile {{.*}} by {{.*}}, 8, 8 k_loop
func.func @plain(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %1 = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  func.return %1 : tensor<8x8xf32>
}

// A kernel without contractions says nothing.
//
// CHECK-LABEL: loop.kernel @relu_7
// CHECK-NOT:     strategies
func.func @none(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %1 = graph.relu %x : tensor<8x8xf32> -> tensor<8x8xf32>
  func.return %1 : tensor<8x8xf32>
}

// Weights of f16 are widened in the k-loop for some rows: LLVM begins with the next row of
// them early, so a row of accumulators makes room for it. Those of bf16 are shifted.
//
// CHECK-LABEL: loop.kernel @matmul_8
// CHECK:         to 48, {{.*}} to 64, reduce {{.*}} by 5, 16, 8 as
func.func @widens(%x: tensor<48x96xf16>) -> tensor<48x64xf16> {
  %w = graph.constant dense<0.5> : tensor<96x64xf16>
  %0 = graph.matmul %x, %w : tensor<48x96xf16>, tensor<96x64xf16> -> tensor<48x64xf16>
  func.return %0 : tensor<48x64xf16>
}

// CHECK-LABEL: loop.kernel @matmul_9
// CHECK:         to 48, {{.*}} to 64, reduce {{.*}} by 6, 16, 8 as
func.func @shifts(%x: tensor<48x96xbf16>) -> tensor<48x64xbf16> {
  %w = graph.constant dense<0.5> : tensor<96x64xbf16>
  %0 = graph.matmul %x, %w : tensor<48x96xbf16>, tensor<96x64xbf16> -> tensor<48x64xbf16>
  func.return %0 : tensor<48x64xbf16>
}
