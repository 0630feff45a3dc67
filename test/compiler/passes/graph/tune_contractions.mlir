// RUN: sr-opt %s -p 'tune-contractions{nr=24 pack=nothing}' | filecheck %s --check-prefixes=CHECK,ASKED
// RUN: sr-opt %s -p tune-contractions | filecheck %s --check-prefixes=CHECK,LEFT
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},outline-constants,tune-contractions{nr=24},pack-weights' | filecheck %s --check-prefix=PACKED
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},outline-constants,tune-contractions{nr=24 mr=2 kc=128 mc=4},pack-weights,analyze-aliases,assign-buffers,graph-to-loop,size-tiles' | filecheck %s --check-prefix=SIZED
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},outline-constants,tune-contractions{nr=20},pack-weights' | filecheck %s --check-prefix=NO-ROOM
// RUN: not sr-opt %s -p 'tune-contractions{pack=weights}' 2>&1 | filecheck %s --check-prefix=REFUSED

// REFUSED: expected packing of nothing, a, b, a and b, got weights

// What is asked for is noted, and panels and tiles are as it says. Without a tuner, and
// without options, nothing is noted. For what is not whole vectors there is no room.
//
// CHECK-LABEL: func.func @product
// ASKED:         graph.matmul {{.*}} {preference = #loop.preference<nr = 24, pack = "nothing">}
// LEFT:          graph.matmul %{{.*}}, %{{.*}} :
// PACKED-LABEL: func.func @product
// PACKED:         panels = #graph.panels<width = 24, rows = [256 by 48], columns = 48 by 1>
// NO-ROOM-LABEL: func.func @product
// NO-ROOM:        panels = #graph.panels<width = 16, rows = [256 by 48], columns = 48 by 1>
// SIZED-LABEL:  loop.kernel @matmul
// SIZED-SAME:     attributes {preference = #loop.preference<nr = 24, mr = 2, kc = 128, mc = 4>, strategies = [#loop.strategy<direct, nr = {{.*}}>]}
// SIZED:          by 2, 24, 8 as #loop.schedule<nr = 24, mc = 4, nc = 48, kc = 128 of 0> k_loop
func.func @product(%x: tensor<60x256xf32>) -> tensor<60x48xf32> {
  %w = graph.constant dense<2.0> : tensor<256x48xf32>
  %1 = graph.matmul %x, %w : tensor<60x256xf32>, tensor<256x48xf32> -> tensor<60x48xf32>
  func.return %1 : tensor<60x48xf32>
}

// A fusion with a contraction is one.
//
// CHECK-LABEL: func.func @fused
// ASKED:         graph.fusion {{.*}} {preference = #loop.preference<nr = 24, pack = "nothing">}
// CHECK:         graph.matmul %{{.*}}, %{{.*}} :
func.func @fused(%x: tensor<5x3xf32>, %w: tensor<3x8xf32>) -> tensor<5x8xf32> {
  %0 = graph.fusion %x, %w : tensor<5x3xf32>, tensor<3x8xf32> -> tensor<5x8xf32> {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<3x8xf32>):
    %1 = graph.matmul %a, %b : tensor<5x3xf32>, tensor<3x8xf32> -> tensor<5x8xf32>
    %2 = graph.relu %1 : tensor<5x8xf32> -> tensor<5x8xf32>
    graph.yield %2 : tensor<5x8xf32>
  }
  func.return %0 : tensor<5x8xf32>
}

// What sums up no products is none.
//
// CHECK-LABEL: func.func @sum
// CHECK:         graph.sum {{.*}} {axes =
// CHECK-NOT:     preference
func.func @sum(%x: tensor<5x3xf32>) -> tensor<5xf32> {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<5x3xf32> -> tensor<5xf32>
  func.return %0 : tensor<5xf32>
}
