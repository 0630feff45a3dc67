// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Rows may be of any number; a group of the weight may have several blocks.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.multiply_steps %a, %s, %o, %w, %ws {bits = 4 : i64}
// CHECK-SAME:      -> tensor<?x3x16xf32, ["m"]>
func.func @round_trip(%a : tensor<?x16xi32, ["m"]>, %s : tensor<?x2xf32, ["m"]>, %o : tensor<?x2xi32, ["m"]>, %w : tensor<3x2x4x16xi32>, %ws : tensor<3x1x16xf32>) {
  %0 = graph.multiply_steps %a, %s, %o, %w, %ws {bits = 4 : i64} : tensor<?x16xi32, ["m"]>, tensor<?x2xf32, ["m"]>, tensor<?x2xi32, ["m"]>, tensor<3x2x4x16xi32>, tensor<3x1x16xf32> -> tensor<?x3x16xf32, ["m"]>
  return
}

// -----

// A step lies in one byte.
func.func @steps_of_three_bits(%a : tensor<7x16xi32>, %s : tensor<7x2xf32>, %o : tensor<7x2xi32>, %w : tensor<3x2x4x16xi32>, %ws : tensor<3x1x16xf32>) {
  // expected-error {{expected bytes in i32, f32, i32, steps of (2, 4, 8) bits in i32, f32 and ui8, got i32, f32, i32, i32, f32 and 3 bits}}
  %0 = graph.multiply_steps %a, %s, %o, %w, %ws {bits = 3 : i64} : tensor<7x16xi32>, tensor<7x2xf32>, tensor<7x2xi32>, tensor<3x2x4x16xi32>, tensor<3x1x16xf32> -> tensor<7x3x16xf32>
  return
}

// -----

// Two words of steps of eight bits multiply as many words of bytes, not four.
func.func @other_words(%a : tensor<7x16xi32>, %s : tensor<7x2xf32>, %o : tensor<7x2xi32>, %w : tensor<3x2x4x16xi32>, %ws : tensor<3x1x16xf32>) {
  // expected-error {{expected rows of words, of scales and of offsets, panels of blocks of words of columns, and panels of groups of columns, got (7, 16), (7, 2), (7, 2), (3, 2, 4, 16), (3, 1, 16)}}
  %0 = graph.multiply_steps %a, %s, %o, %w, %ws {bits = 8 : i64} : tensor<7x16xi32>, tensor<7x2xf32>, tensor<7x2xi32>, tensor<3x2x4x16xi32>, tensor<3x1x16xf32> -> tensor<7x3x16xf32>
  return
}
