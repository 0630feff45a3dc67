// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Each position of a tile has a matrix of tiles and channels.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.winograd_input %x {tile = 2 : i64} : tensor<1x6x9x3xf32> -> tensor<16x8x3xf32>
// CHECK:         graph.winograd_input %y {tile = 4 : i64} : tensor<1x?x9x3xf32, ["h"]> -> tensor<36x?x3xf32, ["2 * floordiv(h + 1, 4)"]>
// CHECK:         graph.winograd_output %z {tile = 2 : i64, shape = ["1", "4", "7", "3"]} : tensor<16x8x3xf32> -> tensor<1x4x7x3xf32>
func.func @round_trip(%x : tensor<1x6x9x3xf32>, %y : tensor<1x?x9x3xf32, ["h"]>, %z : tensor<16x8x3xf32>) {
  %0 = graph.winograd_input %x {tile = 2 : i64} : tensor<1x6x9x3xf32> -> tensor<16x8x3xf32>
  %1 = graph.winograd_input %y {tile = 4 : i64} : tensor<1x?x9x3xf32, ["h"]> -> tensor<36x?x3xf32, ["2 * floordiv(h + 1, 4)"]>
  %2 = graph.winograd_output %z {tile = 2 : i64, shape = ["1", "4", "7", "3"]} : tensor<16x8x3xf32> -> tensor<1x4x7x3xf32>
  return
}

// -----

// There are tiles of two sizes.
func.func @tile(%x : tensor<1x6x9x3xf32>) {
  // expected-error {{expected tiles of 2 or 4, got 3}}
  %0 = graph.winograd_input %x {tile = 3 : i64} : tensor<1x6x9x3xf32> -> tensor<25x6x3xf32>
  return
}

// -----

// A window of three fits the image, or is one row too long.
func.func @too_long(%x : tensor<1x1x9x3xf32>) {
  // expected-error {{expected an image NxHxWxC of f32 with two rows and columns or more, got tensor<1x1x9x3xf32>}}
  %0 = graph.winograd_input %x {tile = 2 : i64} : tensor<1x1x9x3xf32> -> tensor<16x0x3xf32>
  return
}

// -----

// Elements are f32.
func.func @element(%x : tensor<1x6x9x3xf64>) {
  // expected-error {{expected an image NxHxWxC of f32 with two rows and columns or more, got tensor<1x6x9x3xf64>}}
  %0 = graph.winograd_input %x {tile = 2 : i64} : tensor<1x6x9x3xf64> -> tensor<16x8x3xf64>
  return
}

// -----

// The image has as many tiles as the matrices have rows.
func.func @rows(%x : tensor<16x8x3xf32>) {
  // expected-error {{expected 16 matrices of f32, with a row for each tile of an image NxHxWxO and a column for each channel, got tensor<16x8x3xf32> and 1, 4, 9, 3}}
  %0 = graph.winograd_output %x {tile = 2 : i64, shape = ["1", "4", "9", "3"]} : tensor<16x8x3xf32> -> tensor<1x4x9x3xf32>
  return
}
