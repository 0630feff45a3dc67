// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Panels of 16 of 120 columns, the last one filled up; and of columns whose rows may be any number.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.pack %x {axis = 1 : i64, width = 16 : i64} : tensor<64x120xf32> -> tensor<8x64x16xf32>
// CHECK:         graph.pack %y {axis = 0 : i64, width = 8 : i64} : tensor<24x?x3xf32, ["n"]> -> tensor<3x?x8xf32, ["3 * n"]>
func.func @round_trip(%x : tensor<64x120xf32>, %y : tensor<24x?x3xf32, ["n"]>) {
  %0 = graph.pack %x {axis = 1 : i64, width = 16 : i64} : tensor<64x120xf32> -> tensor<8x64x16xf32>
  %1 = graph.pack %y {axis = 0 : i64, width = 8 : i64} : tensor<24x?x3xf32, ["n"]> -> tensor<3x?x8xf32, ["3 * n"]>
  return
}

// -----

func.func @no_axis(%x : tensor<5x3xf32>) {
  // expected-error {{expected an axis of tensor<5x3xf32> and a width, got 2 and 4}}
  %0 = graph.pack %x {axis = 2 : i64, width = 4 : i64} : tensor<5x3xf32> -> tensor<1x5x4xf32>
  return
}

// -----

func.func @no_width(%x : tensor<5x3xf32>) {
  // expected-error {{expected an axis of tensor<5x3xf32> and a width, got 1 and 0}}
  %0 = graph.pack %x {axis = 1 : i64, width = 0 : i64} : tensor<5x3xf32> -> tensor<1x5x4xf32>
  return
}

// -----

func.func @open_columns(%x : tensor<5x?xf32, ["n"]>) {
  // expected-error {{expected a known number of columns, got n}}
  %0 = graph.pack %x {axis = 1 : i64, width = 4 : i64} : tensor<5x?xf32, ["n"]> -> tensor<1x5x4xf32>
  return
}
