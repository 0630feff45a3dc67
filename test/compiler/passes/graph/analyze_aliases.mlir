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

// An operand that a result may be, as indices decide, lives as long as the result, and as
// what may be that in turn; sizes decide before memory is planned.
//
// CHECK-LABEL: func.func @order
// CHECK:         graph.matmul %x, %w {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 4>]}
// CHECK:         graph.index_select {{.*}} graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 3>]
// CHECK:         graph.permute {{.*}} graph.lifetimes = [#graph.lifetime<group = 2, first = 3, last = 4>]
func.func @order(%x : tensor<?x64xf32, ["n"]>, %i : tensor<?xi64, ["n"]>, %w : tensor<64x64xf32>) -> tensor<?x1xf32, ["n"]> {
  %0 = graph.matmul %x, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32> -> tensor<?x64xf32, ["n"]>
  %1 = graph.index_select %0, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]} : tensor<?x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<?x64xf32, ["n"]>
  %2 = graph.reshape %1 {shape = ["n", "64", "1"]} : tensor<?x64xf32, ["n"]> -> tensor<?x64x1xf32, ["n"]>
  %3 = graph.permute %2 {order = array<i64: 1, 0, 2>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["n - 1"]]>]} : tensor<?x64x1xf32, ["n"]> -> tensor<64x?x1xf32, ["n"]>
  %4 = graph.reduce_max %3 {axes = array<i64: 0>, keepdims = false, or_identity} : tensor<64x?x1xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
  return %4 : tensor<?x1xf32, ["n"]>
}
