// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Axes before the last two broadcast.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
// CHECK:         graph.matmul %c, %d : tensor<7x1x2x3xf32>, tensor<4x3x5xf32> -> tensor<7x4x2x5xf32>
func.func @round_trip(%a : tensor<2x3xf32>, %b : tensor<3x5xf32>, %c : tensor<7x1x2x3xf32>, %d : tensor<4x3x5xf32>) {
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %1 = graph.matmul %c, %d : tensor<7x1x2x3xf32>, tensor<4x3x5xf32> -> tensor<7x4x2x5xf32>
  return
}

// -----

// The inner symbol goes, the outer ones stay.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.matmul %a, %b : tensor<?x?xf32, ["m", "k"]>, tensor<?x?xf32, ["k", "n"]> -> tensor<?x?xf32, ["m", "n"]>
func.func @symbols(%a : tensor<?x?xf32, ["m", "k"]>, %b : tensor<?x?xf32, ["k", "n"]>) {
  %0 = graph.matmul %a, %b : tensor<?x?xf32, ["m", "k"]>, tensor<?x?xf32, ["k", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  return
}

// -----

// A row of the first is as long as a column of the second.
func.func @inner_sizes_clash(%a : tensor<2x3xf32>, %b : tensor<4x5xf32>) {
  // expected-error {{expected MxK and KxN, got tensor<2x3xf32> and tensor<4x5xf32>}}
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return
}

// -----

// The symbol is this number when the model runs.
//
// CHECK-LABEL: func.func @symbol_and_number
// CHECK:         -> tensor<?x4xf32, ["m"]>
func.func @symbol_and_number(%a : tensor<?x?xf32, ["m", "k"]>, %b : tensor<3x4xf32>) {
  %0 = graph.matmul %a, %b : tensor<?x?xf32, ["m", "k"]>, tensor<3x4xf32> -> tensor<?x4xf32, ["m"]>
  return
}

// -----

// Both have rows and columns.
func.func @a_vector_is_no_matrix(%a : tensor<3xf32>, %b : tensor<3x5xf32>) {
  // expected-error {{expected MxK and KxN, got tensor<3xf32> and tensor<3x5xf32>}}
  %0 = graph.matmul %a, %b : tensor<3xf32>, tensor<3x5xf32> -> tensor<5xf32>
  return
}

// -----

// The axes before are of one size, or one of them is one.
func.func @stacks_clash(%a : tensor<2x2x3xf32>, %b : tensor<4x3x5xf32>) {
  // expected-error {{expected operands that broadcast, got tensor<2xf32> and tensor<4xf32>}}
  %0 = graph.matmul %a, %b : tensor<2x2x3xf32>, tensor<4x3x5xf32> -> tensor<4x2x5xf32>
  return
}

// -----

// Nothing is converted unasked.
func.func @dtypes_clash(%a : tensor<2x3xf32>, %b : tensor<3x5xf64>) {
  // expected-error {{expected operands of one dtype, got tensor<2x3xf32> and tensor<3x5xf64>}}
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x5xf64> -> tensor<2x5xf32>
  return
}

// -----

// A boolean is not a number.
func.func @booleans_have_no_product(%a : tensor<2x3xi1>, %b : tensor<3x5xi1>) {
  // expected-error {{expected number elements, got tensor<2x3xi1>}}
  %0 = graph.matmul %a, %b : tensor<2x3xi1>, tensor<3x5xi1> -> tensor<2x5xi1>
  return
}

// -----

// Bytes of any sign are summed in i32.
//
// CHECK-LABEL: func.func @bytes
// CHECK:         graph.matmul %a, %b {to = i32} : tensor<2x3xui8>, tensor<3x5xsi8> -> tensor<2x5xi32>
func.func @bytes(%a : tensor<2x3xui8>, %b : tensor<3x5xsi8>) {
  %0 = graph.matmul %a, %b {to = i32} : tensor<2x3xui8>, tensor<3x5xsi8> -> tensor<2x5xi32>
  return
}

// -----

// A load of an f32 widens nothing.
func.func @wider_sums_of_floats(%a : tensor<2x3xf32>, %b : tensor<3x5xf32>) {
  // expected-error {{expected bytes for sums of i32, got tensor<2x3xf32> and tensor<3x5xf32>}}
  %0 = graph.matmul %a, %b {to = i32} : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xi32>
  return
}
