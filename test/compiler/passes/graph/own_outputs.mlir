// RUN: sr-opt %s -p own-outputs | filecheck %s

// What the caller gave is not given back, and neither is a view of it.
//
// CHECK-LABEL: func.func @input
// CHECK-NEXT:    %[[VIEW:.*]] = graph.reshape %x
// CHECK-NEXT:    %[[A:.*]] = graph.copy %[[VIEW]]
// CHECK-NEXT:    %[[B:.*]] = graph.copy %x
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @input(%x : tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>) {
  %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  return %0, %x : tensor<6xf32>, tensor<2x3xf32>
}

// A caller may write to an output, but not to what the next run reads.
//
// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %[[W:.*]] = graph.weight "w"
// CHECK-NEXT:    %[[VIEW:.*]] = graph.reshape %[[W]]
// CHECK-NEXT:    %[[C:.*]] = graph.constant
// CHECK-NEXT:    %[[A:.*]] = graph.copy %[[VIEW]]
// CHECK-NEXT:    %[[B:.*]] = graph.copy %[[C]]
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @constant() -> (tensor<6xf32>, tensor<2xf32>) {
  %0 = graph.weight "w" : tensor<2x3xf32>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %1, %2 : tensor<6xf32>, tensor<2xf32>
}

// A value that is returned twice is computed once and copied once.
//
// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    %[[A:.*]] = graph.relu %x
// CHECK-NEXT:    %[[B:.*]] = graph.copy %[[A]]
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @twice(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

// A view of an output is that output's memory, too.
//
// CHECK-LABEL: func.func @output_and_view
// CHECK-NEXT:    %[[A:.*]] = graph.relu %x
// CHECK-NEXT:    %[[VIEW:.*]] = graph.reshape %[[A]]
// CHECK-NEXT:    %[[B:.*]] = graph.copy %[[A]]
// CHECK-NEXT:    return %[[VIEW]], %[[B]]
func.func @output_and_view(%x : tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 {shape = ["2", "2"]} : tensor<4xf32> -> tensor<2x2xf32>
  return %1, %0 : tensor<2x2xf32>, tensor<4xf32>
}

// What an op computes in memory of its own is returned as it is, also when it is read on.
//
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     graph.copy
// CHECK:         return
func.func @computed(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.reshape %1 {shape = ["2", "2"]} : tensor<4xf32> -> tensor<2x2xf32>
  return %0, %2 : tensor<4xf32>, tensor<2x2xf32>
}

// What one trip gives to another in exchange is copied before either is written over.
//
// CHECK-LABEL: func.func @swapped
// CHECK:         ^bb0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[OLD_B:.*]] = graph.copy %[[B]]
// CHECK-NEXT:      %[[OLD_A:.*]] = graph.copy %[[A]]
// CHECK-NEXT:      %[[NEW_A:.*]] = graph.copy %[[OLD_B]]
// CHECK-NEXT:      %[[NEW_B:.*]] = graph.copy %[[OLD_A]]
// CHECK-NEXT:      graph.yield %[[NEW_A]], %[[NEW_B]]
func.func @swapped(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = graph.loop %x, %y {trips = "3", carried = 2 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A region computes what it yields; what it was given, it copies.
//
// CHECK-LABEL: func.func @branches
// CHECK:         graph.if
// CHECK:           %[[N:.*]] = graph.neg
// CHECK-NEXT:      graph.yield %[[N]]
// CHECK:           %[[C:.*]] = graph.copy
// CHECK-NEXT:      graph.yield %[[C]]
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.if %c, %x : tensor<i1>, tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.neg %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
