// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},own-outputs,split-updates,reuse-operands,order-ops,analyze-aliases,assign-buffers,verify-buffers' | filecheck %s

// What is large is made smaller before the next that is large is computed.
//
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    lower_bound = 1088 : i64
// CHECK:         %[[A:.*]] = graph.matmul %x, %y
// CHECK-NEXT:    graph.reduce_max %[[A]]
// CHECK-NEXT:    %[[B:.*]] = graph.matmul %y, %x
// CHECK-NEXT:    graph.reduce_max %[[B]]
func.func @branches(%x : tensor<16x16xf32>, %y : tensor<16x16xf32>) -> tensor<16x1xf32> {
  %0 = graph.matmul %x, %y : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = graph.matmul %y, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %2 = graph.reduce_max %0 {axes = array<i64: 1>, keepdims = true} : tensor<16x16xf32> -> tensor<16x1xf32>
  %3 = graph.reduce_max %1 {axes = array<i64: 1>, keepdims = true} : tensor<16x16xf32> -> tensor<16x1xf32>
  %4 = graph.add %2, %3 : tensor<16x1xf32>, tensor<16x1xf32> -> tensor<16x1xf32>
  return %4 : tensor<16x1xf32>
}

// Where one op needs all that the bound is, no order is better, and none is taken.
//
// CHECK-LABEL: func.func @no_order_is_better
// CHECK-SAME:    lower_bound = 2048 : i64
// CHECK:         %[[A:.*]] = graph.matmul %x, %y
// CHECK-NEXT:    %[[B:.*]] = graph.matmul %y, %x
// CHECK-NEXT:    graph.matmul %[[A]], %[[B]]
func.func @no_order_is_better(%x : tensor<16x16xf32>, %y : tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = graph.matmul %x, %y : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = graph.matmul %y, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %2 = graph.matmul %0, %1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

// An op that overwrites its operand stays after all that read it.
//
// CHECK-LABEL: func.func @overwritten
// CHECK:         %[[A:.*]] = graph.matmul %x, %y
// CHECK-NEXT:    %[[R:.*]] = graph.reduce_max %[[A]]
// CHECK-NEXT:    %[[E:.*]] = graph.exp %[[A]] {graph.in_place = 0 : i64
// CHECK-NEXT:    %[[S:.*]] = graph.reduce_max %[[E]]
// CHECK:         %[[B:.*]] = graph.matmul %y, %x
// CHECK-NEXT:    graph.reduce_max %[[B]]
func.func @overwritten(%x : tensor<16x16xf32>, %y : tensor<16x16xf32>) -> tensor<16x1xf32> {
  %0 = graph.matmul %x, %y : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = graph.matmul %y, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %2 = graph.reduce_max %0 {axes = array<i64: 1>, keepdims = true} : tensor<16x16xf32> -> tensor<16x1xf32>
  %3 = graph.exp %0 : tensor<16x16xf32> -> tensor<16x16xf32>
  %4 = graph.reduce_max %3 {axes = array<i64: 1>, keepdims = true} : tensor<16x16xf32> -> tensor<16x1xf32>
  %5 = graph.reduce_max %1 {axes = array<i64: 1>, keepdims = true} : tensor<16x16xf32> -> tensor<16x1xf32>
  %6 = graph.add %2, %4 : tensor<16x1xf32>, tensor<16x1xf32> -> tensor<16x1xf32>
  %7 = graph.add %6, %5 : tensor<16x1xf32>, tensor<16x1xf32> -> tensor<16x1xf32>
  return %7 : tensor<16x1xf32>
}

// Sizes that the run decides have another bound in each call: nothing is moved.
//
// CHECK-LABEL: func.func @open_sizes
// CHECK:         graph.matmul %x, %y
// CHECK-NEXT:    graph.matmul %y, %x
func.func @open_sizes(%x : tensor<?x?xf32, ["n", "n"]>, %y : tensor<?x?xf32, ["n", "n"]>) -> tensor<?x1xf32, ["n"]> {
  %0 = graph.matmul %x, %y : tensor<?x?xf32, ["n", "n"]>, tensor<?x?xf32, ["n", "n"]> -> tensor<?x?xf32, ["n", "n"]>
  %1 = graph.matmul %y, %x : tensor<?x?xf32, ["n", "n"]>, tensor<?x?xf32, ["n", "n"]> -> tensor<?x?xf32, ["n", "n"]>
  %2 = graph.reduce_max %0 {axes = array<i64: 1>, keepdims = true} : tensor<?x?xf32, ["n", "n"]> -> tensor<?x1xf32, ["n"]>
  %3 = graph.reduce_max %1 {axes = array<i64: 1>, keepdims = true} : tensor<?x?xf32, ["n", "n"]> -> tensor<?x1xf32, ["n"]>
  %4 = graph.add %2, %3 : tensor<?x1xf32, ["n"]>, tensor<?x1xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
  return %4 : tensor<?x1xf32, ["n"]>
}

// The last use of an input stays before an output that a call may give its memory to.
//
// CHECK-LABEL: func.func @donated
// CHECK:         graph.reduce_max %x
// CHECK:         graph.matmul
func.func @donated(%x : tensor<16x16xf32>, %y : tensor<16x16xf32>) -> (tensor<16x1xf32>, tensor<16x16xf32>) {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keepdims = true} : tensor<16x16xf32> -> tensor<16x1xf32>
  %1 = graph.matmul %y, %y : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %0, %1 : tensor<16x1xf32>, tensor<16x16xf32>
}

// What lies within an op may be of a size that only the run knows, where nothing around it is.
//
// CHECK-LABEL: func.func @inner_size_is_open
// CHECK:         graph.loop
func.func @inner_size_is_open(%x: tensor<?x4xf32, ["n"]>) -> tensor<?x4xf32, ["n"]> {
  %0 = graph.loop %x {trips = "3", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]> {
  ^bb0(%a: tensor<?x4xf32, ["n"]>):
    %1 = graph.softmax %a {axis = 1 : i64} : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
    %2 = graph.softmax %1 {axis = 0 : i64} : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
    graph.yield %2 : tensor<?x4xf32, ["n"]>
  }
  return %0 : tensor<?x4xf32, ["n"]>
}
