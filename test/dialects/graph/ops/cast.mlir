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

// The compiler computes with the element types of a table.
func.func @no_such_element(%x : tensor<4xf32>) {
  // expected-error {{expected a cast to f32, f64, i32, i64, i1, si8, ui8, si16, ui16, ui32, ui64, f16, bf16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, si4, ui4, si2, ui2, got tf32}}
  %0 = graph.cast %x {to = tf32} : tensor<4xf32> -> tensor<4xtf32>
  return
}

// -----

// Any type becomes any other.
//
// CHECK-LABEL: func.func @halves
// CHECK:         graph.cast %{{.*}} {to = f64} : tensor<2x3xbf16> -> tensor<2x3xf64>
// CHECK:         graph.cast %{{.*}} {to = f16} : tensor<2x3xbf16> -> tensor<2x3xf16>
// CHECK:         graph.cast %{{.*}} {to = i32} : tensor<2x3xf16> -> tensor<2x3xi32>
// CHECK:         graph.cast %{{.*}} {to = bf16} : tensor<2x3xi32> -> tensor<2x3xbf16>
func.func @halves() {
  %0 = graph.weight "w" : tensor<2x3xbf16>
  %1 = graph.cast %0 {to = f64} : tensor<2x3xbf16> -> tensor<2x3xf64>
  %2 = graph.cast %0 {to = f16} : tensor<2x3xbf16> -> tensor<2x3xf16>
  %3 = graph.cast %2 {to = i32} : tensor<2x3xf16> -> tensor<2x3xi32>
  %4 = graph.cast %3 {to = bf16} : tensor<2x3xi32> -> tensor<2x3xbf16>
  return
}
