// RUN: sr-opt %s -p own-outputs,eliminate-copies | filecheck %s

// The old value is read no more when the new one is computed.
//
// CHECK-LABEL: func.func @last_read_before
// CHECK:         %[[A:.*]] = graph.exp
// CHECK-NEXT:    %[[B:.*]] = graph.neg %[[A]]
// CHECK-NEXT:    graph.yield %[[B]]
func.func @last_read_before(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s = graph.relu %x : tensor<3xf32> -> tensor<3xf32>
  %0 = graph.loop %s {trips = "5", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%h: tensor<3xf32>):
    %a = graph.exp %h : tensor<3xf32> -> tensor<3xf32>
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// The op that computes the new value reads the old one, and may not write over it.
//
// CHECK-LABEL: func.func @read_while_written
// CHECK:         %[[A:.*]] = graph.exp
// CHECK-NEXT:    %[[C:.*]] = graph.copy %[[A]]
// CHECK-NEXT:    graph.yield %[[C]]
func.func @read_while_written(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s = graph.relu %x : tensor<3xf32> -> tensor<3xf32>
  %0 = graph.loop %s {trips = "5", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%h: tensor<3xf32>):
    %a = graph.exp %h : tensor<3xf32> -> tensor<3xf32>
    graph.yield %a : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// Another value that is carried still reads the old one.
//
// CHECK-LABEL: func.func @read_after
// CHECK:         %[[A:.*]] = graph.constant
// CHECK-NEXT:    %[[B:.*]] = graph.neg %[[A]]
// CHECK-NEXT:    %[[C:.*]] = graph.exp
// CHECK-NEXT:    %[[D:.*]] = graph.copy %[[B]]
// CHECK-NEXT:    graph.yield %[[D]], %[[C]]
func.func @read_after(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = graph.relu %x : tensor<2xf32> -> tensor<2xf32>
  %t = graph.neg %x : tensor<2xf32> -> tensor<2xf32>
  %0, %1 = graph.loop %s, %t {trips = "5", carried = 2 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>, tensor<2xf32> {
  ^bb0(%h: tensor<2xf32>, %k: tensor<2xf32>):
    %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = graph.neg %a : tensor<2xf32> -> tensor<2xf32>
    %c = graph.exp %h : tensor<2xf32> -> tensor<2xf32>
    graph.yield %b, %c : tensor<2xf32>, tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
