// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The steps of a word are an axis of their own, before the last.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<3x2x5xi32>, tensor<3x1x1x5xf32> -> tensor<3x2x8x5xf32>
// CHECK:         graph.dequantize_words %w, %s, %z {bits = 2 : i64} : tensor<3x2x5xi32>, tensor<3x1x1x5xf32>, tensor<si8> -> tensor<3x2x16x5xf32>
func.func @round_trip(%w : tensor<3x2x5xi32>, %s : tensor<3x1x1x5xf32>, %z : tensor<si8>) {
  %0 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<3x2x5xi32>, tensor<3x1x1x5xf32> -> tensor<3x2x8x5xf32>
  %1 = graph.dequantize_words %w, %s, %z {bits = 2 : i64} : tensor<3x2x5xi32>, tensor<3x1x1x5xf32>, tensor<si8> -> tensor<3x2x16x5xf32>
  return
}

// -----

// A word has a whole number of steps.
func.func @steps_of_three_bits(%w : tensor<2x5xi32>, %s : tensor<f32>) {
  // expected-error {{expected steps of (2, 4) bits, got 3}}
  %0 = graph.dequantize_words %w, %s {bits = 3 : i64} : tensor<2x5xi32>, tensor<f32> -> tensor<2x10x5xf32>
  return
}

// -----

// Words are signed, as is the last step of each.
func.func @words_of_another_type(%w : tensor<2x5xui8>, %s : tensor<f32>) {
  // expected-error {{expected words of i32, scales of f32 and zero points of si8, got ui8, f32}}
  %0 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<2x5xui8>, tensor<f32> -> tensor<2x8x5xf32>
  return
}

// -----

// The difference of a step and a zero point is exact in f32.
func.func @wide_zero_point(%w : tensor<2x5xi32>, %s : tensor<f32>, %z : tensor<i32>) {
  // expected-error {{expected words of i32, scales of f32 and zero points of si8, got i32, f32, i32}}
  %0 = graph.dequantize_words %w, %s, %z {bits = 4 : i64} : tensor<2x5xi32>, tensor<f32>, tensor<i32> -> tensor<2x8x5xf32>
  return
}

// -----

// The last axis stays, so there is one before it.
func.func @words_in_a_row(%w : tensor<5xi32>, %s : tensor<f32>) {
  // expected-error {{expected words of two axes or more, got (5,)}}
  %0 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<5xi32>, tensor<f32> -> tensor<40xf32>
  return
}

// -----

// The result has the sizes that the words have.
func.func @scale_is_larger(%w : tensor<2x5xi32>, %s : tensor<3x1x1x1xf32>) {
  // expected-error {{expected scales and zero points that broadcast to tensor<2x8x5xf32>, got tensor<3x1x1x1xf32>}}
  %0 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<2x5xi32>, tensor<3x1x1x1xf32> -> tensor<3x2x8x5xf32>
  return
}
