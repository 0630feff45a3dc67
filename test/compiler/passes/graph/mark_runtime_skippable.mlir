// RUN: sr-opt %s -p mark-runtime-skippable | filecheck %s
// RUN: sr-opt %s -p decompose,eliminate-no-ops,mark-runtime-skippable | filecheck %s --check-prefix=RESIZE

// One of the two axes that change places has one element.
//
// CHECK-LABEL: func.func @permute
// CHECK:         graph.permute %x {order = array<i64: 1, 0, 2>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"b - 1", "t - 1"]]>]}
// CHECK-NEXT:    graph.relu %{{[^ ]*}} :
func.func @permute(%x : tensor<?x?x4xf32, ["b", "t"]>) -> tensor<?x?x4xf32, ["t", "b"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0, 2>} : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
  %1 = graph.relu %0 : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?x4xf32, ["t", "b"]>
  return %1 : tensor<?x?x4xf32, ["t", "b"]>
}

// Each part of a concatenation may be all of it; a list is empty or it is not needed.
//
// CHECK-LABEL: func.func @concat
// CHECK:         graph.concat %x, %y {axis = 0 : i64, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"m"]]>, #graph.skip<optimized = true, runtime_skippable = true, operand = 1, when = {{\[\[}}"n"]]>]}
func.func @concat(%x : tensor<?x4xf32, ["n"]>, %y : tensor<?x4xf32, ["m"]>) -> tensor<?x4xf32, ["m + n"]> {
  %0 = graph.concat %x, %y {axis = 0 : i64} : tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["m"]> -> tensor<?x4xf32, ["m + n"]>
  %1 = graph.relu %0 : tensor<?x4xf32, ["m + n"]> -> tensor<?x4xf32, ["m + n"]>
  return %1 : tensor<?x4xf32, ["m + n"]>
}

// A part of one row begins within it.
//
// CHECK-LABEL: func.func @split
// CHECK:         graph.slice %x {starts = ["0", "4"], {{.*}}, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"n - 1"]], offset = "4">]}
func.func @split(%x : tensor<?x12xf32, ["n"]>) -> tensor<?x4xf32, ["n"]> {
  %0 = graph.slice %x {starts = ["0", "4"], sizes = ["n", "4"], steps = array<i64: 1, 1>} : tensor<?x12xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
  %1 = graph.relu %0 : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
  return %1 : tensor<?x4xf32, ["n"]>
}

// A greatest element of one, and an update of nothing, whose indices are not checked then.
//
// CHECK-LABEL: func.func @one_and_none
// CHECK:         graph.reduce_max %x {{.*}} when = {{\[\[}}"n - 1"]]>]}
// CHECK-NEXT:    graph.scatter %{{.*}} when = {{\[\[}}"k"]]>]}
func.func @one_and_none(%x : tensor<?x?xf32, ["n", "m"]>, %i : tensor<?xi64, ["k"]>, %u : tensor<?xf32, ["k"]>) -> tensor<?xf32, ["m"]> {
  %0 = graph.reduce_max %x {axes = array<i64: 0>, keepdims = false, or_identity} : tensor<?x?xf32, ["n", "m"]> -> tensor<?xf32, ["m"]>
  %1 = graph.scatter %0, %i, %u {axis = 0 : i64, wraps = false, reduction = "add"} : tensor<?xf32, ["m"]>, tensor<?xi64, ["k"]>, tensor<?xf32, ["k"]> -> tensor<?xf32, ["m"]>
  %2 = graph.relu %1 : tensor<?xf32, ["m"]> -> tensor<?xf32, ["m"]>
  return %2 : tensor<?xf32, ["m"]>
}

// A sum of one -0.0 is 0.0; padding always adds an element; a copy is meant to be one.
//
// CHECK-LABEL: func.func @never
// CHECK-NOT:     graph.skips
func.func @never(%x : tensor<?x?xf32, ["n", "m"]>) -> (tensor<?xf32, ["m"]>, tensor<?x?xf32, ["n", "m + 1"]>) {
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false} : tensor<?x?xf32, ["n", "m"]> -> tensor<?xf32, ["m"]>
  %1 = graph.relu %0 : tensor<?xf32, ["m"]> -> tensor<?xf32, ["m"]>
  %2 = graph.copy %x : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  %3 = graph.pad %2 {low = array<i64: 0, 1>, high = array<i64: 0, 0>, value = 0.0 : f64} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m + 1"]>
  %4 = graph.relu %3 : tensor<?x?xf32, ["n", "m + 1"]> -> tensor<?x?xf32, ["n", "m + 1"]>
  return %1, %4 : tensor<?xf32, ["m"]>, tensor<?x?xf32, ["n", "m + 1"]>
}

