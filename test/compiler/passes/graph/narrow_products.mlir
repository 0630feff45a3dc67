// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=cooperlake},narrow-weights,narrow-products' | filecheck %s
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},narrow-weights,narrow-products' | filecheck %s --check-prefix=NONE
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=cooperlake},narrow-products,pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=DOTS
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=sapphirerapids},narrow-products,pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=MATRICES
// RUN: not sr-opt %s -p narrow-products 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// Without instructions nothing is rounded.
//
// NONE-NOT: bf16

// Both factors are rounded inside of the kernel, which packs both in words.
//
// CHECK-LABEL: func.func @scores
// CHECK-NEXT:    graph.fusion %q, %k : tensor<3x40x32xf32>, tensor<3x32x40xf32> -> tensor<3x40x40xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: tensor<3x40x32xf32>, %[[B:.*]]: tensor<3x32x40xf32>):
// CHECK-NEXT:      %[[LEFT:.*]] = graph.cast %[[A]] {to = bf16} : tensor<3x40x32xf32> -> tensor<3x40x32xbf16>
// CHECK-NEXT:      %[[A2:.*]] = graph.cast %[[LEFT]] {to = f32}
// CHECK-NEXT:      %[[RIGHT:.*]] = graph.cast %[[B]] {to = bf16} : tensor<3x32x40xf32> -> tensor<3x32x40xbf16>
// CHECK-NEXT:      %[[B2:.*]] = graph.cast %[[RIGHT]] {to = f32}
// CHECK-NEXT:      graph.matmul %[[A2]], %[[B2]] : tensor<3x40x32xf32>, tensor<3x32x40xf32> -> tensor<3x40x40xf32>
// CHECK-NEXT:      graph.yield
// DOTS:          #loop.strategy<gemm, nr = 32, vnni = 2
// DOTS:          loop.tile %{{.*}} as #loop.schedule<nr = 32, mc = {{.*}}, pack = "a and b">
// MATRICES:      #loop.strategy<gemm, nr = 16, vnni = 2, kc = 512>
// MATRICES:      loop.tile %{{.*}} by 32, 32, 16 as #loop.schedule<nr = 16, mc = 64, nc = 48, kc = 32 of 0, pack = "a and b", pad = 32>
func.func @scores(%q: tensor<3x40x32xf32>, %k: tensor<3x32x40xf32>) -> tensor<3x40x40xf32> {
  %1 = graph.matmul %q, %k : tensor<3x40x32xf32>, tensor<3x32x40xf32> -> tensor<3x40x40xf32>
  func.return %1 : tensor<3x40x40xf32>
}

// Open sizes are computed as known ones are, and what follows a product stays as it is.
//
// CHECK-LABEL: func.func @open
// CHECK:           graph.cast
// CHECK-NEXT:      graph.cast
// CHECK-NEXT:      graph.cast
// CHECK-NEXT:      graph.cast
// CHECK-NEXT:      graph.matmul
// CHECK-NEXT:      graph.relu
// DOTS:          #loop.strategy<gemm, nr = 32, vnni = 2
// MATRICES:      #loop.strategy<gemm, nr = 16, vnni = 2, kc = 512>
// MATRICES:      kc = 512 of 0, pack = "a and b", pad = 32>
func.func @open(%x: tensor<?x?xf32, ["m", "k"]>, %y: tensor<?x?xf32, ["k", "n"]>) -> tensor<?x?xf32, ["m", "n"]> {
  %1 = graph.matmul %x, %y : tensor<?x?xf32, ["m", "k"]>, tensor<?x?xf32, ["k", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  %2 = graph.relu %1 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  func.return %2 : tensor<?x?xf32, ["m", "n"]>
}

// A loop has the products of its body.
//
// CHECK-LABEL: func.func @inside
// CHECK:         graph.loop
// CHECK:           graph.fusion
// CHECK-COUNT-4:     graph.cast
// CHECK:             graph.matmul
func.func @inside(%x: tensor<4x8x16xf32>, %y: tensor<16x5xf32>) -> tensor<4x8x5xf32> {
  %1 = graph.loop %x, %y {trips = "4", scanned = 1 : i64, carried = 0 : i64} : tensor<4x8x16xf32>, tensor<16x5xf32> -> tensor<4x8x5xf32> {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x5xf32>):
    %2 = graph.matmul %a, %b : tensor<8x16xf32>, tensor<16x5xf32> -> tensor<8x5xf32>
    graph.yield %2 : tensor<8x5xf32>
  }
  func.return %1 : tensor<4x8x5xf32>
}

// A product with a vector reads each element once.
//
// CHECK-LABEL: func.func @vector
// CHECK-NEXT:    graph.matmul
func.func @vector(%x: tensor<1x64xf32>, %y: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %1 = graph.matmul %x, %y : tensor<1x64xf32>, tensor<64x64xf32> -> tensor<1x64xf32>
  func.return %1 : tensor<1x64xf32>
}

// Weights are no activations, on the left either, and f64 stays.
//
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    %[[W:.*]] = graph.weight
// CHECK-NEXT:    graph.matmul %[[W]], %x
// CHECK-NEXT:    graph.matmul %y, %y
func.func @others(%x: tensor<8x7xf32>, %y: tensor<6x6xf64>) -> (tensor<5x7xf32>, tensor<6x6xf64>) {
  %w = graph.constant dense<2.0> : tensor<5x8xf32>
  %1 = graph.matmul %w, %x : tensor<5x8xf32>, tensor<8x7xf32> -> tensor<5x7xf32>
  %2 = graph.matmul %y, %y : tensor<6x6xf64>, tensor<6x6xf64> -> tensor<6x6xf64>
  func.return %1, %2 : tensor<5x7xf32>, tensor<6x6xf64>
}
