// RUN: sr-opt %s -p form-rearrangements | filecheck %s

// Rows of two parts with the parts put together: the axes of the grid are those of the result, in order.
//
// CHECK-LABEL: func.func @interleaved
// CHECK-NEXT:    %0 = graph.rearrange %x {sizes = ["9", "2", "7", "5"], reads = [array<i64: 0>, array<i64: 2, 1, 3>], writes = [array<i64: 0, 1>, array<i64: 2, 3>]} : tensor<9x70xf32> -> tensor<18x35xf32>
// CHECK-NEXT:    return %0
func.func @interleaved(%x: tensor<9x70xf32>) -> tensor<18x35xf32> {
  %1 = graph.reshape %x {shape = ["9", "7", "2", "5"]} : tensor<9x70xf32> -> tensor<9x7x2x5xf32>
  %2 = graph.permute %1 {order = array<i64: 0, 2, 1, 3>} : tensor<9x7x2x5xf32> -> tensor<9x2x7x5xf32>
  %3 = graph.reshape %2 {shape = ["18", "35"]} : tensor<9x2x7x5xf32> -> tensor<18x35xf32>
  return %3 : tensor<18x35xf32>
}

// Indices that repeat each element, and an expansion, are axes that the input does not have.
//
// CHECK-LABEL: func.func @repeated
// CHECK:         graph.rearrange %x {sizes = ["2", "3", "5", "2"], reads = [array<i64: 0>, array<i64: 2>], writes = [array<i64: 0, 1>, array<i64: 2, 3>]} : tensor<2x5xf32> -> tensor<6x10xf32>
func.func @repeated(%x: tensor<2x5xf32>) -> tensor<6x10xf32> {
  %i = graph.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]> : tensor<10xi64>
  %1 = graph.index_select %x, %i {axis = 1 : i64, wraps = false} : tensor<2x5xf32>, tensor<10xi64> -> tensor<2x10xf32>
  %2 = graph.reshape %1 {shape = ["2", "1", "10"]} : tensor<2x10xf32> -> tensor<2x1x10xf32>
  %3 = graph.expand %2 {shape = ["2", "3", "10"]} : tensor<2x1x10xf32> -> tensor<2x3x10xf32>
  %4 = graph.reshape %3 {shape = ["6", "10"]} : tensor<2x3x10xf32> -> tensor<6x10xf32>
  return %4 : tensor<6x10xf32>
}

// Sizes may be symbols, where axes stay whole.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.rearrange %x {sizes = ["h", "2", "w", "3"], reads = [array<i64: 0>, array<i64: 2>, array<i64: 1, 3>], writes = [array<i64: 0, 1>, array<i64: 2>, array<i64: 3>]}
func.func @symbols(%x: tensor<?x?x6xf32, ["h", "w"]>) -> tensor<?x?x3xf32, ["2 * h", "w"]> {
  %1 = graph.reshape %x {shape = ["h", "w", "2", "3"]} : tensor<?x?x6xf32, ["h", "w"]> -> tensor<?x?x2x3xf32, ["h", "w"]>
  %2 = graph.permute %1 {order = array<i64: 0, 2, 1, 3>} : tensor<?x?x2x3xf32, ["h", "w"]> -> tensor<?x2x?x3xf32, ["h", "w"]>
  %3 = graph.reshape %2 {shape = ["2 * h", "w", "3"]} : tensor<?x2x?x3xf32, ["h", "w"]> -> tensor<?x?x3xf32, ["2 * h", "w"]>
  return %3 : tensor<?x?x3xf32, ["2 * h", "w"]>
}

// A product stores lines of its columns, which are moved apart after it.
//
// CHECK-LABEL: func.func @product
// CHECK:         %[[P:.*]] = graph.matmul
// CHECK-NEXT:    %[[L:.*]] = graph.rearrange %[[P]] {sizes = ["2", "4", "32"], reads = [array<i64: 1>, array<i64: 0, 2>], writes = [array<i64: 0, 1>, array<i64: 2>]} : tensor<4x64xf32> -> tensor<8x32xf32>
// CHECK-NEXT:    graph.permute %[[L]] {order = array<i64: 1, 0>} : tensor<8x32xf32> -> tensor<32x8xf32>
func.func @product(%x: tensor<4x16xf32>, %w: tensor<16x64xf32>) -> tensor<32x8xf32> {
  %1 = graph.matmul %x, %w : tensor<4x16xf32>, tensor<16x64xf32> -> tensor<4x64xf32>
  %2 = graph.reshape %1 {shape = ["4", "2", "32"]} : tensor<4x64xf32> -> tensor<4x2x32xf32>
  %3 = graph.permute %2 {order = array<i64: 2, 1, 0>} : tensor<4x2x32xf32> -> tensor<32x2x4xf32>
  %4 = graph.reshape %3 {shape = ["32", "8"]} : tensor<32x2x4xf32> -> tensor<32x8xf32>
  return %4 : tensor<32x8xf32>
}