// What moves elements within another kernel costs nothing there.
//
// CHECK-LABEL: func.func @fused
// CHECK-NOT:     graph.skips
func.func @fused(%x : tensor<?x?x4xf32, ["b", "t"]>) -> tensor<?x?x4xf32, ["t", "b"]> {
  %0 = graph.fusion %x : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]> {
  ^bb0(%a : tensor<?x?x4xf32, ["b", "t"]>):
    %2 = graph.permute %a {order = array<i64: 1, 0, 2>} : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
    %3 = graph.exp %2 : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?x4xf32, ["t", "b"]>
    graph.yield %3 : tensor<?x?x4xf32, ["t", "b"]>
  }
  %1 = graph.relu %0 : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?x4xf32, ["t", "b"]>
  return %1 : tensor<?x?x4xf32, ["t", "b"]>
}

// A fusion that only moves elements is a kernel like any other.
//
// CHECK-LABEL: func.func @fusion_that_moves
// CHECK:         graph.fusion %x {graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"b - 1", "t - 1"]]>]}
func.func @fusion_that_moves(%x : tensor<?x?x4xf32, ["b", "t"]>) -> tensor<?x?x4xf32, ["t", "b"]> {
  %0 = graph.fusion %x : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]> {
  ^bb0(%a : tensor<?x?x4xf32, ["b", "t"]>):
    %2 = graph.permute %a {order = array<i64: 1, 0, 2>} : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
    %3 = graph.expand %2 {shape = ["t", "b", "4"]} : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?x4xf32, ["t", "b"]>
    graph.yield %3 : tensor<?x?x4xf32, ["t", "b"]>
  }
  %1 = graph.relu %0 : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?x4xf32, ["t", "b"]>
  return %1 : tensor<?x?x4xf32, ["t", "b"]>
}

// An output is computed in the memory that is returned, also if a view of it is.
//
// CHECK-LABEL: func.func @output
// CHECK-NOT:     graph.skips
func.func @output(%x : tensor<?x?x4xf32, ["b", "t"]>) -> tensor<?x?xf32, ["t", "4 * b"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0, 2>} : tensor<?x?x4xf32, ["b", "t"]> -> tensor<?x?x4xf32, ["t", "b"]>
  %1 = graph.reshape %0 {shape = ["t", "4 * b"]} : tensor<?x?x4xf32, ["t", "b"]> -> tensor<?x?xf32, ["t", "4 * b"]>
  return %1 : tensor<?x?xf32, ["t", "4 * b"]>
}

