// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},outline-constants,pack-weights,reuse-operands' | filecheck %s

// A row of a softmax is stored once all of it was read.
//
// CHECK-LABEL: func.func @row
// CHECK:         graph.permute %x {order = array<i64: 1, 0>} :
// CHECK-NEXT:    graph.fusion %{{.*}} {graph.in_place = 0 : i64} :
func.func @row(%x : tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
  %1 = graph.fusion %0 : tensor<2x3xf32> -> tensor<2x3xf32> {
  ^bb0(%a : tensor<2x3xf32>):
    %2 = graph.reduce_max %a {axes = array<i64: 1>, keepdims = true} : tensor<2x3xf32> -> tensor<2x1xf32>
    %3 = graph.sub %a, %2 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
    %4 = graph.exp %3 : tensor<2x3xf32> -> tensor<2x3xf32>
    %5 = graph.sum %4 {axes = array<i64: 1>, keepdims = true} : tensor<2x3xf32> -> tensor<2x1xf32>
    %6 = graph.div %4, %5 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
    graph.yield %6 : tensor<2x3xf32>
  }
  return %1 : tensor<2x3xf32>
}

// Its last loop needs what the exponentials, which are kept in the result, would replace.
//
// CHECK-LABEL: func.func @row_read_again
// CHECK:         graph.fusion %{{[^ ]*}} : tensor<2x3xf32>
func.func @row_read_again(%x : tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
  %1 = graph.fusion %0 : tensor<2x3xf32> -> tensor<2x3xf32> {
  ^bb0(%a : tensor<2x3xf32>):
    %4 = graph.exp %a : tensor<2x3xf32> -> tensor<2x3xf32>
    %5 = graph.sum %4 {axes = array<i64: 1>, keepdims = true} : tensor<2x3xf32> -> tensor<2x1xf32>
    %6 = graph.div %4, %5 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
    %7 = graph.add %a, %6 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    graph.yield %7 : tensor<2x3xf32>
  }
  return %1 : tensor<2x3xf32>
}

// A row of accumulators is broadcast: all of a row need it.
//
// CHECK-LABEL: func.func @elements
// CHECK:         %[[A:.*]] = graph.permute %x
// CHECK:         %[[B:.*]] = graph.sum %{{[^ ]*}} {axes = array<i64: 1>, keepdims = true} :
// CHECK:         graph.sub %[[B]], %[[A]] {graph.in_place = 1 : i64} :
func.func @elements(%x : tensor<?x4xf32, ["n"]>) -> tensor<4x?xf32, ["n"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<?x4xf32, ["n"]> -> tensor<4x?xf32, ["n"]>
  %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : tensor<4x?xf32, ["n"]> -> tensor<4x1xf32>
  %2 = graph.sub %1, %0 : tensor<4x1xf32>, tensor<4x?xf32, ["n"]> -> tensor<4x?xf32, ["n"]>
  return %2 : tensor<4x?xf32, ["n"]>
}

