// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the type of the input; there is a block for each row of indices.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.scatter_nd %x, %i, %y {axes = array<i64: 0, 2>, wraps = true, reduction = "none"} : tensor<3x7x4xf32>, tensor<5x6x2xi64>, tensor<5x6x7xf32> -> tensor<3x7x4xf32>
// CHECK:         graph.scatter_nd %v, %j, %z {axes = array<i64: 0>, wraps = false, reduction = "max"} : tensor<?xf32, ["n"]>, tensor<?x1xi32, ["k"]>, tensor<?xf32, ["k"]> -> tensor<?xf32, ["n"]>
func.func @round_trip(%x : tensor<3x7x4xf32>, %i : tensor<5x6x2xi64>, %y : tensor<5x6x7xf32>, %v : tensor<?xf32, ["n"]>, %j : tensor<?x1xi32, ["k"]>, %z : tensor<?xf32, ["k"]>) {
  %0 = graph.scatter_nd %x, %i, %y {axes = array<i64: 0, 2>, wraps = true, reduction = "none"} : tensor<3x7x4xf32>, tensor<5x6x2xi64>, tensor<5x6x7xf32> -> tensor<3x7x4xf32>
  %1 = graph.scatter_nd %v, %j, %z {axes = array<i64: 0>, wraps = false, reduction = "max"} : tensor<?xf32, ["n"]>, tensor<?x1xi32, ["k"]>, tensor<?xf32, ["k"]> -> tensor<?xf32, ["n"]>
  return
}

// -----

// The axis is one of the operand's.
func.func @axis_out_of_range(%x : tensor<7xf32>, %i : tensor<5x1xi64>, %y : tensor<5xf32>) {
  // expected-error {{expected axes that differ, from 0 to 0, got (1,)}}
  %0 = graph.scatter_nd %x, %i, %y {axes = array<i64: 1>, wraps = true, reduction = "none"} : tensor<7xf32>, tensor<5x1xi64>, tensor<5xf32> -> tensor<7xf32>
  return
}

// -----

// Updates are combined in one of four ways, or not.
func.func @no_such_reduction(%x : tensor<7xf32>, %i : tensor<5x1xi64>, %y : tensor<5xf32>) {
  // expected-error {{expected a reduction none, add, mul, max, min, got mean}}
  %0 = graph.scatter_nd %x, %i, %y {axes = array<i64: 0>, wraps = true, reduction = "mean"} : tensor<7xf32>, tensor<5x1xi64>, tensor<5xf32> -> tensor<7xf32>
  return
}

// -----

// What is put into a tensor is of its dtype.
func.func @dtypes_clash(%x : tensor<7xf32>, %i : tensor<5x1xi64>, %y : tensor<5xf64>) {
  // expected-error {{expected updates of one dtype with the input, got tensor<7xf32> and tensor<5xf64>}}
  %0 = graph.scatter_nd %x, %i, %y {axes = array<i64: 0>, wraps = true, reduction = "add"} : tensor<7xf32>, tensor<5x1xi64>, tensor<5xf64> -> tensor<7xf32>
  return
}

// -----

// An update is a block of the input.
func.func @blocks_clash(%x : tensor<7x3xf32>, %i : tensor<5x1xi64>, %y : tensor<5x4xf32>) {
  // expected-error {{expected a block of tensor<7x3xf32> for each index, got tensor<5x1xi64> and tensor<5x4xf32>}}
  %0 = graph.scatter_nd %x, %i, %y {axes = array<i64: 0>, wraps = true, reduction = "add"} : tensor<7x3xf32>, tensor<5x1xi64>, tensor<5x4xf32> -> tensor<7x3xf32>
  return
}