// What a loop carries it overwrites: neither that nor a result may be the other. Other
// operands of a loop, and what a trip has for itself, may be skipped to.
//
// CHECK-LABEL: func.func @loop
// CHECK:         graph.concat %x, %y {axis = 0 : i64} :
// CHECK:         graph.loop
// CHECK:           graph.concat %h, %w {axis = 0 : i64, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 1, when = {{\[\[}}"m + n"]]>]}
// CHECK:           graph.concat %w, %{{[^ ]*}} {axis = 0 : i64, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"n"]]>, #graph.skip<optimized = true, runtime_skippable = true, operand = 1, when = {{\[\[}}"m"]]>]}
// CHECK:           graph.slice %{{[^ ]*}} {starts = ["0"], sizes = ["m + n"], steps = array<i64: 1>} :
// CHECK-NEXT:      graph.yield
func.func @loop(%x : tensor<?xf32, ["n"]>, %y : tensor<?xf32, ["m"]>) -> tensor<?xf32, ["m + n"]> {
  %0 = graph.concat %x, %y {axis = 0 : i64} : tensor<?xf32, ["n"]>, tensor<?xf32, ["m"]> -> tensor<?xf32, ["m + n"]>
  %1 = graph.loop %0, %y {trips = "5", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<?xf32, ["m + n"]>, tensor<?xf32, ["m"]> -> tensor<?xf32, ["m + n"]> {
  ^bb0(%h : tensor<?xf32, ["m + n"]>, %w : tensor<?xf32, ["m"]>):
    %a = graph.concat %h, %w {axis = 0 : i64} : tensor<?xf32, ["m + n"]>, tensor<?xf32, ["m"]> -> tensor<?xf32, ["2 * m + n"]>
    %b = graph.exp %a : tensor<?xf32, ["2 * m + n"]> -> tensor<?xf32, ["2 * m + n"]>
    %c = graph.slice %b {starts = ["m"], sizes = ["n"], steps = array<i64: 1>} : tensor<?xf32, ["2 * m + n"]> -> tensor<?xf32, ["n"]>
    %d = graph.concat %w, %c {axis = 0 : i64} : tensor<?xf32, ["m"]>, tensor<?xf32, ["n"]> -> tensor<?xf32, ["m + n"]>
    %e = graph.exp %d : tensor<?xf32, ["m + n"]> -> tensor<?xf32, ["m + n"]>
    %f = graph.slice %e {starts = ["0"], sizes = ["m + n"], steps = array<i64: 1>} : tensor<?xf32, ["m + n"]> -> tensor<?xf32, ["m + n"]>
    graph.yield %f : tensor<?xf32, ["m + n"]>
  }
  return %1 : tensor<?xf32, ["m + n"]>
}

// A size that the run computes is known too late to plan memory by it.
//
// CHECK-LABEL: func.func @late
// CHECK-NOT:     graph.skips
func.func @late(%x : tensor<?x4xf32, ["n"]>, %i : tensor<i64>) -> tensor<?x3xf32, ["k"]> {
  graph.define_symbol %i {symbol = "k", low = "0", high = "n"} : tensor<i64>
  %0 = graph.slice %x {starts = ["0", "1"], sizes = ["k", "3"], steps = array<i64: 1, 1>} : tensor<?x4xf32, ["n"]> -> tensor<?x3xf32, ["k"]>
  %1 = graph.relu %0 : tensor<?x3xf32, ["k"]> -> tensor<?x3xf32, ["k"]>
  return %1 : tensor<?x3xf32, ["k"]>
}

// The nearest elements of an axis that keeps its size are all of it; the op says so,
// since its indices are computed.
//
// RESIZE-LABEL: func.func @nearest
// RESIZE:         graph.index_select %x, %{{[^ ]*}} {axis = 1 : i64, wraps = false, in_order, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"v - w"]]>]}
func.func @nearest(%x : tensor<2x?xf32, ["w"]>, %y : tensor<2x?xf32, ["v"]>) -> tensor<2x?xf32, ["v"]> {
  %0 = graph.resize %x {axis = 1 : i64, size = "v", mode = "floor", coordinates = "asymmetric"} : tensor<2x?xf32, ["w"]> -> tensor<2x?xf32, ["v"]>
  %1 = graph.add %0, %y : tensor<2x?xf32, ["v"]>, tensor<2x?xf32, ["v"]> -> tensor<2x?xf32, ["v"]>
  return %1 : tensor<2x?xf32, ["v"]>
}

// Where the size is known to stay, only what the op requires is left.
//
// RESIZE-LABEL: func.func @nearest_of_known_size
// RESIZE-NEXT:    graph.require
// RESIZE-NEXT:    graph.relu %x
func.func @nearest_of_known_size(%x : tensor<2x?xf32, ["w"]>) -> tensor<2x?xf32, ["w"]> {
  %0 = graph.resize %x {axis = 1 : i64, size = "w", mode = "floor", coordinates = "asymmetric"} : tensor<2x?xf32, ["w"]> -> tensor<2x?xf32, ["w"]>
  %1 = graph.relu %0 : tensor<2x?xf32, ["w"]> -> tensor<2x?xf32, ["w"]>
  return %1 : tensor<2x?xf32, ["w"]>
}

// Weights of zero make NaN of infinities, so that an interpolated axis is computed even
// if it keeps its size; and so is one whose positions are rounded to the next element.
//
// RESIZE-LABEL: func.func @not_nearest
// RESIZE:         graph.resample
// RESIZE:         graph.index_select %{{.*}} {axis = 0 : i64, wraps = false} :
func.func @not_nearest(%x : tensor<5xf32>) -> tensor<5xf32> {
  %0 = graph.resize %x {axis = 0 : i64, size = "5", mode = "linear", coordinates = "half_pixel"} : tensor<5xf32> -> tensor<5xf32>
  %1 = graph.resize %0 {axis = 0 : i64, size = "5", mode = "ceil", coordinates = "align_corners"} : tensor<5xf32> -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// To quantise and back is to round.
//
// RESIZE-LABEL: func.func @quantised_and_back
// RESIZE:         graph.cast
// RESIZE:         graph.cast
func.func @quantised_and_back(%x : tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.cast %x {to = i32} : tensor<?xf32, ["n"]> -> tensor<?xi32, ["n"]>
  %1 = graph.cast %0 {to = f32} : tensor<?xi32, ["n"]> -> tensor<?xf32, ["n"]>
  %2 = graph.relu %1 : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %2 : tensor<?xf32, ["n"]>
}

// Indices may be 0, 1, 2, …, where they are as many as the slices that they select from.
//
// CHECK-LABEL: func.func @order
// CHECK:         graph.index_select %x, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]}
// CHECK-NEXT:    graph.index_select %x, %j {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"b - c"]], indices = 1>]}
// CHECK-NEXT:    graph.index_select %{{[^ ]*}}, %i {axis = 0 : i64, wraps = false, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]}
func.func @order(%x : tensor<?x64xf32, ["b"]>, %i : tensor<?xi32, ["b"]>, %j : tensor<?xi64, ["c"]>, %w : tensor<64x8xf32>) -> (tensor<?x8xf32, ["b"]>, tensor<?x8xf32, ["c"]>) {
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = true} : tensor<?x64xf32, ["b"]>, tensor<?xi32, ["b"]> -> tensor<?x64xf32, ["b"]>
  %1 = graph.index_select %x, %j {axis = 0 : i64, wraps = true} : tensor<?x64xf32, ["b"]>, tensor<?xi64, ["c"]> -> tensor<?x64xf32, ["c"]>
  %2 = graph.index_select %0, %i {axis = 0 : i64, wraps = false} : tensor<?x64xf32, ["b"]>, tensor<?xi32, ["b"]> -> tensor<?x64xf32, ["b"]>
  %3 = graph.matmul %2, %w : tensor<?x64xf32, ["b"]>, tensor<64x8xf32> -> tensor<?x8xf32, ["b"]>
  %4 = graph.matmul %1, %w : tensor<?x64xf32, ["c"]>, tensor<64x8xf32> -> tensor<?x8xf32, ["c"]>
  return %3, %4 : tensor<?x8xf32, ["b"]>, tensor<?x8xf32, ["c"]>
}

// Indices are compared only if it may be worth while: not for 252 bytes each, nor where
// there are never as many, nor of other integers.
//
// CHECK-LABEL: func.func @not_worth_comparing
// CHECK-NOT:     graph.skips
func.func @not_worth_comparing(%x : tensor<?x63xf32, ["b"]>, %y : tensor<4x64xf32>, %i : tensor<?xi64, ["b"]>, %j : tensor<3xi64>, %k : tensor<4xsi16>, %w : tensor<63x8xf32>, %v : tensor<64x8xf32>) -> (tensor<?x8xf32, ["b"]>, tensor<3x8xf32>, tensor<4x8xf32>) {
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = true} : tensor<?x63xf32, ["b"]>, tensor<?xi64, ["b"]> -> tensor<?x63xf32, ["b"]>
  %1 = graph.index_select %y, %j {axis = 0 : i64, wraps = true} : tensor<4x64xf32>, tensor<3xi64> -> tensor<3x64xf32>
  %2 = graph.index_select %y, %k {axis = 0 : i64, wraps = true} : tensor<4x64xf32>, tensor<4xsi16> -> tensor<4x64xf32>
  %3 = graph.matmul %0, %w : tensor<?x63xf32, ["b"]>, tensor<63x8xf32> -> tensor<?x8xf32, ["b"]>
  %4 = graph.matmul %1, %v : tensor<3x64xf32>, tensor<64x8xf32> -> tensor<3x8xf32>
  %5 = graph.matmul %2, %v : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
  return %3, %4, %5 : tensor<?x8xf32, ["b"]>, tensor<3x8xf32>, tensor<4x8xf32>
}