// A chain of ops computes in one place; the last result may be an output.
//
// CHECK-LABEL: func.func @chain
// CHECK:         graph.exp %x :
// CHECK:         graph.cumsum %{{[^ ]*}} {axis = 0 : i64, graph.in_place = 0 : i64} :
// CHECK:         graph.reshape %{{[^ ]*}} {shape = ["2", "2"]} :
// CHECK:         graph.neg %{{[^ ]*}} {graph.in_place = 0 : i64} :
func.func @chain(%x : tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.cumsum %0 {axis = 0 : i64} : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.reshape %1 {shape = ["2", "2"]} : tensor<4xf32> -> tensor<2x2xf32>
  %3 = graph.neg %2 : tensor<2x2xf32> -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// Inputs and constants are never overwritten.
//
// CHECK-LABEL: func.func @not_ours
// CHECK-NOT:     graph.in_place
func.func @not_ours(%x : tensor<4xf32>) -> tensor<2x2xf32> {
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.add %x, %w : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reshape %x {shape = ["2", "2"]} : tensor<4xf32> -> tensor<2x2xf32>
  %2 = graph.neg %1 : tensor<2x2xf32> -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// What is read later, be it as a view or by the caller, is not over.
//
// CHECK-LABEL: func.func @needed_later
// CHECK-NOT:     graph.in_place
// CHECK:         return
func.func @needed_later(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.reshape %2 {shape = ["4", "1"]} : tensor<4xf32> -> tensor<4x1xf32>
  %4 = graph.neg %2 : tensor<4xf32> -> tensor<4xf32>
  %5 = graph.concat %3, %3 {axis = 1 : i64} : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
  %6 = graph.reshape %5 {shape = ["8"]} : tensor<4x2xf32> -> tensor<8xf32>
  return %0, %1, %6 : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// Other elements than the one that is stored are read.
//
// CHECK-LABEL: func.func @elsewhere
// CHECK-NOT:     graph.in_place
// CHECK:         return
func.func @elsewhere(%x : tensor<4x4xf32>, %i : tensor<4xi64>) -> tensor<4x4xf32> {
  %0 = graph.exp %x : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = graph.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = graph.index_select %2, %i {axis = 0 : i64, wraps = false} : tensor<4x4xf32>, tensor<4xi64> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// The same memory under two names is read at two places.
//
// CHECK-LABEL: func.func @two_names
// CHECK-NOT:     graph.in_place
// CHECK:         return
func.func @two_names(%x : tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.exp %x : tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = graph.reshape %0 {shape = ["2", "2"]} : tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = graph.fusion %0, %1 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32> {
  ^bb0(%a : tensor<2x2xf32>, %b : tensor<2x2xf32>):
    %3 = graph.permute %b {order = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
    %4 = graph.add %a, %3 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %4 : tensor<2x2xf32>
  }
  return %2 : tensor<2x2xf32>
}

// Elements of another type, or more of them, have other bytes.
//
// CHECK-LABEL: func.func @other_bytes
// CHECK-NOT:     graph.in_place
// CHECK:         return
func.func @other_bytes(%x : tensor<4xf32>) -> tensor<2x4xi32> {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.cast %0 {to = i32} : tensor<4xf32> -> tensor<4xi32>
  %2 = graph.expand %1 {shape = ["2", "4"]} : tensor<4xi32> -> tensor<2x4xi32>
  return %2 : tensor<2x4xi32>
}

// One of several nests would read what another wrote.
//
// CHECK-LABEL: func.func @several_nests
// CHECK-NOT:     graph.in_place
// CHECK:         return
func.func @several_nests(%x : tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.exp %x : tensor<2x4xf32> -> tensor<2x4xf32>
  %1 = graph.fusion %0 : tensor<2x4xf32> -> tensor<2x4xf32> {
  ^bb0(%a : tensor<2x4xf32>):
    %2 = graph.slice %a {starts = ["0", "0"], sizes = ["1", "4"], steps = array<i64: 1, 1>} : tensor<2x4xf32> -> tensor<1x4xf32>
    %3 = graph.slice %a {starts = ["0", "0"], sizes = ["1", "4"], steps = array<i64: 1, 1>} : tensor<2x4xf32> -> tensor<1x4xf32>
    %5 = graph.neg %2 : tensor<1x4xf32> -> tensor<1x4xf32>
    %4 = graph.concat %5, %3 {axis = 0 : i64} : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<2x4xf32>
    graph.yield %4 : tensor<2x4xf32>
  }
  return %1 : tensor<2x4xf32>
}

// A residual is added to accumulators that are finished.
//
// CHECK-LABEL: func.func @residual
// CHECK:         graph.fusion %x, %{{.*}}, %{{.*}} {{{.*}}graph.in_place = 2 : i64} :
func.func @residual(%x : tensor<5x16xf32>) -> tensor<5x16xf32> {
  %w = graph.constant dense<2.0> : tensor<16x16xf32>
  %0 = graph.exp %x : tensor<5x16xf32> -> tensor<5x16xf32>
  %1 = graph.fusion %x, %w, %0 : tensor<5x16xf32>, tensor<16x16xf32>, tensor<5x16xf32> -> tensor<5x16xf32> {
  ^bb0(%a : tensor<5x16xf32>, %b : tensor<16x16xf32>, %c : tensor<5x16xf32>):
    %2 = graph.matmul %a, %b : tensor<5x16xf32>, tensor<16x16xf32> -> tensor<5x16xf32>
    %3 = graph.add %2, %c : tensor<5x16xf32>, tensor<5x16xf32> -> tensor<5x16xf32>
    graph.yield %3 : tensor<5x16xf32>
  }
  return %1 : tensor<5x16xf32>
}

// Accumulators of so many steps are stored where the result will be, and need a place of it.
//
// CHECK-LABEL: func.func @residual_of_many_steps
// CHECK-NOT:     graph.in_place
// CHECK:         return
func.func @residual_of_many_steps(%x : tensor<5x2000xf32>, %y : tensor<5x16xf32>) -> tensor<5x16xf32> {
  %w = graph.constant dense<2.0> : tensor<2000x16xf32>
  %0 = graph.exp %y : tensor<5x16xf32> -> tensor<5x16xf32>
  %1 = graph.fusion %x, %w, %0 : tensor<5x2000xf32>, tensor<2000x16xf32>, tensor<5x16xf32> -> tensor<5x16xf32> {
  ^bb0(%a : tensor<5x2000xf32>, %b : tensor<2000x16xf32>, %c : tensor<5x16xf32>):
    %2 = graph.matmul %a, %b : tensor<5x2000xf32>, tensor<2000x16xf32> -> tensor<5x16xf32>
    %3 = graph.add %2, %c : tensor<5x16xf32>, tensor<5x16xf32> -> tensor<5x16xf32>
    graph.yield %3 : tensor<5x16xf32>
  }
  return %1 : tensor<5x16xf32>
}

// In a region, what it takes belongs to its op, and what it yields has its place.
//
// CHECK-LABEL: func.func @region
// CHECK:         graph.neg %h :
// CHECK-NEXT:    graph.exp %{{[^ ]*}} {graph.in_place = 0 : i64} :
// CHECK-NEXT:    graph.tanh %{{[^ ]*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT:    graph.yield
func.func @region(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.loop %0 {trips = "3", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%h : tensor<4xf32>):
    %2 = graph.neg %h : tensor<4xf32> -> tensor<4xf32>
    %3 = graph.exp %2 : tensor<4xf32> -> tensor<4xf32>
    %4 = graph.tanh %3 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %4 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// Of several nests the first copies the operand, and the others do not read it.
//
// CHECK-LABEL: func.func @update
// CHECK:         graph.scatter {{.*}}graph.in_place = 0 : i64
func.func @update(%x : tensor<2x4xf32>, %i : tensor<1x2xi64>, %u : tensor<1x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
  %1 = graph.scatter %0, %i, %u {axis = 0 : i64, wraps = false, reduction = "add"} : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// The updates are those that the first loop would have left.
//
// CHECK-LABEL: func.func @update_by_itself
// CHECK:         graph.scatter {{.*}}reduction = "add"} :
func.func @update_by_itself(%x : tensor<2x4xf32>, %i : tensor<4x2xi64>) -> tensor<4x2xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
  %1 = graph.scatter %0, %i, %0 {axis = 0 : i64, wraps = true, reduction = "add"} : tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x2xf32> -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// What a result may be at run time is not overwritten while that is needed: the operand
// is read again later, or is an input, or the result would not be where it is returned.
//
// CHECK-LABEL: func.func @may_be_its_operand
// CHECK:         graph.permute %{{[^ ]*}} {order = array<i64: 1, 0>, graph.skips = [{{.*}}]} :
// CHECK-NEXT:    graph.neg %{{[^ ]*}} :
// CHECK-NEXT:    graph.permute
// CHECK-NEXT:    graph.add
func.func @may_be_its_operand(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["n", "m"]> {
  %0 = graph.relu %x : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  %1 = graph.permute %0 {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1", "n - 1"]]>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  %2 = graph.neg %1 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  %3 = graph.permute %2 {order = array<i64: 1, 0>} : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["n", "m"]>
  %4 = graph.add %0, %3 : tensor<?x?xf32, ["n", "m"]>, tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  return %4 : tensor<?x?xf32, ["n", "m"]>
}

// CHECK-LABEL: func.func @may_be_an_input
// CHECK:         graph.permute %x {order = array<i64: 1, 0>, graph.skips = [{{.*}}]} :
// CHECK-NEXT:    graph.neg %{{[^ ]*}} :
// CHECK-NEXT:    graph.exp %{{[^ ]*}} {graph.in_place = 0 : i64} :
func.func @may_be_an_input(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["m", "n"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1", "n - 1"]]>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  %1 = graph.neg %0 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  %2 = graph.exp %1 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  return %2 : tensor<?x?xf32, ["m", "n"]>
}

// Where neither is needed later both are free; but what is returned has its own memory,
// which the operand does not lie in.
//
// CHECK-LABEL: func.func @both_are_free
// CHECK:         graph.permute %{{[^ ]*}} {order = array<i64: 1, 0>, graph.skips = [{{.*}}]} :
// CHECK-NEXT:    graph.neg %{{[^ ]*}} {graph.in_place = 0 : i64} :
// CHECK-NEXT:    graph.exp %{{[^ ]*}} :
func.func @both_are_free(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["m", "n"]> {
  %0 = graph.relu %x : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  %1 = graph.permute %0 {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1", "n - 1"]]>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  %2 = graph.neg %1 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  %3 = graph.exp %2 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  return %3 : tensor<?x?xf32, ["m", "n"]>
}

// Both are read by one kernel, where they may be one.
//
// CHECK-LABEL: func.func @read_by_both_names
// CHECK:         graph.expand %{{[^ ]*}} {shape = ["m", "4"], graph.skips = [{{.*}}]} :
// CHECK-NEXT:    graph.add %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK-NEXT:    graph.permute
func.func @read_by_both_names(%x : tensor<1x4xf32>) -> tensor<4x?xf32, ["m"]> {
  %0 = graph.relu %x : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = graph.expand %0 {shape = ["m", "4"], graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1"]]>]} : tensor<1x4xf32> -> tensor<?x4xf32, ["m"]>
  %2 = graph.add %1, %0 : tensor<?x4xf32, ["m"]>, tensor<1x4xf32> -> tensor<?x4xf32, ["m"]>
  %3 = graph.permute %2 {order = array<i64: 1, 0>} : tensor<?x4xf32, ["m"]> -> tensor<4x?xf32, ["m"]>
  return %3 : tensor<4x?xf32, ["m"]>
}

// An output may be computed in the memory of an input, if a call gives it for both; an
// operand that is read at other positions, or later, may not be overwritten.
//
// CHECK-LABEL: func.func @states
// CHECK:         graph.mul %{{.*}}, %{{.*}} {graph.donated = array<i64: 0>}
// CHECK-NEXT:    graph.exp %{{.*}} {graph.donated = array<i64: 0>}
// CHECK-NEXT:    graph.matmul
// CHECK-NOT:     graph.donated
func.func @states(%x : tensor<2x2xf32>, %w : tensor<2x2xf32>, %v : tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = graph.mul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = graph.exp %w : tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = graph.matmul %v, %0 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// A function of one output has no state beside it.
//
// CHECK-LABEL: func.func @one_output
// CHECK-NOT:     graph.donated
func.func @one_output(%x : tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.exp %x : tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
