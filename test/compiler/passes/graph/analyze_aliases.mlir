// RUN: sr-opt %s -p analyze-aliases | filecheck %s

// A value lives from the op that computes it to the last that reads it or a view of it.
//
// CHECK-LABEL: func.func @view
// CHECK:         graph.relu %x {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]}
// CHECK:         graph.reshape %{{.*}} {shape = ["6"], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]}
// CHECK:         graph.neg %{{.*}} {graph.lifetimes = [#graph.lifetime<group = 1, first = 2, last = 3>]}
func.func @view(%x : tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.neg %1 : tensor<6xf32> -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// A view of a view is of the same memory.
//
// CHECK-LABEL: func.func @view_of_view
// CHECK-COUNT-3: group = 0, first = 0, last = 3
func.func @view_of_view(%x : tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.reshape %1 {shape = ["3", "2"]} : tensor<6xf32> -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// A view of an argument lives as long as the argument, which is there from the start.
//
// CHECK-LABEL: func.func @view_of_argument
// CHECK:         graph.relu %{{.*}} {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]}
// CHECK:         graph.reshape %y {shape = ["6"], graph.lifetimes = [#graph.lifetime<group = 1, first = 0, last = 2>]}
func.func @view_of_argument(%x : tensor<6xf32>, %y : tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = graph.relu %x : tensor<6xf32> -> tensor<6xf32>
  %1 = graph.reshape %y {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.add %0, %1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// What nobody reads lives while it is computed.
//
// CHECK-LABEL: func.func @unused
// CHECK:         graph.relu %x {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 0>]}
func.func @unused(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %x : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An op that is no view shares memory with nothing, a copy least of all.
//
// CHECK-LABEL: func.func @copy_is_no_view
// CHECK:         graph.relu %x {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]}
// CHECK:         graph.copy %{{.*}} {graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]}
func.func @copy_is_no_view(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.copy %0 : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A group of ops that became one kernel counts as one.
//
// CHECK-LABEL: func.func @fusion
// CHECK:         graph.fusion %x {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]}
// CHECK:           graph.relu %{{[^ ]*}} : tensor<4xf32>
// CHECK:         graph.copy %{{.*}} {graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]}
func.func @fusion(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fusion %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a : tensor<4xf32>):
    %1 = graph.relu %a : tensor<4xf32> -> tensor<4xf32>
    %2 = graph.neg %1 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  %3 = graph.copy %0 : tensor<4xf32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// What is computed in the place of an operand goes on being that memory.
//
// CHECK-LABEL: func.func @in_place
// CHECK:         graph.relu %x {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]}
// CHECK:         graph.reshape %{{.*}} {shape = ["6"], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]}
// CHECK:         graph.neg %{{.*}} {graph.in_place = 0 : i64, graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]}
// CHECK:         graph.abs %{{.*}} {graph.lifetimes = [#graph.lifetime<group = 1, first = 3, last = 4>]}
func.func @in_place(%x : tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.neg %1 {graph.in_place = 0 : i64} : tensor<6xf32> -> tensor<6xf32>
  %3 = graph.abs %2 : tensor<6xf32> -> tensor<6xf32>
  return %3 : tensor<6xf32>
}