// Constants are looked up out of order; what is computed would be kept for sizes that
// are seldom equal; an output has memory of its own, and what is updated is overwritten.
//
// CHECK-LABEL: func.func @other_operands
// CHECK-NOT:     graph.skips
func.func @other_operands(%x : tensor<?x64xf32, ["b"]>, %i : tensor<?xi64, ["b"]>, %j : tensor<?xi64, ["c"]>, %u : tensor<?x64xf32, ["b"]>, %w : tensor<64x8xf32>) -> (tensor<?x8xf32, ["c"]>, tensor<?x8xf32, ["c"]>, tensor<?x64xf32, ["b"]>, tensor<?x64xf32, ["b"]>) {
  %0 = graph.constant dense<2.0> : tensor<8x64xf32>
  %1 = graph.index_select %0, %j {axis = 0 : i64, wraps = true} : tensor<8x64xf32>, tensor<?xi64, ["c"]> -> tensor<?x64xf32, ["c"]>
  %2 = graph.matmul %1, %w : tensor<?x64xf32, ["c"]>, tensor<64x8xf32> -> tensor<?x8xf32, ["c"]>
  %3 = graph.exp %x : tensor<?x64xf32, ["b"]> -> tensor<?x64xf32, ["b"]>
  %4 = graph.index_select %3, %j {axis = 0 : i64, wraps = true} : tensor<?x64xf32, ["b"]>, tensor<?xi64, ["c"]> -> tensor<?x64xf32, ["c"]>
  %5 = graph.matmul %4, %w : tensor<?x64xf32, ["c"]>, tensor<64x8xf32> -> tensor<?x8xf32, ["c"]>
  %6 = graph.index_select %x, %i {axis = 0 : i64, wraps = true} : tensor<?x64xf32, ["b"]>, tensor<?xi64, ["b"]> -> tensor<?x64xf32, ["b"]>
  %7 = graph.index_select %x, %i {axis = 0 : i64, wraps = true} : tensor<?x64xf32, ["b"]>, tensor<?xi64, ["b"]> -> tensor<?x64xf32, ["b"]>
  %8 = graph.reshape %i {shape = ["b", "1"]} : tensor<?xi64, ["b"]> -> tensor<?x1xi64, ["b"]>
  %9 = graph.scatter_nd %7, %8, %u {axes = array<i64: 0>, wraps = false, reduction = "none"} : tensor<?x64xf32, ["b"]>, tensor<?x1xi64, ["b"]>, tensor<?x64xf32, ["b"]> -> tensor<?x64xf32, ["b"]>
  return %2, %5, %6, %9 : tensor<?x8xf32, ["c"]>, tensor<?x8xf32, ["c"]>, tensor<?x64xf32, ["b"]>, tensor<?x64xf32, ["b"]>
}

