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

// The compiler computes with five element types.
func.func @no_such_element() {
  // expected-error {{expected elements of f32, f64, i32, i64, i1, si8, ui8, got tensor<4xf16>}}
  %0 = graph.weight "fc.weight" : tensor<4xf16>
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

func.func @odd_vnni() {
  // expected-error @below {{expected rows in whole groups of 2, got}}
  %0 = graph.weight "fc" {panels = #graph.panels<width = 16, rows = [3 by 16], columns = 16 by 1, vnni = 2>} : tensor<3x16xbf16>
  return
}
