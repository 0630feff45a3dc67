// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=sapphirerapids},narrow-weights,narrow-activations' | filecheck %s
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},narrow-weights,narrow-activations' | filecheck %s --check-prefix=NONE
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=sapphirerapids exact=true},narrow-weights,narrow-activations' | filecheck %s --check-prefix=NONE

// What two products round is rounded once, by the op that makes it.
//
// NONE-LABEL: func.func @rounded_by_all
// NONE:         graph.relu %x : tensor<5x32xf32> -> tensor<5x32xf32>
// NONE-NOT:     to = bf16
// CHECK-LABEL: func.func @rounded_by_all
// CHECK:         %[[X:.*]] = graph.fusion %x : tensor<5x32xf32> -> tensor<5x32xbf16> {
// CHECK:           %[[R:.*]] = graph.relu
// CHECK-NEXT:      %[[N:.*]] = graph.cast %[[R]] {to = bf16}
// CHECK-NEXT:      graph.yield %[[N]]
// CHECK:         graph.fusion %[[X]], %{{.*}} : tensor<5x32xbf16>, tensor<32x16xbf16> -> tensor<5x16xf32> {
// CHECK-NOT:       to = bf16
// CHECK:         graph.fusion %[[X]], %{{.*}} : tensor<5x32xbf16>, tensor<32x48xbf16> -> tensor<5x48xf32> {
// CHECK-NOT:       to = bf16
func.func @rounded_by_all(%x: tensor<5x32xf32>) -> (tensor<5x16xf32>, tensor<5x48xf32>) {
  %v = graph.constant dense<2.0> : tensor<32x16xf32>
  %w = graph.constant dense<3.0> : tensor<32x48xf32>
  %1 = graph.relu %x : tensor<5x32xf32> -> tensor<5x32xf32>
  %2 = graph.matmul %1, %v : tensor<5x32xf32>, tensor<32x16xf32> -> tensor<5x16xf32>
  %3 = graph.matmul %1, %w : tensor<5x32xf32>, tensor<32x48xf32> -> tensor<5x48xf32>
  func.return %2, %3 : tensor<5x16xf32>, tensor<5x48xf32>
}

// Rounding goes before what moves elements, and through what chooses the largest.
//
// CHECK-LABEL: func.func @chosen
// CHECK:         graph.exp
// CHECK-NEXT:    graph.cast %{{.*}} {to = bf16} : tensor<1x8x8x32xf32> -> tensor<1x8x8x32xbf16>
// CHECK-NEXT:    graph.yield
// CHECK:         graph.max_pool
// CHECK:         %[[N:.*]] = graph.cast %{{.*}} {to = bf16} : tensor<1x4x4x32xf32> -> tensor<1x4x4x32xbf16>
// CHECK:         graph.reshape %{{.*}} : tensor<1x4x4x32xbf16> -> tensor<16x32xbf16>
// CHECK:         graph.fusion %{{.*}} : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32> {
func.func @chosen(%x: tensor<1x8x8x32xf32>) -> tensor<16x16xf32> {
  %w = graph.constant dense<2.0> : tensor<32x16xf32>
  %1 = graph.exp %x : tensor<1x8x8x32xf32> -> tensor<1x8x8x32xf32>
  %2 = graph.max_pool %1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, channels_last} : tensor<1x8x8x32xf32> -> tensor<1x4x4x32xf32>
  %3 = graph.reshape %2 {shape = ["16", "32"]} : tensor<1x4x4x32xf32> -> tensor<16x32xf32>
  %4 = graph.matmul %3, %w : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  func.return %4 : tensor<16x16xf32>
}

