// RUN: sr-opt %s --split-input-file -p 'split-batch{bytes=0}' | filecheck %s
// RUN: sr-opt %s --split-input-file -p split-batch | filecheck %s --check-prefix=SMALL

// Two convolutions run for one row, then for the next; what reads it by columns stays
// outside. A weight is read inside. The loop ends after the kernel of the last one.
//
// SMALL-NOT: graph.loop
//
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[Y:.*]] = graph.loop %x {trips = "n", carried = 0 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0, 0>} : tensor<?x4x8x8xf32, ["n"]> -> tensor<?x4x8x8xf32, ["n"]> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: tensor<4x8x8xf32>):
// CHECK-NEXT:      %[[ROW:.*]] = graph.reshape %[[A]] {shape = ["1", "4", "8", "8"]}
// CHECK-NEXT:      %[[W:.*]] = graph.constant
// CHECK-NEXT:      graph.conv %[[ROW]], %[[W]]
// CHECK-NEXT:      graph.conv %{{.*}}, %[[W]]
// CHECK-NEXT:      %[[LAST:.*]] = graph.relu %{{.*}} : tensor<1x4x8x8xf32>
// CHECK-NEXT:      %[[B:.*]] = graph.reshape %[[LAST]] {shape = ["4", "8", "8"]}
// CHECK-NEXT:      graph.yield %[[B]]
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.sum %[[Y]] {axes = array<i64: 0>
func.func @chain(%x : tensor<?x4x8x8xf32, ["n"]>) -> tensor<4x8x8xf32> {
  %w = graph.constant dense<0.5> : tensor<4x4x1x1xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<?x4x8x8xf32, ["n"]>, tensor<4x4x1x1xf32> -> tensor<?x4x8x8xf32, ["n"]>
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<?x4x8x8xf32, ["n"]>, tensor<4x4x1x1xf32> -> tensor<?x4x8x8xf32, ["n"]>
  %3 = graph.relu %2 : tensor<?x4x8x8xf32, ["n"]> -> tensor<?x4x8x8xf32, ["n"]>
  %4 = graph.sum %3 {axes = array<i64: 0>, keepdims = false} : tensor<?x4x8x8xf32, ["n"]> -> tensor<4x8x8xf32>
  return %4 : tensor<4x8x8xf32>
}

// -----

// So it is with a known batch; shapes have one row, and what has none is seen whole.
// What is read after the loop, too, is stacked.
//
// CHECK-LABEL: func.func @known
// CHECK-NEXT:    %[[S:.*]] = graph.exp %s
// CHECK-NEXT:    %[[Y:.*]], %[[Z:.*]] = graph.loop %x, %[[S]] {trips = "5"
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: tensor<12xf32>, %[[I:.*]]: tensor<4xf32>):
// CHECK:           graph.reshape %{{.*}} {shape = ["1", "12"]}
// CHECK:           graph.reshape %{{.*}} {shape = ["1", "3", "4"]} : tensor<1x12xf32> -> tensor<1x3x4xf32>
// CHECK-NEXT:      graph.mul %{{.*}}, %[[I]]
// CHECK-NEXT:      graph.matmul
// CHECK-NEXT:      graph.sum
// CHECK-NEXT:      graph.sub
// CHECK:           graph.yield %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x4xf32>
// CHECK:         %[[SUM:.*]] = graph.cumsum %[[Y]]
// CHECK-NEXT:    graph.add %[[SUM]], %[[Z]]
func.func @known(%x : tensor<5x12xf32>, %s : tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = graph.reshape %x {shape = ["5", "3", "4"]} : tensor<5x12xf32> -> tensor<5x3x4xf32>
  %1 = graph.exp %s : tensor<4xf32> -> tensor<4xf32>
  %m = graph.mul %0, %1 : tensor<5x3x4xf32>, tensor<4xf32> -> tensor<5x3x4xf32>
  %w = graph.constant dense<0.5> : tensor<4x4xf32>
  %2 = graph.matmul %m, %w : tensor<5x3x4xf32>, tensor<4x4xf32> -> tensor<5x3x4xf32>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = true} : tensor<5x3x4xf32> -> tensor<5x1x4xf32>
  %4 = graph.sub %2, %3 : tensor<5x3x4xf32>, tensor<5x1x4xf32> -> tensor<5x3x4xf32>
  %5 = graph.add %2, %4 : tensor<5x3x4xf32>, tensor<5x3x4xf32> -> tensor<5x3x4xf32>
  %6 = graph.cumsum %2 {axis = 0 : i64, exclusive = false, reverse = false} : tensor<5x3x4xf32> -> tensor<5x3x4xf32>
  %7 = graph.add %6, %5 : tensor<5x3x4xf32>, tensor<5x3x4xf32> -> tensor<5x3x4xf32>
  %8 = graph.sum %7 {axes = array<i64: 0>, keepdims = false} : tensor<5x3x4xf32> -> tensor<3x4xf32>
  return %8 : tensor<3x4xf32>
}

// -----

// Of one row there is nothing to split, and rows that are in reverse are not rows.
//
// CHECK-LABEL: func.func @one
// CHECK-NOT:     graph.loop
// CHECK-LABEL: func.func @reversed
// CHECK-NOT:     graph.loop
func.func @one(%x : tensor<1x64xf32>) -> tensor<1x64xf32> {
  %1 = graph.softmax %x {axis = 1 : i64} : tensor<1x64xf32> -> tensor<1x64xf32>
  %2 = graph.softmax %1 {axis = 1 : i64} : tensor<1x64xf32> -> tensor<1x64xf32>
  return %2 : tensor<1x64xf32>
}

func.func @reversed(%x : tensor<?x64xf32, ["n"]>) -> tensor<?x64xf32, ["n"]> {
  %1 = graph.slice %x {starts = ["n - 1", "0"], sizes = ["n", "64"], steps = array<i64: -1, 1>} : tensor<?x64xf32, ["n"]> -> tensor<?x64xf32, ["n"]>
  %2 = graph.sum %1 {axes = array<i64: 1>, keepdims = true} : tensor<?x64xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
  %3 = graph.sub %1, %2 : tensor<?x64xf32, ["n"]>, tensor<?x1xf32, ["n"]> -> tensor<?x64xf32, ["n"]>
  return %3 : tensor<?x64xf32, ["n"]>
}

// -----

// A cache that grows is an output: it is appended to in place, and not stacked.
//
// CHECK-LABEL: func.func @cache
// CHECK-NOT:     graph.loop
func.func @cache(%c : tensor<?x8x64xf32, ["n"]>, %x : tensor<?x1x64xf32, ["n"]>) -> (tensor<?x9x64xf32, ["n"]>, tensor<?x9x1xf32, ["n"]>) {
  %1 = graph.concat %c, %x {axis = 1 : i64} : tensor<?x8x64xf32, ["n"]>, tensor<?x1x64xf32, ["n"]> -> tensor<?x9x64xf32, ["n"]>
  %2 = graph.sum %1 {axes = array<i64: 2>, keepdims = true} : tensor<?x9x64xf32, ["n"]> -> tensor<?x9x1xf32, ["n"]>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = true} : tensor<?x9x1xf32, ["n"]> -> tensor<?x1x1xf32, ["n"]>
  %4 = graph.sub %2, %3 : tensor<?x9x1xf32, ["n"]>, tensor<?x1x1xf32, ["n"]> -> tensor<?x9x1xf32, ["n"]>
  return %1, %4 : tensor<?x9x64xf32, ["n"]>, tensor<?x9x1xf32, ["n"]>
}
