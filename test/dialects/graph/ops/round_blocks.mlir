// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Rows may be of any number, blocks are whole.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.round_blocks %x {block = 32 : i64} : tensor<?x64xf32, ["m"]> -> tensor<?x64xf32, ["m"]>
func.func @round_trip(%x : tensor<?x64xf32, ["m"]>) {
  %0 = graph.round_blocks %x {block = 32 : i64} : tensor<?x64xf32, ["m"]> -> tensor<?x64xf32, ["m"]>
  return
}

// -----

func.func @a_part_of_a_block(%x : tensor<2x40xf32>) {
  // expected-error {{expected a last axis of whole blocks of 32, got tensor<2x40xf32>}}
  %0 = graph.round_blocks %x {block = 32 : i64} : tensor<2x40xf32> -> tensor<2x40xf32>
  return
}

// -----

func.func @no_block(%x : tensor<2x40xf32>) {
  // expected-error {{expected a last axis of whole blocks of 0, got tensor<2x40xf32>}}
  %0 = graph.round_blocks %x {block = 0 : i64} : tensor<2x40xf32> -> tensor<2x40xf32>
  return
}

// -----

func.func @of_another_type(%x : tensor<2x32xf64>) {
  // expected-error {{expected elements of f32, got tensor<2x32xf64>}}
  %0 = graph.round_blocks %x {block = 32 : i64} : tensor<2x32xf64> -> tensor<2x32xf64>
  return
}
