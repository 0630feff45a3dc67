// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the element type of the scale.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.dequantize %x, %s, %z : tensor<2x6xui8>, tensor<f32>, tensor<ui8> -> tensor<2x6xf32>
// CHECK:         graph.dequantize %x, %c, %z : tensor<2x6xui8>, tensor<2x1xf64>, tensor<ui8> -> tensor<2x6xf64>
func.func @round_trip(%x : tensor<2x6xui8>, %s : tensor<f32>, %z : tensor<ui8>, %c : tensor<2x1xf64>) {
  %0 = graph.dequantize %x, %s, %z : tensor<2x6xui8>, tensor<f32>, tensor<ui8> -> tensor<2x6xf32>
  %1 = graph.dequantize %x, %c, %z : tensor<2x6xui8>, tensor<2x1xf64>, tensor<ui8> -> tensor<2x6xf64>
  return
}

// -----

// A difference is one of elements of one type.
func.func @zero_point_of_another_type(%x : tensor<4xui8>, %s : tensor<f32>, %z : tensor<si8>) {
  // expected-error {{expected a zero point of the type of the input, got tensor<4xui8> and tensor<si8>}}
  %0 = graph.dequantize %x, %s, %z : tensor<4xui8>, tensor<f32>, tensor<si8> -> tensor<4xf32>
  return
}

// -----

// Steps are counted.
func.func @floats_are_no_steps(%x : tensor<4xf32>, %s : tensor<f32>, %z : tensor<f32>) {
  // expected-error {{expected integer elements, got tensor<4xf32>}}
  %0 = graph.dequantize %x, %s, %z : tensor<4xf32>, tensor<f32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

// The result has the sizes of the input.
func.func @scale_is_larger(%x : tensor<4xsi8>, %s : tensor<3x1xf32>, %z : tensor<si8>) {
  // expected-error {{expected a scale and a zero point that broadcast to tensor<4xsi8>, got tensor<3x1xf32> and tensor<si8>}}
  %0 = graph.dequantize %x, %s, %z : tensor<4xsi8>, tensor<3x1xf32>, tensor<si8> -> tensor<3x4xf32>
  return
}

// -----

func.func @scale_of_stored_elements(%x : tensor<4xsi4>, %s : tensor<f8E8M0FNU>, %z : tensor<si4>) {
  // expected-error {{expected a scale that is computed with, got tensor<f8E8M0FNU>}}
  %0 = graph.dequantize %x, %s, %z : tensor<4xsi4>, tensor<f8E8M0FNU>, tensor<si4> -> tensor<4xf8E8M0FNU>
  return
}
