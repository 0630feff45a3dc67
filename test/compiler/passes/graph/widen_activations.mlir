// RUN: sr-opt %s -p widen-activations | filecheck %s
// RUN: sr-opt %s -p 'widen-activations{rows=200}' | filecheck %s --check-prefix=MANY
// RUN: sr-opt %s -p 'widen-activations{rows=0}' | filecheck %s --check-prefix=NONE

// What ends a fusion, here padding, is at its end in f32 too. What a product reads as it
// is needs no conversion; its sum is rounded, and so is each number that is computed.
//
// CHECK-LABEL: func.func @images
// CHECK:         %[[A:.*]] = graph.fusion %x, %u : {{.*}} -> tensor<1x16x16x8xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[X:.*]]: tensor<1x14x14x8xbf16>, %[[U:.*]]: tensor<8xbf16>):
// CHECK-NEXT:      %[[B:.*]] = graph.add %[[X]], %[[U]]
// CHECK-NEXT:      %[[C:.*]] = graph.cast %[[B]] {to = f32}
// CHECK-NEXT:      %[[D:.*]] = graph.relu %[[C]] : tensor<1x14x14x8xf32>
// CHECK-NEXT:      %[[E:.*]] = graph.pad %[[D]] {{.*}} -> tensor<1x16x16x8xf32>
// CHECK-NEXT:      graph.yield %[[E]]
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.fusion %[[A]], %w, %x : {{.*}} -> tensor<1x14x14x8xbf16> {
// CHECK-NEXT:    ^{{.*}}(%[[F:.*]]: tensor<1x16x16x8xf32>, %[[W:.*]]: tensor<3x3x8x8xbf16>, %[[Y:.*]]: tensor<1x14x14x8xbf16>):
// CHECK-NEXT:      %[[G:.*]] = graph.cast %[[W]] {to = f32}
// CHECK-NEXT:      %[[H:.*]] = graph.conv %[[F]], %[[G]] {{.*}} -> tensor<1x14x14x8xf32>
// CHECK-NEXT:      %[[I:.*]] = graph.cast %[[H]] {to = bf16}
// CHECK-NEXT:      %[[J:.*]] = graph.add %[[I]], %[[Y]] : tensor<1x14x14x8xbf16>
// CHECK-NEXT:      graph.yield %[[J]]
//
// MANY-LABEL:  func.func @images
// MANY-NOT:      f32
// MANY:          return
//
// NONE-NOT:    graph.cast
func.func @images(%x: tensor<1x14x14x8xbf16>, %u: tensor<8xbf16>, %w: tensor<3x3x8x8xbf16>) -> tensor<1x14x14x8xbf16> {
  %0 = graph.fusion %x, %u : tensor<1x14x14x8xbf16>, tensor<8xbf16> -> tensor<1x16x16x8xbf16> {
  ^bb0(%a: tensor<1x14x14x8xbf16>, %b: tensor<8xbf16>):
    %1 = graph.add %a, %b : tensor<1x14x14x8xbf16>, tensor<8xbf16> -> tensor<1x14x14x8xbf16>
    %2 = graph.relu %1 : tensor<1x14x14x8xbf16> -> tensor<1x14x14x8xbf16>
    %3 = graph.pad %2 {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>, value = 0.0 : f64} : tensor<1x14x14x8xbf16> -> tensor<1x16x16x8xbf16>
    graph.yield %3 : tensor<1x16x16x8xbf16>
  }
  %4 = graph.fusion %0, %w, %x : tensor<1x16x16x8xbf16>, tensor<3x3x8x8xbf16>, tensor<1x14x14x8xbf16> -> tensor<1x14x14x8xbf16> {
  ^bb0(%c: tensor<1x16x16x8xbf16>, %d: tensor<3x3x8x8xbf16>, %e: tensor<1x14x14x8xbf16>):
    %5 = graph.conv %c, %d {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<1x16x16x8xbf16>, tensor<3x3x8x8xbf16> -> tensor<1x14x14x8xbf16>
    %6 = graph.add %5, %e : tensor<1x14x14x8xbf16>, tensor<1x14x14x8xbf16> -> tensor<1x14x14x8xbf16>
    graph.yield %6 : tensor<1x14x14x8xbf16>
  }
  func.return %4 : tensor<1x14x14x8xbf16>
}

// Ops alone, whose rows may be open; what moves numbers is f32 with what it moves, and
// what else reads such a value rounds what it computes.
//
// CHECK-LABEL: func.func @alone
// CHECK:         %[[A:.*]] = graph.fusion %x : {{.*}} -> tensor<?x64xf32, ["n"]> {
// CHECK:           graph.tanh {{.*}} -> tensor<?x64xf16, ["n"]>
// CHECK-NEXT:      graph.cast {{.*}} {to = f32}
// CHECK:         %[[B:.*]] = graph.reshape %[[A]] {{.*}} -> tensor<?x32xf32, ["2 * n"]>
// CHECK-NEXT:    graph.fusion %[[B]], %w : tensor<?x32xf32, ["2 * n"]>, tensor<32x16xf16> -> tensor<?x16xf16, ["2 * n"]> {
// CHECK:         graph.fusion %[[A]] : tensor<?x64xf32, ["n"]> -> tensor<?x64xf16, ["n"]> {
// CHECK:           graph.exp {{.*}} : tensor<?x64xf32, ["n"]>
// CHECK-NEXT:      graph.cast {{.*}} {to = f16}
func.func @alone(%x: tensor<?x64xf16, ["n"]>, %w: tensor<32x16xf16>) -> (tensor<?x16xf16, ["2 * n"]>, tensor<?x64xf16, ["n"]>) {
  %0 = graph.tanh %x : tensor<?x64xf16, ["n"]> -> tensor<?x64xf16, ["n"]>
  %1 = graph.reshape %0 {shape = ["2 * n", "32"]} : tensor<?x64xf16, ["n"]> -> tensor<?x32xf16, ["2 * n"]>
  %2 = graph.matmul %1, %w : tensor<?x32xf16, ["2 * n"]>, tensor<32x16xf16> -> tensor<?x16xf16, ["2 * n"]>
  %3 = graph.exp %0 : tensor<?x64xf16, ["n"]> -> tensor<?x64xf16, ["n"]>
  func.return %2, %3 : tensor<?x16xf16, ["2 * n"]>, tensor<?x64xf16, ["n"]>
}

// A result of the model has 16 bits, and with it what is moved to it.
//
// CHECK-LABEL: func.func @returned
// CHECK-NOT:     f32
// CHECK:         return
func.func @returned(%x: tensor<64x32xbf16>, %w: tensor<32x16xbf16>) -> (tensor<64x16xbf16>, tensor<2048xbf16>) {
  %0 = graph.tanh %x : tensor<64x32xbf16> -> tensor<64x32xbf16>
  %1 = graph.matmul %0, %w : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xbf16>
  %2 = graph.reshape %0 {shape = ["2048"]} : tensor<64x32xbf16> -> tensor<2048xbf16>
  func.return %1, %2 : tensor<64x16xbf16>, tensor<2048xbf16>
}

// A product of few rows widens what it reads.
//
// CHECK-LABEL: func.func @few
// CHECK-NOT:     f32
// CHECK:         return
func.func @few(%x: tensor<4x32xbf16>, %w: tensor<32x16xbf16>) -> tensor<4x16xbf16> {
  %0 = graph.tanh %x : tensor<4x32xbf16> -> tensor<4x32xbf16>
  %1 = graph.matmul %0, %w : tensor<4x32xbf16>, tensor<32x16xbf16> -> tensor<4x16xbf16>
  func.return %1 : tensor<4x16xbf16>
}
