// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// One axis gets another size.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.resize %x {axis = 1 : i64, size = "8", mode = "linear", coordinates = "half_pixel"} : tensor<3x5xf32> -> tensor<3x8xf32>
// CHECK:         graph.resize %y {axis = 0 : i64, size = "2 * n", mode = "floor", coordinates = "asymmetric", scale = 2.000000e+00 : f64} : tensor<?xi64, ["n"]> -> tensor<?xi64, ["2 * n"]>
func.func @round_trip(%x : tensor<3x5xf32>, %y : tensor<?xi64, ["n"]>) {
  %0 = graph.resize %x {axis = 1 : i64, size = "8", mode = "linear", coordinates = "half_pixel"} : tensor<3x5xf32> -> tensor<3x8xf32>
  %1 = graph.resize %y {axis = 0 : i64, size = "2 * n", mode = "floor", coordinates = "asymmetric", scale = 2.0 : f64} : tensor<?xi64, ["n"]> -> tensor<?xi64, ["2 * n"]>
  return
}

// -----

// There are six modes.
func.func @mode(%x : tensor<5xf32>) {
  // expected-error {{expected one of floor, ceil, round_prefer_floor, round_prefer_ceil, linear, cubic, got nearest}}
  %0 = graph.resize %x {axis = 0 : i64, size = "8", mode = "nearest", coordinates = "half_pixel"} : tensor<5xf32> -> tensor<8xf32>
  return
}

// -----

// Coordinates have the names of ONNX.
func.func @coordinates(%x : tensor<5xf32>) {
  // expected-error {{expected one of half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_half_pixel_for_nn, tf_crop_and_resize, got corners}}
  %0 = graph.resize %x {axis = 0 : i64, size = "8", mode = "linear", coordinates = "corners"} : tensor<5xf32> -> tensor<8xf32>
  return
}

// -----

// A scale is above zero.
func.func @scale(%x : tensor<5xf32>) {
  // expected-error {{expected a scale above zero, got -2.0}}
  %0 = graph.resize %x {axis = 0 : i64, size = "8", mode = "linear", coordinates = "half_pixel", scale = -2.0 : f64} : tensor<5xf32> -> tensor<8xf32>
  return
}

// -----

// What lies between two integers is none.
func.func @integers(%x : tensor<5xi64>) {
  // expected-error {{expected float elements, got tensor<5xi64>}}
  %0 = graph.resize %x {axis = 0 : i64, size = "8", mode = "linear", coordinates = "half_pixel"} : tensor<5xi64> -> tensor<8xi64>
  return
}

// -----

// Nothing has no nearest element.
func.func @nothing(%x : tensor<0xf32>) {
  // expected-error {{expected elements along axis 0 of tensor<0xf32>, and zero or more of the result, got 8}}
  %0 = graph.resize %x {axis = 0 : i64, size = "8", mode = "floor", coordinates = "half_pixel"} : tensor<0xf32> -> tensor<8xf32>
  return
}

// -----

// A kernel is not widened without limit, whatever sizes come with the scale.
func.func @antialias(%x : tensor<?xf32, ["n"]>) {
  // expected-error {{expected a scale of 6.103515625e-05 or more to widen a kernel, got 1e-09}}
  %0 = graph.resize %x {axis = 0 : i64, size = "3", mode = "linear", coordinates = "half_pixel", scale = 1.0e-9 : f64, antialias = true} : tensor<?xf32, ["n"]> -> tensor<3xf32>
  return
}

// -----

// The places of a crop must be known.
func.func @crop(%x : tensor<5xf32>) {
  // expected-error {{expected a size that is a number, got n}}
  %0 = graph.resize %x {axis = 0 : i64, size = "n", mode = "linear", coordinates = "tf_crop_and_resize"} : tensor<5xf32> -> tensor<?xf32, ["n"]>
  return
}
