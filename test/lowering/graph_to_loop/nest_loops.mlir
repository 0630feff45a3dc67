// RUN: sr-opt %s -p 'analyze-aliases,assign-buffers,graph-to-loop' --split-input-file --verify-diagnostics | filecheck %s

// What reads a value in panels reads each element where it is in its panel.
//
// CHECK-LABEL: loop.kernel @permute
// CHECK:         loop.load %{{.*}}[%{{.*}} * 16 + %{{.*}} blocked 16 * 1024]
func.func @along_axes(%x : tensor<8x64x16xf32>) -> tensor<120x64xf32> {
  %0 = graph.unpack %x {panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "120"]} : tensor<8x64x16xf32> -> tensor<64x120xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<64x120xf32> -> tensor<120x64xf32>
  func.return %1 : tensor<120x64xf32>
}

// -----

// Elements in the order of the tensor are not those of the panels one after the other.
//
// expected-error {{expected panels to be read along their axes, as contractions do, got 7680 elements 1 apart of #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>}}
func.func @one_after_the_other(%x : tensor<8x64x16xf32>) -> tensor<64x120xf32> {
  %0 = graph.unpack %x {panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "120"]} : tensor<8x64x16xf32> -> tensor<64x120xf32>
  %1 = graph.relu %0 : tensor<64x120xf32> -> tensor<64x120xf32>
  func.return %1 : tensor<64x120xf32>
}
