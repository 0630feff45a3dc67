// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Scale and zero point broadcast: to the tensor, to channels, to blocks of a split axis.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.quantize %x, %s, %z : tensor<2x6xf32>, tensor<f32>, tensor<ui8> -> tensor<2x6xui8>
// CHECK:         graph.quantize %x, %c, %o {reciprocal} : tensor<2x6xf32>, tensor<2x1xf32>, tensor<si8> -> tensor<2x6xsi8>
// CHECK:         graph.quantize %y, %b, %o : tensor<2x3x2xf32>, tensor<2x3x1xf32>, tensor<si8> -> tensor<2x3x2xsi8>
func.func @round_trip(%x : tensor<2x6xf32>, %s : tensor<f32>, %z : tensor<ui8>, %c : tensor<2x1xf32>, %o : tensor<si8>, %y : tensor<2x3x2xf32>, %b : tensor<2x3x1xf32>) {
  %0 = graph.quantize %x, %s, %z : tensor<2x6xf32>, tensor<f32>, tensor<ui8> -> tensor<2x6xui8>
  %1 = graph.quantize %x, %c, %o {reciprocal} : tensor<2x6xf32>, tensor<2x1xf32>, tensor<si8> -> tensor<2x6xsi8>
  %2 = graph.quantize %y, %b, %o : tensor<2x3x2xf32>, tensor<2x3x1xf32>, tensor<si8> -> tensor<2x3x2xsi8>
  return
}

// -----

// An integer is converted by an op of its own.
func.func @integers_have_no_quotient(%x : tensor<4xi32>, %s : tensor<f32>, %z : tensor<si8>) {
  // expected-error {{expected floats and a scale of their type, got tensor<4xi32> and tensor<f32>}}
  %0 = graph.quantize %x, %s, %z : tensor<4xi32>, tensor<f32>, tensor<si8> -> tensor<4xsi8>
  return
}

// -----

// The quotient is of one type.
func.func @scale_of_another_type(%x : tensor<4xf32>, %s : tensor<f64>, %z : tensor<si8>) {
  // expected-error {{expected floats and a scale of their type, got tensor<4xf32> and tensor<f64>}}
  %0 = graph.quantize %x, %s, %z : tensor<4xf32>, tensor<f64>, tensor<si8> -> tensor<4xsi8>
  return
}

// -----

// The zero point is a step.
func.func @zero_point_of_floats(%x : tensor<4xf32>, %s : tensor<f32>, %z : tensor<f32>) {
  // expected-error {{expected integer elements, got tensor<f32>}}
  %0 = graph.quantize %x, %s, %z : tensor<4xf32>, tensor<f32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

// The result has the sizes of the input.
func.func @scale_is_larger(%x : tensor<4xf32>, %s : tensor<3x1xf32>, %z : tensor<si8>) {
  // expected-error {{expected a scale and a zero point that broadcast to tensor<4xf32>, got tensor<3x1xf32> and tensor<si8>}}
  %0 = graph.quantize %x, %s, %z : tensor<4xf32>, tensor<3x1xf32>, tensor<si8> -> tensor<3x4xsi8>
  return
}
