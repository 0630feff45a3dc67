// RUN: sr-opt %s -p reuse-operands,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s

// What is computed in the place of an operand is passed once, to another kernel, which
// loads from where it stores.
//
// CHECK-LABEL: loop.kernel @add_0
// CHECK-SAME:      (%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>) {
// CHECK-LABEL: loop.kernel @add_1
// CHECK-SAME:      (%[[ROW:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 2 {
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to 3 {
// CHECK-NEXT:        %[[A:.*]] = loop.load %[[OUT]][%[[I]] * 3 + %[[J]]]
// CHECK-NEXT:        %[[B:.*]] = loop.load %[[ROW]][%[[J]]]
// CHECK-NEXT:        %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:        loop.store %[[C]], %[[OUT]][%[[I]] * 3 + %[[J]]]
//
// The kernel of a fusion differs in this from that of another, and from one that a call
// may give the memory of an input for an output.
//
// CHECK-LABEL: loop.kernel @neg_exp_2
// CHECK-SAME:      (%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>) attributes {may_share = array<i64: 0>} {
// CHECK-LABEL: loop.kernel @neg_exp_3
// CHECK-SAME:      (%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>) {
// CHECK-LABEL: loop.kernel @neg_exp_4
// CHECK-SAME:      (%[[OUT:.*]]: memref<?xf32>) {
//
// A chain of them is in the output from its start.
//
// CHECK-LABEL: loop.program @elements
// CHECK:         %[[X:.*]] = loop.view inputs 0
// CHECK-NEXT:    %[[ROW:.*]] = loop.view inputs 1
// CHECK-NEXT:    %[[OUT:.*]] = loop.view outputs 0
// CHECK-NEXT:    loop.call @add_0(%[[X]], %[[ROW]], %[[OUT]])
// CHECK-NEXT:    loop.call @add_1(%[[ROW]], %[[OUT]])
// CHECK-NEXT:    loop.call @add_1(%[[ROW]], %[[OUT]])
// CHECK-NEXT:  }
func.func @elements(%x : tensor<2x3xf32>, %row : tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = graph.add %x, %row : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %1 = graph.add %0, %row : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %2 = graph.add %1, %row : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: loop.program @fusions
// CHECK:         loop.call @neg_exp_2(
// CHECK-NEXT:    loop.call @neg_exp_3(
// CHECK-NEXT:    loop.call @neg_exp_4(%{{[^,]*}}) symbols
func.func @fusions(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.fusion %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a : tensor<4xf32>):
    %3 = graph.neg %a : tensor<4xf32> -> tensor<4xf32>
    %4 = graph.exp %3 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %4 : tensor<4xf32>
  }
  %1 = graph.fusion %0 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a : tensor<4xf32>):
    %3 = graph.neg %a : tensor<4xf32> -> tensor<4xf32>
    %4 = graph.exp %3 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %4 : tensor<4xf32>
  }
  %2 = graph.fusion %1 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a : tensor<4xf32>):
    %3 = graph.neg %a : tensor<4xf32> -> tensor<4xf32>
    %4 = graph.exp %3 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %4 : tensor<4xf32>
  }
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
