// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Rows of the first are as long as all blocks of the second; axes before may be open.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.block_matmul %a, %b : tensor<2x7x12xf32>, tensor<3x4x5xf32> -> tensor<2x7x5xf32>
// CHECK:         graph.block_matmul %c, %b : tensor<?x12xf32, ["n"]>, tensor<3x4x5xf32> -> tensor<?x5xf32, ["n"]>
// CHECK:         graph.block_matmul %a, %d {batch = 1 : i64} : tensor<2x7x12xf32>, tensor<2x3x4x5xf32> -> tensor<2x7x5xf32>
func.func @round_trip(%a : tensor<2x7x12xf32>, %b : tensor<3x4x5xf32>, %c : tensor<?x12xf32, ["n"]>, %d : tensor<2x3x4x5xf32>) {
  %0 = graph.block_matmul %a, %b : tensor<2x7x12xf32>, tensor<3x4x5xf32> -> tensor<2x7x5xf32>
  %1 = graph.block_matmul %c, %b : tensor<?x12xf32, ["n"]>, tensor<3x4x5xf32> -> tensor<?x5xf32, ["n"]>
  %2 = graph.block_matmul %a, %d {batch = 1 : i64} : tensor<2x7x12xf32>, tensor<2x3x4x5xf32> -> tensor<2x7x5xf32>
  return
}

// -----

func.func @too_few_rows(%a : tensor<2x13xf32>, %b : tensor<3x4x5xf32>) {
  // expected-error {{expected ...xK and blocks of K rows, got tensor<2x13xf32> and tensor<3x4x5xf32>}}
  %0 = graph.block_matmul %a, %b : tensor<2x13xf32>, tensor<3x4x5xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @two_types(%a : tensor<2x12xf32>, %b : tensor<3x4x5xf64>) {
  // expected-error {{expected operands of one dtype, got tensor<2x12xf32> and tensor<3x4x5xf64>}}
  %0 = graph.block_matmul %a, %b : tensor<2x12xf32>, tensor<3x4x5xf64> -> tensor<2x5xf32>
  return
}

// -----

func.func @two_batches(%a : tensor<2x7x12xf32>, %b : tensor<3x3x4x5xf32>) {
  // expected-error {{expected ...xK and blocks of K rows behind 1 axes of one batch, got tensor<2x7x12xf32> and tensor<3x3x4x5xf32>}}
  %0 = graph.block_matmul %a, %b {batch = 1 : i64} : tensor<2x7x12xf32>, tensor<3x3x4x5xf32> -> tensor<2x7x5xf32>
  return
}

// -----

func.func @more_batches_than_axes(%a : tensor<2x12xf32>, %b : tensor<2x12x3x4x5xf32>) {
  // expected-error {{expected ...xK and blocks of K rows behind 2 axes of one batch, got tensor<2x12xf32> and tensor<2x12x3x4x5xf32>}}
  %0 = graph.block_matmul %a, %b {batch = 2 : i64} : tensor<2x12xf32>, tensor<2x12x3x4x5xf32> -> tensor<2x5xf32>
  return
}
