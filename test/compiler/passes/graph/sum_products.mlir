// RUN: sr-opt %s --pass-pipeline=sum-products | filecheck %s

// A product with one constant column is a sum along each row.
//
// CHECK-LABEL: func.func @column
// CHECK:         %[[ROW:.*]] = graph.reshape %{{.*}} {shape = ["51"]} : tensor<51x1xf32> -> tensor<51xf32>
// CHECK-NEXT:    %[[TERMS:.*]] = graph.mul %x, %[[ROW]] : tensor<?x51xf32
// CHECK-NEXT:    graph.sum %[[TERMS]] {axes = array<i64: 1>, keepdims = true} : {{.*}} -> tensor<?x1xf32
// CHECK-NOT:     graph.matmul
func.func @column(%x : tensor<?x51xf32, ["n"]>) -> tensor<?x1xf32, ["n"]> {
  %w = graph.constant dense<1.5> : tensor<51x1xf32>
  %0 = graph.matmul %x, %w : tensor<?x51xf32, ["n"]>, tensor<51x1xf32> -> tensor<?x1xf32, ["n"]>
  return %0 : tensor<?x1xf32, ["n"]>
}

// Rows may be stacked.
//
// CHECK-LABEL: func.func @stacked
// CHECK:         graph.sum %{{.*}} {axes = array<i64: 2>, keepdims = true} : tensor<2x3x16xf64> -> tensor<2x3x1xf64>
// CHECK-NOT:     graph.matmul
func.func @stacked(%x : tensor<2x3x16xf64>) -> tensor<2x3x1xf64> {
  %w = graph.constant dense<1.5> : tensor<16x1xf64>
  %0 = graph.matmul %x, %w : tensor<2x3x16xf64>, tensor<16x1xf64> -> tensor<2x3x1xf64>
  return %0 : tensor<2x3x1xf64>
}

// Rows of an open size have that of the column.
//
// CHECK-LABEL: func.func @open_rows
// CHECK:         graph.require {{.*}} message = "equal sizes k and 51", op = "graph.matmul"
// CHECK-NEXT:    %[[X:.*]] = graph.reshape %x {shape = ["n", "51"]}
// CHECK-NEXT:    %[[ROW:.*]] = graph.reshape %{{.*}} {shape = ["51"]}
// CHECK-NEXT:    graph.mul %[[X]], %[[ROW]]
// CHECK-NOT:     graph.matmul
func.func @open_rows(%x : tensor<?x?xf32, ["n", "k"]>) -> tensor<?x1xf32, ["n"]> {
  %w = graph.constant dense<1.5> : tensor<51x1xf32>
  %0 = graph.matmul %x, %w : tensor<?x?xf32, ["n", "k"]>, tensor<51x1xf32> -> tensor<?x1xf32, ["n"]>
  return %0 : tensor<?x1xf32, ["n"]>
}

// A short row, a column that a caller gives, and several columns stay products: an open size
// that is one in a run would have another order. Sums of integers, and of 16 bits, have their
// own instructions.
//
// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: graph.matmul
func.func @others(%x : tensor<4x8xf32>, %y : tensor<4x64xf32>, %column : tensor<64x1xf32>, %z : tensor<4x64xbf16>, %i : tensor<4x64xi32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x1xbf16>, tensor<4x1xi32>) {
  %w = graph.constant dense<1.5> : tensor<8x1xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x1xf32> -> tensor<4x1xf32>
  %1 = graph.matmul %y, %column : tensor<4x64xf32>, tensor<64x1xf32> -> tensor<4x1xf32>
  %v = graph.constant dense<1.5> : tensor<64x2xf32>
  %2 = graph.matmul %y, %v : tensor<4x64xf32>, tensor<64x2xf32> -> tensor<4x2xf32>
  %h = graph.constant dense<1.5> : tensor<64x1xbf16>
  %3 = graph.matmul %z, %h : tensor<4x64xbf16>, tensor<64x1xbf16> -> tensor<4x1xbf16>
  %j = graph.constant dense<1> : tensor<64x1xi32>
  %4 = graph.matmul %i, %j : tensor<4x64xi32>, tensor<64x1xi32> -> tensor<4x1xi32>
  return %0, %1, %2, %3, %4 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x2xf32>, tensor<4x1xbf16>, tensor<4x1xi32>
}
