// RUN: sr-opt %s -p eliminate-no-ops | filecheck %s
// RUN: sr-opt %s -p "eliminate-no-ops{views=true}" | filecheck %s --check-prefix=VIEWS

// Ops that only pass their operand on are gone, and their users read the operand.
//
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    return %[[R]]
func.func @chain(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.concat %0 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.relu %1 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// No op is named in the pass: each of these moves every element to where it was.
//
// CHECK-LABEL: func.func @every_kind
// CHECK-NEXT:    return %x
func.func @every_kind(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %x {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.slice %0 {starts = ["0", "0"], sizes = ["2", "3"], steps = array<i64: 1, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.permute %1 {order = array<i64: 0, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.expand %2 {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.pad %3 {low = array<i64: 0, 0>, high = array<i64: 0, 0>, value = 0.0 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// A slice of all that there is, however much that is.
//
// CHECK-LABEL: func.func @symbols
// CHECK-NEXT:    return %x
func.func @symbols(%x : tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.slice %x {starts = ["0"], sizes = ["n"], steps = array<i64: 1>} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %0 : tensor<?xf32, ["n"]>
}

// One element is in order forwards and backwards.
//
// CHECK-LABEL: func.func @one_element
// CHECK-NEXT:    return %x
func.func @one_element(%x : tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.slice %x {starts = ["0", "0"], sizes = ["1", "1"], steps = array<i64: 1, -1>} : tensor<1x1xf32> -> tensor<1x1xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<1x1xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// A slice of an axis of one element begins at it, which is still checked.
//
// CHECK-LABEL: func.func @start_of_the_run
// CHECK-NEXT:    graph.require {amount = "-k"
// CHECK-NEXT:    return %x
func.func @start_of_the_run(%x : tensor<1x4xf32>, %y : tensor<?xf32, ["k + 2"]>) -> tensor<1x4xf32> {
  %0 = graph.slice %x {starts = ["k", "0"], sizes = ["1", "4"], steps = array<i64: 1, 1>} : tensor<1x4xf32> -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// The type is the same, but the elements change places.
//
// CHECK-LABEL: func.func @elements_change_places
// CHECK:         graph.slice
// CHECK:         graph.permute
func.func @elements_change_places(%x : tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = graph.slice %x {starts = ["0", "2"], sizes = ["3", "3"], steps = array<i64: 1, -1>} : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<3x3xf32> -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// The elements stay in place, but their type or the shape around them changes.
//
// CHECK-LABEL: func.func @type_changes
// CHECK:         graph.cast
// CHECK:         graph.reshape
func.func @type_changes(%x : tensor<2x3xf32>) -> tensor<6xf64> {
  %0 = graph.cast %x {to = f64} : tensor<2x3xf32> -> tensor<2x3xf64>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf64> -> tensor<6xf64>
  return %1 : tensor<6xf64>
}

// The shape stays, but something is computed.
//
// CHECK-LABEL: func.func @elements_change
// CHECK:         graph.neg
func.func @elements_change(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A sum of one element is not always that element: that of -0.0 is 0.0.
//
// CHECK-LABEL: func.func @reduces_one_element
// CHECK:         graph.sum
func.func @reduces_one_element(%x : tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = true} : tensor<3x1xf32> -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// Somebody asked for memory that nothing else shares.
//
// CHECK-LABEL: func.func @copy_is_meant
// CHECK:         graph.copy
func.func @copy_is_meant(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.copy %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A reduction over axes of one element is that element, unless it adds floats.
//
// CHECK-LABEL: func.func @greatest_of_one
// CHECK-NEXT:    return %x
func.func @greatest_of_one(%x : tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keepdims = true} : tensor<3x1xf32> -> tensor<3x1xf32>
  %1 = graph.cumprod %0 {axis = 1 : i64} : tensor<3x1xf32> -> tensor<3x1xf32>
  return %1 : tensor<3x1xf32>
}

// What is empty adds nothing to a concatenation, and updates nothing.
//
// CHECK-LABEL: func.func @nothing_is_added
// CHECK-NEXT:    return %x
func.func @nothing_is_added(%x : tensor<3x2xf32>, %i : tensor<0x2xi64>, %none : tensor<0x2xf32>) -> tensor<3x2xf32> {
  %0 = graph.concat %none, %x {axis = 0 : i64} : tensor<0x2xf32>, tensor<3x2xf32> -> tensor<3x2xf32>
  %1 = graph.scatter %0, %i, %none {axis = 0 : i64, wraps = true, reduction = "add"} : tensor<3x2xf32>, tensor<0x2xi64>, tensor<0x2xf32> -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Zero is added to -0.0 as well.
//
// CHECK-LABEL: func.func @adds_zero
// CHECK:         graph.add
func.func @adds_zero(%x : tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.constant dense<0.0> : tensor<f32>
  %1 = graph.add %x, %0 : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Indices that lie in memory are checked, even if only one is allowed.
//
// CHECK-LABEL: func.func @index_is_checked
// CHECK:         graph.index_select
func.func @index_is_checked(%x : tensor<1x3xf32>, %i : tensor<1xi64>) -> tensor<1x3xf32> {
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = false} : tensor<1x3xf32>, tensor<1xi64> -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// Another shape needs a view, which `fuse` would not look through.
//
// CHECK-LABEL: func.func @another_shape
// CHECK:         graph.permute
// VIEWS-LABEL: func.func @another_shape
// VIEWS-NEXT:    %[[R:.*]] = graph.reshape %x {shape = ["b", "4", "1"]} : tensor<?x1x4xf32, ["b"]> -> tensor<?x4x1xf32, ["b"]>
// VIEWS-NEXT:    graph.relu %[[R]]
func.func @another_shape(%x : tensor<?x1x4xf32, ["b"]>) -> tensor<?x4x1xf32, ["b"]> {
  %0 = graph.permute %x {order = array<i64: 0, 2, 1>} : tensor<?x1x4xf32, ["b"]> -> tensor<?x4x1xf32, ["b"]>
  %1 = graph.relu %0 : tensor<?x4x1xf32, ["b"]> -> tensor<?x4x1xf32, ["b"]>
  return %1 : tensor<?x4x1xf32, ["b"]>
}

// A fusion of ops that each move elements, and together none.
//
// VIEWS-LABEL: func.func @moves_there_and_back
// VIEWS-NEXT:    %[[R:.*]] = graph.reshape %x {shape = ["1", "2", "3"]}
// VIEWS-NEXT:    graph.relu %[[R]]
func.func @moves_there_and_back(%x : tensor<2x3xf32>) -> tensor<1x2x3xf32> {
  %0 = graph.fusion %x : tensor<2x3xf32> -> tensor<1x2x3xf32> {
  ^bb0(%a : tensor<2x3xf32>):
    %2 = graph.permute %a {order = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
    %3 = graph.permute %2 {order = array<i64: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
    %4 = graph.expand %3 {shape = ["1", "2", "3"]} : tensor<2x3xf32> -> tensor<1x2x3xf32>
    graph.yield %4 : tensor<1x2x3xf32>
  }
  %1 = graph.relu %0 : tensor<1x2x3xf32> -> tensor<1x2x3xf32>
  return %1 : tensor<1x2x3xf32>
}

// An output is computed in its own memory: a view of what is computed for it alone, but
// a copy of an input, and of another output.
//
// VIEWS-LABEL: func.func @outputs
// VIEWS:         %[[A:.*]] = graph.relu %x
// VIEWS-NEXT:    %[[B:.*]] = graph.reshape %[[A]]
// VIEWS-NEXT:    %[[C:.*]] = graph.permute %x
// VIEWS-NEXT:    %[[D:.*]] = graph.permute %[[B]]
// VIEWS-NEXT:    return %[[B]], %[[C]], %[[D]]
func.func @outputs(%x : tensor<1x4xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x4xf32>) {
  %0 = graph.relu %x : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<1x4xf32> -> tensor<4x1xf32>
  %2 = graph.permute %x {order = array<i64: 1, 0>} : tensor<1x4xf32> -> tensor<4x1xf32>
  %3 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<4x1xf32> -> tensor<1x4xf32>
  return %1, %2, %3 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x4xf32>
}

// What a region yields is computed in the memory of the result, and what a loop carries
// in memory that it overwrites: both remain copies.
//
// VIEWS-LABEL: func.func @regions
// VIEWS:         %[[S:.*]] = graph.permute %x
// VIEWS-NEXT:    graph.loop %[[S]]
// VIEWS:           %[[A:.*]] = graph.reshape %{{.*}} {shape = ["1", "4"]}
// VIEWS-NEXT:      %[[B:.*]] = graph.exp %[[A]]
// VIEWS-NEXT:      %[[C:.*]] = graph.permute %[[B]]
// VIEWS-NEXT:      graph.yield %[[C]]
func.func @regions(%x : tensor<1x4xf32>) -> tensor<4x1xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<1x4xf32> -> tensor<4x1xf32>
  %1 = graph.loop %0 {trips = "5", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<4x1xf32> -> tensor<4x1xf32> {
  ^bb0(%h: tensor<4x1xf32>):
    %a = graph.permute %h {order = array<i64: 1, 0>} : tensor<4x1xf32> -> tensor<1x4xf32>
    %b = graph.exp %a : tensor<1x4xf32> -> tensor<1x4xf32>
    %c = graph.permute %b {order = array<i64: 1, 0>} : tensor<1x4xf32> -> tensor<4x1xf32>
    graph.yield %c : tensor<4x1xf32>
  }
  return %1 : tensor<4x1xf32>
}

// A slice requires that it begins inside an axis of one, and no view says so.
//
// VIEWS-LABEL: func.func @requirements
// VIEWS-NEXT:    graph.require {amount = "-k"
// VIEWS:         %[[R:.*]] = graph.subview %x {offset = "k", shape = ["1", "n"]}
// VIEWS-NEXT:    graph.relu %[[R]]
func.func @requirements(%x : tensor<?x1xf32, ["n"]>, %y : tensor<?xf32, ["k"]>) -> tensor<1x?xf32, ["n"]> {
  %0 = graph.fusion %x : tensor<?x1xf32, ["n"]> -> tensor<1x?xf32, ["n"]> {
  ^bb0(%a : tensor<?x1xf32, ["n"]>):
    %2 = graph.slice %a {starts = ["0", "k"], sizes = ["n", "1"], steps = array<i64: 1, 1>} : tensor<?x1xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
    %3 = graph.permute %2 {order = array<i64: 1, 0>} : tensor<?x1xf32, ["n"]> -> tensor<1x?xf32, ["n"]>
    graph.yield %3 : tensor<1x?xf32, ["n"]>
  }
  %1 = graph.relu %0 : tensor<1x?xf32, ["n"]> -> tensor<1x?xf32, ["n"]>
  return %1 : tensor<1x?xf32, ["n"]>
}

// Parts of a tensor that lie side by side are views of it, as long as they are most of
// it: a view keeps all of the tensor.
//
// VIEWS-LABEL: func.func @parts
// VIEWS:         %[[R:.*]] = graph.relu %x
// VIEWS-NEXT:    %[[A:.*]] = graph.subview %[[R]] {offset = "0", shape = ["2", "3"]}
// VIEWS-NEXT:    %[[B:.*]] = graph.subview %[[R]] {offset = "6", shape = ["2", "3"]}
// VIEWS-NEXT:    graph.matmul %[[A]], %{{.*}}
func.func @parts(%x : tensor<4x3xf32>, %w : tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  %0 = graph.relu %x : tensor<4x3xf32> -> tensor<4x3xf32>
  %1 = graph.slice %0 {starts = ["0", "0"], sizes = ["2", "3"], steps = array<i64: 1, 1>} : tensor<4x3xf32> -> tensor<2x3xf32>
  %2 = graph.slice %0 {starts = ["2", "0"], sizes = ["2", "3"], steps = array<i64: 1, 1>} : tensor<4x3xf32> -> tensor<2x3xf32>
  %3 = graph.matmul %1, %w : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %4 = graph.exp %2 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %3, %4 : tensor<2x2xf32>, tensor<2x3xf32>
}

// VIEWS-LABEL: func.func @small_part
// VIEWS:         graph.slice
func.func @small_part(%x : tensor<64x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.relu %x : tensor<64x3xf32> -> tensor<64x3xf32>
  %1 = graph.slice %0 {starts = ["2", "0"], sizes = ["2", "3"], steps = array<i64: 1, 1>} : tensor<64x3xf32> -> tensor<2x3xf32>
  %2 = graph.exp %1 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// All of an input is there anyway; where a part begins may depend on sizes. What does not
// lie side by side, or is returned, is copied.
//
// VIEWS-LABEL: func.func @parts_of_an_input
// VIEWS-NEXT:    graph.require
// VIEWS:         %[[A:.*]] = graph.subview %x {offset = "4 * n - 8", shape = ["1", "4"]}
// VIEWS-NEXT:    graph.exp %[[A]]
// VIEWS-NEXT:    %[[B:.*]] = graph.slice
// VIEWS-NEXT:    graph.exp %[[B]]
// VIEWS-NEXT:    graph.slice
// VIEWS-NEXT:    return
func.func @parts_of_an_input(%x : tensor<?x4xf32, ["n"]>) -> (tensor<1x4xf32>, tensor<?x2xf32, ["n"]>, tensor<1x4xf32>) {
  %0 = graph.slice %x {starts = ["n - 2", "0"], sizes = ["1", "4"], steps = array<i64: 1, 1>} : tensor<?x4xf32, ["n"]> -> tensor<1x4xf32>
  %1 = graph.exp %0 : tensor<1x4xf32> -> tensor<1x4xf32>
  %2 = graph.slice %x {starts = ["0", "0"], sizes = ["n", "2"], steps = array<i64: 1, 1>} : tensor<?x4xf32, ["n"]> -> tensor<?x2xf32, ["n"]>
  %3 = graph.exp %2 : tensor<?x2xf32, ["n"]> -> tensor<?x2xf32, ["n"]>
  %4 = graph.slice %x {starts = ["1", "0"], sizes = ["1", "4"], steps = array<i64: 1, 1>} : tensor<?x4xf32, ["n"]> -> tensor<1x4xf32>
  return %1, %3, %4 : tensor<1x4xf32>, tensor<?x2xf32, ["n"]>, tensor<1x4xf32>
}

// Indices that are known may be in order; they are not if one is not, or some are left
// out.
//
// CHECK-LABEL: func.func @order
// CHECK-NOT:     %{{.*}} = graph.index_select %x, %c
// CHECK:         graph.index_select %x, %d
// CHECK:         graph.index_select %x, %e
func.func @order(%x : tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) {
  %c = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
  %d = graph.constant dense<[0, 1, 1]> : tensor<3xi64>
  %e = graph.constant dense<[0, 1]> : tensor<2xi64>
  %0 = graph.index_select %x, %c {axis = 0 : i64, wraps = true} : tensor<3x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
  %1 = graph.index_select %0, %d {axis = 0 : i64, wraps = true} : tensor<3x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
  %2 = graph.index_select %0, %e {axis = 0 : i64, wraps = true} : tensor<3x2xf32>, tensor<2xi64> -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>
}
