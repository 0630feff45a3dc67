// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the type of the input; there may be more updates than indices.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.scatter %x, %i, %y {axis = 1 : i64, wraps = true, reduction = "none"} : tensor<3x7xf32>, tensor<2x5xi64>, tensor<2x6xf32> -> tensor<3x7xf32>
// CHECK:         reduction = "add"
// CHECK:         reduction = "mul"
// CHECK:         reduction = "max"
// CHECK:         reduction = "min"
func.func @round_trip(%x : tensor<3x7xf32>, %i : tensor<2x5xi64>, %y : tensor<2x6xf32>) {
  %0 = graph.scatter %x, %i, %y {axis = 1 : i64, wraps = true, reduction = "none"} : tensor<3x7xf32>, tensor<2x5xi64>, tensor<2x6xf32> -> tensor<3x7xf32>
  %1 = graph.scatter %x, %i, %y {axis = 1 : i64, wraps = true, reduction = "add"} : tensor<3x7xf32>, tensor<2x5xi64>, tensor<2x6xf32> -> tensor<3x7xf32>
  %2 = graph.scatter %x, %i, %y {axis = 1 : i64, wraps = true, reduction = "mul"} : tensor<3x7xf32>, tensor<2x5xi64>, tensor<2x6xf32> -> tensor<3x7xf32>
  %3 = graph.scatter %x, %i, %y {axis = 1 : i64, wraps = true, reduction = "max"} : tensor<3x7xf32>, tensor<2x5xi64>, tensor<2x6xf32> -> tensor<3x7xf32>
  %4 = graph.scatter %x, %i, %y {axis = 1 : i64, wraps = true, reduction = "min"} : tensor<3x7xf32>, tensor<2x5xi64>, tensor<2x6xf32> -> tensor<3x7xf32>
  return
}

// -----

// There may be any number of updates.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.scatter %x, %i, %y {axis = 0 : i64, wraps = false, reduction = "add"} : tensor<?xf32, ["n"]>, tensor<?xi64, ["k"]>, tensor<?xf32, ["k"]> -> tensor<?xf32, ["n"]>
func.func @symbols(%x : tensor<?xf32, ["n"]>, %i : tensor<?xi64, ["k"]>, %y : tensor<?xf32, ["k"]>) {
  %0 = graph.scatter %x, %i, %y {axis = 0 : i64, wraps = false, reduction = "add"} : tensor<?xf32, ["n"]>, tensor<?xi64, ["k"]>, tensor<?xf32, ["k"]> -> tensor<?xf32, ["n"]>
  return
}

// -----

// There is no line beyond the input.
func.func @indices_reach_too_far(%x : tensor<7x3xf32>, %i : tensor<5x4xi64>, %y : tensor<5x4xf32>) {
  // expected-error {{expected indices that fit off axis 0, got tensor<7x3xf32> and tensor<5x4xi64>}}
  %0 = graph.scatter %x, %i, %y {axis = 0 : i64, wraps = true, reduction = "none"} : tensor<7x3xf32>, tensor<5x4xi64>, tensor<5x4xf32> -> tensor<7x3xf32>
  return
}

// -----

// Updates are combined in one of four ways, or not.
func.func @no_such_reduction(%x : tensor<7xf32>, %i : tensor<5xi64>, %y : tensor<5xf32>) {
  // expected-error {{expected a reduction none, add, mul, max, min, got mean}}
  %0 = graph.scatter %x, %i, %y {axis = 0 : i64, wraps = true, reduction = "mean"} : tensor<7xf32>, tensor<5xi64>, tensor<5xf32> -> tensor<7xf32>
  return
}

// -----

// What is put into a tensor is of its dtype.
func.func @dtypes_clash(%x : tensor<7xf32>, %i : tensor<5xi64>, %y : tensor<5xf64>) {
  // expected-error {{expected updates of one dtype with the input, got tensor<7xf32> and tensor<5xf64>}}
  %0 = graph.scatter %x, %i, %y {axis = 0 : i64, wraps = true, reduction = "add"} : tensor<7xf32>, tensor<5xi64>, tensor<5xf64> -> tensor<7xf32>
  return
}

// -----

// No index is without an update.
func.func @too_few_updates(%x : tensor<7xf32>, %i : tensor<5xi64>, %y : tensor<4xf32>) {
  // expected-error {{expected an update for each index, got tensor<5xi64> and tensor<4xf32>}}
  %0 = graph.scatter %x, %i, %y {axis = 0 : i64, wraps = true, reduction = "add"} : tensor<7xf32>, tensor<5xi64>, tensor<4xf32> -> tensor<7xf32>
  return
}
