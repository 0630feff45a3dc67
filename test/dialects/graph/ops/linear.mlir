// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The weight has a row for each column of the result; axes before the last stay.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.linear %x, %w : tensor<2x7x3xf32>, tensor<5x3xf32> -> tensor<2x7x5xf32>
// CHECK:         graph.linear %v, %w : tensor<3xf32>, tensor<5x3xf32> -> tensor<5xf32>
func.func @round_trip(%x : tensor<2x7x3xf32>, %v : tensor<3xf32>, %w : tensor<5x3xf32>) {
  %0 = graph.linear %x, %w : tensor<2x7x3xf32>, tensor<5x3xf32> -> tensor<2x7x5xf32>
  %1 = graph.linear %v, %w : tensor<3xf32>, tensor<5x3xf32> -> tensor<5xf32>
  return
}

// -----

// The batch may have any size.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.linear %x, %w : tensor<?x3xf32, ["batch"]>, tensor<5x3xf32> -> tensor<?x5xf32, ["batch"]>
func.func @symbols(%x : tensor<?x3xf32, ["batch"]>, %w : tensor<5x3xf32>) {
  %0 = graph.linear %x, %w : tensor<?x3xf32, ["batch"]>, tensor<5x3xf32> -> tensor<?x5xf32, ["batch"]>
  return
}

// -----

// A row of the input is as long as a row of the weight.
func.func @rows_clash(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>) {
  // expected-error {{expected ...xK and NxK, got tensor<2x3xf32> and tensor<3x5xf32>}}
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  return
}

// -----

// The weight has rows and columns.
func.func @weight_of_one_axis(%x : tensor<2x3xf32>, %w : tensor<3xf32>) {
  // expected-error {{expected ...xK and NxK, got tensor<2x3xf32> and tensor<3xf32>}}
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<3xf32> -> tensor<2xf32>
  return
}

// -----

// Nothing is converted unasked.
func.func @dtypes_clash(%x : tensor<2x3xf32>, %w : tensor<5x3xf64>) {
  // expected-error {{expected ...xK and NxK, got tensor<2x3xf32> and tensor<5x3xf64>}}
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<5x3xf64> -> tensor<2x5xf32>
  return
}

// -----

// A boolean is not a number.
func.func @booleans_have_no_product(%x : tensor<2x3xi1>, %w : tensor<5x3xi1>) {
  // expected-error {{expected number elements, got tensor<2x3xi1>}}
  %0 = graph.linear %x, %w : tensor<2x3xi1>, tensor<5x3xi1> -> tensor<2x5xi1>
  return
}

// -----

// Bytes of any sign are summed in i32.
//
// CHECK-LABEL: func.func @bytes
// CHECK:         graph.linear %x, %w {to = i32} : tensor<2x3xui8>, tensor<5x3xsi8> -> tensor<2x5xi32>
func.func @bytes(%x : tensor<2x3xui8>, %w : tensor<5x3xsi8>) {
  %0 = graph.linear %x, %w {to = i32} : tensor<2x3xui8>, tensor<5x3xsi8> -> tensor<2x5xi32>
  return
}
