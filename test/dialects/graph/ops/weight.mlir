// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A key names an entry of the weight store, and the type says what it is.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.weight "fc.weight" : tensor<2x3xf32>
func.func @round_trip() {
  %0 = graph.weight "fc.weight" : tensor<2x3xf32>
  return
}

// -----

// What is stored has a size.
func.func @unknown_size() {
  // expected-error {{expected a known shape, got tensor<?x3xf32, ["batch"]>}}
  %0 = graph.weight "fc.weight" : tensor<?x3xf32, ["batch"]>
  return
}

// -----

// The compiler computes with the element types of a table.
func.func @no_such_element() {
  // expected-error {{expected elements of f32, f64, i32, i64, i1, si8, ui8, si16, ui16, ui32, ui64, f16, bf16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, si4, ui4, si2, ui2, got tensor<4xtf32>}}
  %0 = graph.weight "fc.weight" : tensor<4xtf32>
  return
}

// -----

// A weight may have elements of bf16, which take half the memory of f32.
//
// CHECK-LABEL: func.func @bf16
// CHECK:         graph.weight "fc.bf16" : tensor<2x3xbf16>
func.func @bf16() {
  %0 = graph.weight "fc.bf16" : tensor<2x3xbf16>
  return
}

// -----

// CHECK-LABEL: func.func @vnni
// CHECK:         graph.weight "fc" {panels = #graph.panels<width = 16, rows = [4 by 16], columns = 16 by 1, vnni = 2>} : tensor<4x16xbf16>
func.func @vnni() {
  %0 = graph.weight "fc" {panels = #graph.panels<width = 16, rows = [4 by 16], columns = 16 by 1, vnni = 2>} : tensor<4x16xbf16>
  return
}

// -----

func.func @no_rows() {
  // expected-error @below {{expected rows in groups of 2, got none}}
  %0 = graph.weight "fc" {panels = #graph.panels<width = 16, rows = [], columns = 16 by 1, vnni = 2>} : tensor<16xbf16>
  return
}
