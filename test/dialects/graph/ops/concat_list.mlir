// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The list says by its type what is concatenated.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.concat_list %l {axis = 1 : i64} : !graph.list<tensor<2x3xf32>, tensor<2x5xf32>> -> tensor<2x8xf32>
func.func @round_trip(%l : !graph.list<tensor<2x3xf32>, tensor<2x5xf32>>) {
  %0 = graph.concat_list %l {axis = 1 : i64} : !graph.list<tensor<2x3xf32>, tensor<2x5xf32>> -> tensor<2x8xf32>
  return
}

// -----

// Sums of symbols are kept in one form.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.concat_list %l {axis = 0 : i64} : !graph.list<tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>> -> tensor<?xf32, ["2 * n"]>
func.func @symbols(%l : !graph.list<tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>>) {
  %0 = graph.concat_list %l {axis = 0 : i64} : !graph.list<tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>> -> tensor<?xf32, ["2 * n"]>
  return
}

// -----

// Off the axis the sizes are the same.
func.func @other_axes_clash(%l : !graph.list<tensor<2x3xf32>, tensor<2x5xf32>>) {
  // expected-error {{expected tensors that differ along axis 0 only, got tensor<2x3xf32> and tensor<2x5xf32>}}
  %0 = graph.concat_list %l {axis = 0 : i64} : !graph.list<tensor<2x3xf32>, tensor<2x5xf32>> -> tensor<4x3xf32>
  return
}

// -----

// Of no tensors nobody knows the shape.
func.func @nothing_has_no_type(%l : !graph.list<>) {
  // expected-error {{expected tensors to concatenate, got none}}
  %0 = graph.concat_list %l {axis = 0 : i64} : !graph.list<> -> tensor<0xf32>
  return
}

// -----

// A list is not a tensor.
func.func @lists_of_lists(%l : !graph.list<!graph.list<tensor<2xf32>>>) {
  // expected-error {{expected a tensor, got !graph.list<tensor<2xf32>>}}
  %0 = graph.concat_list %l {axis = 0 : i64} : !graph.list<!graph.list<tensor<2xf32>>> -> tensor<2xf32>
  return
}