// What contractions make and read, one as a factor and one in its epilogue, is bf16. What an exponential
// reads stays f32, and so does a result.
//
// CHECK-LABEL: func.func @residual
// CHECK:         %[[A:.*]] = graph.fusion %x, %{{.*}} : tensor<5x32xf32>, tensor<32x32xbf16> -> tensor<5x32xbf16> {
// CHECK:         graph.fusion %[[A]], %{{.*}} -> tensor<5x32xf32> {
// CHECK:           graph.add %{{.*}}, %{{.*}} : tensor<5x32xf32>, tensor<5x32xf32> -> tensor<5x32xf32>
// CHECK:         graph.exp %{{.*}} : tensor<5x32xf32> -> tensor<5x32xf32>
func.func @residual(%x: tensor<5x32xf32>) -> tensor<5x32xf32> {
  %v = graph.constant dense<2.0> : tensor<32x32xf32>
  %w = graph.constant dense<3.0> : tensor<32x32xf32>
  %1 = graph.matmul %x, %v : tensor<5x32xf32>, tensor<32x32xf32> -> tensor<5x32xf32>
  %2 = graph.matmul %1, %w : tensor<5x32xf32>, tensor<32x32xf32> -> tensor<5x32xf32>
  %3 = graph.add %2, %1 : tensor<5x32xf32>, tensor<5x32xf32> -> tensor<5x32xf32>
  %4 = graph.exp %3 : tensor<5x32xf32> -> tensor<5x32xf32>
  func.return %4 : tensor<5x32xf32>
}

// Sums of many k are stored between blocks of k, in f32.
//
// CHECK-LABEL: func.func @long
// CHECK:         graph.fusion %{{.*}} -> tensor<5x32xf32> {
// CHECK:         graph.fusion %{{.*}} -> tensor<5x16xf32> {
func.func @long(%x: tensor<5x2000xf32>) -> tensor<5x16xf32> {
  %v = graph.constant dense<2.0> : tensor<2000x32xf32>
  %w = graph.constant dense<3.0> : tensor<32x16xf32>
  %1 = graph.matmul %x, %v : tensor<5x2000xf32>, tensor<2000x32xf32> -> tensor<5x32xf32>
  %2 = graph.matmul %1, %w : tensor<5x32xf32>, tensor<32x16xf32> -> tensor<5x16xf32>
  func.return %2 : tensor<5x16xf32>
}

// So is what the trips of a loop stack, where only products read the stack; what else is
// read of it stays f32.
//
// CHECK-LABEL: func.func @stacked
// CHECK:         %[[Y:.*]], %[[Z:.*]] = graph.loop %x {{.*}} -> tensor<7x5x32xbf16>, tensor<7x5x32xf32> {
// CHECK:           %[[R:.*]] = graph.relu
// CHECK-NEXT:      %[[N:.*]] = graph.cast %[[R]] {to = bf16}
// CHECK-NEXT:      graph.yield %[[N]]
// CHECK:           graph.yield %{{.*}}, %{{.*}} : tensor<5x32xbf16>, tensor<5x32xf32>
// CHECK:         graph.reshape %[[Y]] {shape = ["35", "32"]} : tensor<7x5x32xbf16> -> tensor<35x32xbf16>
// CHECK:         graph.fusion %{{.*}} : tensor<35x32xbf16>, tensor<32x16xbf16> -> tensor<35x16xf32> {
// CHECK-NOT:       to = bf16
// CHECK:         return
func.func @stacked(%x: tensor<7x5x32xf32>) -> (tensor<35x16xf32>, tensor<7x5x32xf32>) {
  %w = graph.constant dense<2.0> : tensor<32x16xf32>
  %0:2 = graph.loop %x {trips = "7", carried = 0 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0, 0, 0>} : tensor<7x5x32xf32> -> tensor<7x5x32xf32>, tensor<7x5x32xf32> {
  ^bb0(%a: tensor<5x32xf32>):
    %b = graph.relu %a : tensor<5x32xf32> -> tensor<5x32xf32>
    %c = graph.exp %a : tensor<5x32xf32> -> tensor<5x32xf32>
    graph.yield %b, %c : tensor<5x32xf32>, tensor<5x32xf32>
  }
  %1 = graph.reshape %0#0 {shape = ["35", "32"]} : tensor<7x5x32xf32> -> tensor<35x32xf32>
  %2 = graph.matmul %1, %w : tensor<35x32xf32>, tensor<32x16xf32> -> tensor<35x16xf32>
  func.return %2, %0#1 : tensor<35x16xf32>, tensor<7x5x32xf32>
}