// Nor are indices compared that the run counts.
//
// CHECK-LABEL: func.func @late_indices
// CHECK-NOT:     graph.skips
func.func @late_indices(%x : tensor<?x64xf32, ["n"]>, %j : tensor<?xi64, ["n"]>, %i : tensor<i64>, %w : tensor<64x8xf32>) -> tensor<?x8xf32, ["k"]> {
  graph.define_symbol %i {symbol = "k", low = "0", high = "n"} : tensor<i64>
  %0 = graph.slice %x {starts = ["0", "0"], sizes = ["k", "64"], steps = array<i64: 1, 1>} : tensor<?x64xf32, ["n"]> -> tensor<?x64xf32, ["k"]>
  %1 = graph.slice %j {starts = ["0"], sizes = ["k"], steps = array<i64: 1>} : tensor<?xi64, ["n"]> -> tensor<?xi64, ["k"]>
  %2 = graph.index_select %0, %1 {axis = 0 : i64, wraps = true} : tensor<?x64xf32, ["k"]>, tensor<?xi64, ["k"]> -> tensor<?x64xf32, ["k"]>
  %3 = graph.matmul %2, %w : tensor<?x64xf32, ["k"]>, tensor<64x8xf32> -> tensor<?x8xf32, ["k"]>
  return %3 : tensor<?x8xf32, ["k"]>
}
