// RUN: sr-opt %s --split-input-file -p form-parallel | filecheck %s
// RUN: sr-opt %s --split-input-file -p 'form-parallel{most=1}' | filecheck %s --check-prefix=TURN

// Two recurrences over one input, whose results meet; weights, and views of what a branch
// computes, are copied into it.
//
// CHECK-LABEL: func.func @directions
// CHECK:         %[[P:.*]] = graph.relu %x
// CHECK:         %[[R:.*]], %[[S:.*]] = graph.parallel %[[P]] : tensor<200x64xf32> -> tensor<64x64xf32>, tensor<64x64xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<200x64xf32>):
// CHECK:           graph.weight "h"
// CHECK-NEXT:      %[[H:.*]] = graph.copy
// CHECK:           %[[L:.*]] = graph.loop %[[H]], %[[A]]
// CHECK:           graph.yield %[[L]] : tensor<64x64xf32>
// CHECK-NEXT:    } {
// CHECK:           %[[M:.*]] = graph.loop
// CHECK:           graph.yield %[[M]] : tensor<64x64xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[V:.*]] = graph.reshape %[[S]]
// CHECK:         graph.reshape %[[V]]
// CHECK:         graph.add %[[R]]
// TURN-LABEL:  func.func @directions
// TURN-NOT:      graph.parallel
func.func @directions(%x: tensor<200x64xf32>) -> tensor<64x64xf32> {
  %w = graph.weight "h" : tensor<64x64xf32>
  %p = graph.relu %x : tensor<200x64xf32> -> tensor<200x64xf32>
  %h = graph.copy %w : tensor<64x64xf32> -> tensor<64x64xf32>
  %f = graph.loop %h, %p {trips = "200", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0>} : tensor<64x64xf32>, tensor<200x64xf32> -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64xf32>):
    %1 = graph.add %a, %b : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %k = graph.copy %w : tensor<64x64xf32> -> tensor<64x64xf32>
  %g = graph.loop %k, %p {trips = "200", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 1>} : tensor<64x64xf32>, tensor<200x64xf32> -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64xf32>):
    %1 = graph.mul %a, %b : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %v = graph.reshape %g {shape = ["4096"]} : tensor<64x64xf32> -> tensor<4096xf32>
  %u = graph.reshape %v {shape = ["64", "64"]} : tensor<4096xf32> -> tensor<64x64xf32>
  %2 = graph.add %f, %u : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// What takes no time is no branch.
//
// CHECK-LABEL: func.func @little
// CHECK-NOT:     graph.parallel
func.func @little(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.relu %x : tensor<64xf32> -> tensor<64xf32>
  %1 = graph.abs %x : tensor<64xf32> -> tensor<64xf32>
  %2 = graph.add %0, %1 : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// Threads share these products, each with all threads.
//
// CHECK-LABEL: func.func @shared
// CHECK-NOT:     graph.parallel
func.func @shared(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = graph.matmul %x, %y : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %1 = graph.matmul %y, %x : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %2 = graph.add %0, %1 : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// -----

// Regions of the model's own stay, or become ops in turn.
//
// CHECK-LABEL: func.func @given
// CHECK:         graph.parallel
// TURN-LABEL:  func.func @given
// TURN-NEXT:     %[[A:.*]] = graph.relu %x
// TURN-NEXT:     %[[B:.*]] = graph.abs %x
// TURN-NEXT:     graph.add %[[A]], %[[B]]
func.func @given(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0, %1 = graph.parallel %x : tensor<64xf32> -> tensor<64xf32>, tensor<64xf32> {
  ^bb0(%v: tensor<64xf32>):
    %a = graph.relu %v : tensor<64xf32> -> tensor<64xf32>
    graph.yield %a : tensor<64xf32>
  } {
  ^bb0(%v: tensor<64xf32>):
    %a = graph.abs %v : tensor<64xf32> -> tensor<64xf32>
    graph.yield %a : tensor<64xf32>
  }
  %2 = graph.add %0, %1 : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
