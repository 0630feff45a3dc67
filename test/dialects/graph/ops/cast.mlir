// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Any element type becomes any other, and the shape stays.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.cast %x {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.cast %x {to = f64} : tensor<2x3xf32> -> tensor<2x3xf64>
// CHECK:         graph.cast %x {to = i32} : tensor<2x3xf32> -> tensor<2x3xi32>
// CHECK:         graph.cast %x {to = i64} : tensor<2x3xf32> -> tensor<2x3xi64>
// CHECK:         graph.cast %x {to = i1} : tensor<2x3xf32> -> tensor<2x3xi1>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.cast %x {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.cast %x {to = f64} : tensor<2x3xf32> -> tensor<2x3xf64>
  %2 = graph.cast %x {to = i32} : tensor<2x3xf32> -> tensor<2x3xi32>
  %3 = graph.cast %x {to = i64} : tensor<2x3xf32> -> tensor<2x3xi64>
  %4 = graph.cast %x {to = i1} : tensor<2x3xf32> -> tensor<2x3xi1>
  return
}

// -----

// A symbol stays what it is.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.cast %x {to = i64} : tensor<?xi1, ["batch"]> -> tensor<?xi64, ["batch"]>
func.func @symbols(%x : tensor<?xi1, ["batch"]>) {
  %0 = graph.cast %x {to = i64} : tensor<?xi1, ["batch"]> -> tensor<?xi64, ["batch"]>
  return
}

// -----

// The compiler computes with five element types.
func.func @no_such_element(%x : tensor<4xf32>) {
  // expected-error {{expected a cast to f32, f64, i32, i64, i1, si8, ui8, got f16}}
  %0 = graph.cast %x {to = f16} : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

// A weight of bf16 is computed with once it is converted, to a float.
//
// CHECK-LABEL: func.func @from_bf16
// CHECK:         graph.cast %{{.*}} {to = f32} : tensor<2x3xbf16> -> tensor<2x3xf32>
// CHECK:         graph.cast %{{.*}} {to = f64} : tensor<2x3xbf16> -> tensor<2x3xf64>
func.func @from_bf16() {
  %0 = graph.weight "w" : tensor<2x3xbf16>
  %1 = graph.cast %0 {to = f32} : tensor<2x3xbf16> -> tensor<2x3xf32>
  %2 = graph.cast %0 {to = f64} : tensor<2x3xbf16> -> tensor<2x3xf64>
  return
}

// -----

func.func @from_bf16_to_integers() {
  %0 = graph.weight "w" : tensor<4xbf16>
  // expected-error {{expected a cast of bf16 to a float, got i32}}
  %1 = graph.cast %0 {to = i32} : tensor<4xbf16> -> tensor<4xi32>
  return
}

// -----

// CHECK-LABEL: func.func @to_bf16
// CHECK:         graph.cast %x {to = bf16} : tensor<4xf32> -> tensor<4xbf16>
func.func @to_bf16(%x : tensor<4xf32>) {
  %0 = graph.cast %x {to = bf16} : tensor<4xf32> -> tensor<4xbf16>
  return
}

// -----

func.func @to_bf16_from_another(%x : tensor<4xf64>) {
  // expected-error {{expected a cast of f32 to bf16, got tensor<4xf64>}}
  %0 = graph.cast %x {to = bf16} : tensor<4xf64> -> tensor<4xbf16>
  return
}
