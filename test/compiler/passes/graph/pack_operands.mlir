// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},pack-operands,pack-weights' | filecheck %s

// B has 2.8 MB, and 512 rows read it: it is packed by an op of its own, and read as a weight is.
//
// CHECK-LABEL: func.func @large
// CHECK-NEXT:    %[[P:.*]] = graph.pack %y {axis = 1 : i64, width = 16 : i64} : tensor<700x1000xf32> -> tensor<63x700x16xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.unpack %[[P]] {panels = #graph.panels<width = 16, rows = [700 by 1000], columns = 1000 by 1>, shape = ["700", "1000"]}
// CHECK-NEXT:    graph.matmul %x, %[[B]] {strategies = [#loop.strategy<{{direct|im2row}}, nr = 16
func.func @large(%x: tensor<512x700xf32>, %y: tensor<700x1000xf32>) -> tensor<512x1000xf32> {
  %0 = graph.matmul %x, %y : tensor<512x700xf32>, tensor<700x1000xf32> -> tensor<512x1000xf32>
  func.return %0 : tensor<512x1000xf32>
}

// In a fusion it is the same, and of a transposed factor the columns are the outer axis.
//
// CHECK-LABEL: func.func @transposed
// CHECK-NEXT:    graph.pack %y {axis = 0 : i64, width = 16 : i64} : tensor<1000x700xf32> -> tensor<63x700x16xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.unpack {{.*}}rows = [700 by 1], columns = 1000 by 700>
// CHECK-NEXT:    graph.fusion %x, %[[B]]
func.func @transposed(%x: tensor<512x700xf32>, %y: tensor<1000x700xf32>) -> tensor<512x1000xf32> {
  %0 = graph.fusion %x, %y : tensor<512x700xf32>, tensor<1000x700xf32> -> tensor<512x1000xf32> {
  ^bb0(%a: tensor<512x700xf32>, %b: tensor<1000x700xf32>):
    %1 = graph.permute %b {order = array<i64: 1, 0>} : tensor<1000x700xf32> -> tensor<700x1000xf32>
    %2 = graph.matmul %a, %1 : tensor<512x700xf32>, tensor<700x1000xf32> -> tensor<512x1000xf32>
    %3 = graph.relu %2 : tensor<512x1000xf32> -> tensor<512x1000xf32>
    graph.yield %3 : tensor<512x1000xf32>
  }
  func.return %0 : tensor<512x1000xf32>
}

// A factor that several matrices have, each of its own, is packed matrix by matrix.
//
// CHECK-LABEL: func.func @stack
// CHECK-NEXT:    graph.reshape %y {shape = ["2", "700", "1000"]}
// CHECK-NEXT:    graph.pack {{.*}} {axis = 2 : i64, width = 16 : i64} : tensor<2x700x1000xf32> -> tensor<63x1400x16xf32>
func.func @stack(%x: tensor<2x1x512x700xf32>, %y: tensor<2x1x700x1000xf32>) -> tensor<2x1x512x1000xf32> {
  %0 = graph.matmul %x, %y : tensor<2x1x512x700xf32>, tensor<2x1x700x1000xf32> -> tensor<2x1x512x1000xf32>
  func.return %0 : tensor<2x1x512x1000xf32>
}

// Few rows do not pay for it; what fits the second cache is packed there; a size that the run knows may be one row.
//
// CHECK-LABEL: func.func @others
// CHECK-NOT:     graph.pack
// CHECK:         return
func.func @others(%x: tensor<100x700xf32>, %y: tensor<700x1000xf32>, %z: tensor<512x200xf32>, %u: tensor<200x100xf32>, %v: tensor<?x700xf32, ["n"]>) -> (tensor<100x1000xf32>, tensor<512x100xf32>, tensor<?x1000xf32, ["n"]>) {
  %0 = graph.matmul %x, %y : tensor<100x700xf32>, tensor<700x1000xf32> -> tensor<100x1000xf32>
  %1 = graph.matmul %z, %u : tensor<512x200xf32>, tensor<200x100xf32> -> tensor<512x100xf32>
  %2 = graph.matmul %v, %y : tensor<?x700xf32, ["n"]>, tensor<700x1000xf32> -> tensor<?x1000xf32, ["n"]>
  func.return %0, %1, %2 : tensor<100x1000xf32>, tensor<512x100xf32>, tensor<?x1000xf32, ["n"]>
}

// A factor of a product with itself is read as rows as well.
//
// CHECK-LABEL: func.func @square
// CHECK-NOT:     graph.pack
// CHECK:         return
func.func @square(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = graph.matmul %x, %x : tensor<1000x1000xf32>, tensor<1000x1000xf32> -> tensor<1000x1000xf32>
  func.return %0 : tensor<1000x1000xf32>
}
