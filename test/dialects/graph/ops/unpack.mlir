// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p decompose | filecheck %s --check-prefix=PARTS

// In a model it is what `graph.pack` does, backwards: columns are the innermost axis, or the outermost one.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.unpack %x {panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "120"]} : tensor<8x64x16xf32> -> tensor<64x120xf32>
// PARTS-LABEL: func.func @round_trip
// PARTS-NEXT:    %[[A:.*]] = graph.permute %x {order = array<i64: 1, 0, 2>}
// PARTS-NEXT:    %[[B:.*]] = graph.reshape %[[A]] {shape = ["64", "128"]}
// PARTS-NEXT:    %[[C:.*]] = graph.slice %[[B]] {starts = ["0", "0"], sizes = ["64", "120"]
// PARTS-NEXT:    %[[D:.*]] = graph.permute %[[C]] {order = array<i64: 0, 1>}
// PARTS:         graph.slice
// PARTS-NEXT:    graph.permute %{{.*}} {order = array<i64: 1, 0>}
func.func @round_trip(%x : tensor<8x64x16xf32>, %y : tensor<3x5x8xf32>) -> (tensor<64x120xf32>, tensor<2x10x5xf32>) {
  %0 = graph.unpack %x {panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "120"]} : tensor<8x64x16xf32> -> tensor<64x120xf32>
  %1 = graph.unpack %y {panels = #graph.panels<width = 8, rows = [5 by 1], columns = 20 by 5>, shape = ["2", "10", "5"]} : tensor<3x5x8xf32> -> tensor<2x10x5xf32>
  return %0, %1 : tensor<64x120xf32>, tensor<2x10x5xf32>
}

// -----

func.func @other_panels(%x : tensor<8x64x16xf32>) {
  // expected-error {{expected panels of (4, 64, 32) without words, got tensor<8x64x16xf32>}}
  %0 = graph.unpack %x {panels = #graph.panels<width = 32, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "120"]} : tensor<8x64x16xf32> -> tensor<64x120xf32>
  return
}

// -----

func.func @other_elements(%x : tensor<8x64x16xf32>) {
  // expected-error {{expected 7680 elements, got shape 64, 128}}
  %0 = graph.unpack %x {panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "128"]} : tensor<8x64x16xf32> -> tensor<64x128xf32>
  return
}