// Views stay views, and so do permutations of whole axes between them, and those that split axes only.
//
// CHECK-LABEL: func.func @views
// CHECK-NOT:     graph.rearrange
// CHECK:         return
func.func @views(%x: tensor<6x5x4xf32>) -> (tensor<30x4xf32>, tensor<4x30xf32>, tensor<2x4x3x5xf32>) {
  %1 = graph.reshape %x {shape = ["6", "20"]} : tensor<6x5x4xf32> -> tensor<6x20xf32>
  %2 = graph.reshape %1 {shape = ["30", "4"]} : tensor<6x20xf32> -> tensor<30x4xf32>
  %3 = graph.permute %x {order = array<i64: 2, 0, 1>} : tensor<6x5x4xf32> -> tensor<4x6x5xf32>
  %4 = graph.reshape %3 {shape = ["4", "30"]} : tensor<4x6x5xf32> -> tensor<4x30xf32>
  %5 = graph.reshape %x {shape = ["2", "3", "5", "4"]} : tensor<6x5x4xf32> -> tensor<2x3x5x4xf32>
  %6 = graph.permute %5 {order = array<i64: 0, 3, 1, 2>} : tensor<2x3x5x4xf32> -> tensor<2x4x3x5xf32>
  return %2, %4, %6 : tensor<30x4xf32>, tensor<4x30xf32>, tensor<2x4x3x5xf32>
}

// What others read too is there, and what indices select in another order is no axis.
//
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     graph.rearrange
// CHECK:         return
func.func @kept(%x: tensor<4x6xf32>) -> (tensor<2x12xf32>, tensor<2x4x3xf32>, tensor<4x6xf32>) {
  %1 = graph.reshape %x {shape = ["4", "2", "3"]} : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0, 2>} : tensor<4x2x3xf32> -> tensor<2x4x3xf32>
  %3 = graph.reshape %2 {shape = ["2", "12"]} : tensor<2x4x3xf32> -> tensor<2x12xf32>
  %i = graph.constant dense<[0, 1, 1, 2, 2, 5]> : tensor<6xi64>
  %4 = graph.index_select %x, %i {axis = 1 : i64, wraps = false} : tensor<4x6xf32>, tensor<6xi64> -> tensor<4x6xf32>
  return %3, %2, %4 : tensor<2x12xf32>, tensor<2x4x3xf32>, tensor<4x6xf32>
}

// Nothing is said of tensors without elements.
//
// CHECK-LABEL: func.func @empty
// CHECK-NOT:     graph.rearrange
// CHECK:         return
func.func @empty(%x: tensor<0x6xf32>) -> tensor<0x12xf32> {
  %1 = graph.reshape %x {shape = ["0", "2", "3"]} : tensor<0x6xf32> -> tensor<0x2x3xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0, 2>} : tensor<0x2x3xf32> -> tensor<2x0x3xf32>
  %3 = graph.reshape %2 {shape = ["0", "12"]} : tensor<2x0x3xf32> -> tensor<0x12xf32>
  return %3 : tensor<0x12xf32>
}

// A fusion is one kernel as it is.
//
// CHECK-LABEL: func.func @fused
// CHECK-NOT:     graph.rearrange
// CHECK:         return
func.func @fused(%x: tensor<1x6xf32>) -> tensor<6xf32> {
  %0 = graph.fusion %x : tensor<1x6xf32> -> tensor<6xf32> {
  ^bb0(%a: tensor<1x6xf32>):
    %i = graph.constant dense<0> : tensor<4xi64>
    %1 = graph.index_select %a, %i {axis = 0 : i64, wraps = false} : tensor<1x6xf32>, tensor<4xi64> -> tensor<4x6xf32>
    %j = graph.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]> : tensor<12xi64>
    %2 = graph.index_select %1, %j {axis = 1 : i64, wraps = false} : tensor<4x6xf32>, tensor<12xi64> -> tensor<4x12xf32>
    %3 = graph.reduce_max %2 {axes = array<i64: 0, 1>, keepdims = false} : tensor<4x12xf32> -> tensor<f32>
    %4 = graph.expand %3 {shape = ["6"]} : tensor<f32> -> tensor<6xf32>
    graph.yield %4 : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// Indices that the run counts repeat each element as well; they are computed no more.
//
// CHECK-LABEL: func.func @repeated_open
// CHECK-NEXT:    graph.rearrange %x {sizes = ["n", "3"], reads = [array<i64: 0>], writes = [array<i64: 0, 1>]}
// CHECK-NEXT:    return
func.func @repeated_open(%x: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["3 * n"]> {
  %i = graph.iota {size = "3 * n"} : -> tensor<?xi64, ["3 * n"]>
  %3 = graph.constant dense<3> : tensor<i64>
  %j = graph.div %i, %3 : tensor<?xi64, ["3 * n"]>, tensor<i64> -> tensor<?xi64, ["3 * n"]>
  %1 = graph.index_select %x, %j {axis = 0 : i64, wraps = false} : tensor<?xf32, ["n"]>, tensor<?xi64, ["3 * n"]> -> tensor<?xf32, ["3 * n"]>
  return %1 : tensor<?xf32, ["3 * n"]>
}

// Others do not.
//
// CHECK-LABEL: func.func @not_repeated
// CHECK:         graph.index_select
func.func @not_repeated(%x: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["2 * n"]> {
  %i = graph.iota {size = "2 * n"} : -> tensor<?xi64, ["2 * n"]>
  %3 = graph.constant dense<3> : tensor<i64>
  %j = graph.div %i, %3 : tensor<?xi64, ["2 * n"]>, tensor<i64> -> tensor<?xi64, ["2 * n"]>
  %1 = graph.index_select %x, %j {axis = 0 : i64, wraps = false} : tensor<?xf32, ["n"]>, tensor<?xi64, ["2 * n"]> -> tensor<?xf32, ["2 * n"]>
  return %1 : tensor<?xf32, ["2 * n"]>
}
