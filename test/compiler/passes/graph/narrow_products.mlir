// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=cooperlake},narrow-weights,narrow-products' | filecheck %s
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=x86-64-v3},narrow-weights,narrow-products' | filecheck %s --check-prefix=NONE
// RUN: sr-opt %s -p 'fuse,outline-constants,set-target{cpu=sapphirerapids},narrow-products,pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=MATRICES
// RUN: not sr-opt %s -p narrow-products 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// Both factors are rounded; without instructions for bf16 none is. The kernel packs both, as words.
//
// NONE-LABEL:  func.func @scores
// NONE-NEXT:     graph.matmul %q, %k
// CHECK-LABEL: func.func @scores
// CHECK:         graph.fusion %q, %k : tensor<2x64x32xf32>, tensor<2x32x48xf32> -> tensor<2x64x48xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: tensor<2x64x32xf32>, %[[B:.*]]: tensor<2x32x48xf32>):
// CHECK-NEXT:      %[[C:.*]] = graph.cast %[[A]] {to = bf16}
// CHECK-NEXT:      %[[D:.*]] = graph.cast %[[C]] {to = f32}
// CHECK-NEXT:      %[[E:.*]] = graph.cast %[[B]] {to = bf16}
// CHECK-NEXT:      %[[F:.*]] = graph.cast %[[E]] {to = f32}
// CHECK-NEXT:      graph.matmul %[[D]], %[[F]]
// MATRICES:      loop.kernel @{{.*}}matmul{{.*}} {strategies = [#loop.strategy<gemm, nr = 16, vnni = 2, kc = 512>]}
// MATRICES:        loop.tile {{.*}} pack = "a and b"
func.func @scores(%q: tensor<2x64x32xf32>, %k: tensor<2x32x48xf32>) -> tensor<2x64x48xf32> {
  %1 = graph.matmul %q, %k : tensor<2x64x32xf32>, tensor<2x32x48xf32> -> tensor<2x64x48xf32>
  func.return %1 : tensor<2x64x48xf32>
}

// A product with a vector reads each element once, and stays f32. So does one with weights that
// `narrow-weights` left, and one of f64.
//
// CHECK-LABEL: func.func @vector
// CHECK-NEXT:    graph.matmul %x, %y
func.func @vector(%x: tensor<5x32xf32>, %y: tensor<32x1xf32>) -> tensor<5x1xf32> {
  %1 = graph.matmul %x, %y : tensor<5x32xf32>, tensor<32x1xf32> -> tensor<5x1xf32>
  func.return %1 : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @weights_on_the_left
// CHECK-NOT:     to = bf16
func.func @weights_on_the_left(%x: tensor<32x6xf32>) -> tensor<5x6xf32> {
  %w = graph.constant dense<2.0> : tensor<5x32xf32>
  %1 = graph.matmul %w, %x : tensor<5x32xf32>, tensor<32x6xf32> -> tensor<5x6xf32>
  func.return %1 : tensor<5x6xf32>
}

// CHECK-LABEL: func.func @f64
// CHECK-NEXT:    graph.matmul %x, %y
func.func @f64(%x: tensor<5x32xf64>, %y: tensor<32x7xf64>) -> tensor<5x7xf64> {
  %1 = graph.matmul %x, %y : tensor<5x32xf64>, tensor<32x7xf64> -> tensor<5x7xf64>
  func.return %1 : tensor<5x7xf64>
}
