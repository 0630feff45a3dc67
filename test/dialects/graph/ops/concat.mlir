// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Along the axis sizes add up, and one tensor is enough.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.concat %a, %b {axis = 1 : i64} : tensor<2x3xf32>, tensor<2x5xf32> -> tensor<2x8xf32>
// CHECK:         graph.concat %a {axis = -2 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @round_trip(%a : tensor<2x3xf32>, %b : tensor<2x5xf32>) {
  %0 = graph.concat %a, %b {axis = 1 : i64} : tensor<2x3xf32>, tensor<2x5xf32> -> tensor<2x8xf32>
  %1 = graph.concat %a {axis = -2 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// Sums of symbols are kept in one form.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.concat %b, %a, %c {axis = 0 : i64} : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["m"]>, tensor<2x3xf32> -> tensor<?x3xf32, ["m + n + 2"]>
func.func @symbols(%a : tensor<?x3xf32, ["m"]>, %b : tensor<?x3xf32, ["n"]>, %c : tensor<2x3xf32>) {
  %0 = graph.concat %b, %a, %c {axis = 0 : i64} : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["m"]>, tensor<2x3xf32> -> tensor<?x3xf32, ["m + n + 2"]>
  return
}

// -----

// The axis is one of the operands'.
func.func @axis_out_of_range(%a : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got 2}}
  %0 = graph.concat %a, %a {axis = 2 : i64} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x6xf32>
  return
}

// -----

// Off the axis the sizes are the same.
func.func @other_axes_clash(%a : tensor<2x3xf32>, %b : tensor<4x3xf32>) {
  // expected-error {{expected tensors that differ along axis 1 only, got tensor<2x3xf32> and tensor<4x3xf32>}}
  %0 = graph.concat %a, %b {axis = 1 : i64} : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x6xf32>
  return
}

// -----

// All have as many axes.
func.func @ranks_clash(%a : tensor<2x3xf32>, %b : tensor<3xf32>) {
  // expected-error {{expected tensors that differ along axis 0 only, got tensor<2x3xf32> and tensor<3xf32>}}
  %0 = graph.concat %a, %b {axis = 0 : i64} : tensor<2x3xf32>, tensor<3xf32> -> tensor<3x3xf32>
  return
}

// -----

// All have elements of one type.
func.func @dtypes_clash(%a : tensor<2xf32>, %b : tensor<2xf64>) {
  // expected-error {{expected tensors of one dtype, got tensor<2xf32> and tensor<2xf64>}}
  %0 = graph.concat %a, %b {axis = 0 : i64} : tensor<2xf32>, tensor<2xf64> -> tensor<4xf32>
  return
}

// -----

// Of no tensors nobody knows the shape.
func.func @nothing_has_no_type() {
  // expected-error {{expected tensors to concatenate, got none}}
  %0 = graph.concat {axis = 0 : i64} : -> tensor<0xf32>
  return
}

// -----

// A tensor with one axis less, also where the one that is missing is the last.
func.func @ranks(%x : tensor<2x3xf32>, %y : tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{expected tensors that differ along axis 1 only, got tensor<2x3xf32> and tensor<2xf32>}}
  %0 = graph.concat %x, %y {axis = 1 : i64} : tensor<2x3xf32>, tensor<2xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
