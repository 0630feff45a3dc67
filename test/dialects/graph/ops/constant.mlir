// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A literal says its type; each of the element types has one.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.constant dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK:         graph.constant dense<5.000000e-01> : tensor<3xf64>
// CHECK:         graph.constant dense<[7, -7]> : tensor<2xi32>
// CHECK:         graph.constant dense<9007199254740993> : tensor<i64>
// CHECK:         graph.constant dense<[true, false]> : tensor<2xi1>
func.func @round_trip() {
  %0 = graph.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %1 = graph.constant dense<0.5> : tensor<3xf64>
  %2 = graph.constant dense<[7, -7]> : tensor<2xi32>
  %3 = graph.constant dense<9007199254740993> : tensor<i64>
  %4 = graph.constant dense<[true, false]> : tensor<2xi1>
  return
}

// -----

// What is no number is written by its bits, and read as those; so may be any float.
//
// CHECK-LABEL: func.func @bits
// CHECK:         graph.constant dense<[0xff800000, 0x7fc00000, 1.000000e+00]> : tensor<3xf32>
// CHECK:         graph.constant dense<0x7ff0000000000000> : tensor<2xf64>
// CHECK:         graph.constant dense<0xfc00> : tensor<2xf16>
// CHECK:         graph.constant dense<0xff80> : tensor<2xbf16>
// CHECK:         graph.constant dense<255> : tensor<2xi32>
func.func @bits() {
  %0 = graph.constant dense<[0xff800000, 0x7FC00000, 0x3f800000]> : tensor<3xf32>
  %1 = graph.constant dense<0x7ff0000000000000> : tensor<2xf64>
  %2 = graph.constant dense<0xfc00> : tensor<2xf16>
  %3 = graph.constant dense<0xff80> : tensor<2xbf16>
  %4 = graph.constant dense<0xff> : tensor<2xi32>
  return
}

// -----

// A tensor without elements is a constant too.
//
// CHECK-LABEL: func.func @no_elements
// CHECK:         graph.constant dense<> : tensor<0x3xf32>
func.func @no_elements() {
  %0 = graph.constant dense<> : tensor<0x3xf32>
  return
}

// -----

// What is written out has a size.
func.func @unknown_size() {
  %0 = graph.constant dense<1.0> : tensor<?xf32, ["batch"]>
  // expected-error @below {{should have a static shape}}
  return
}

// -----

// The compiler computes with the element types of a table.
func.func @no_such_element() {
  // expected-error {{expected elements of f32, f64, i32, i64, i1, si8, ui8, si16, ui16, ui32, ui64, f16, bf16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, si4, ui4, si2, ui2, got tensor<4xi8>}}
  %0 = graph.constant dense<1> : tensor<4xi8>
  return
}

// -----

// A number alone has no shape.
func.func @no_tensor() {
  %0 = graph.constant 3 : i64
  // expected-error @below {{expected a literal such as dense<1.0> : tensor<2xf32>}}
  return
}
