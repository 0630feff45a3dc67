// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A dimension, whatever it depends on, is one integer.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.dim {value = "6"} : -> tensor<i64>
// CHECK:         graph.dim {value = "2 * batch + 1"} : -> tensor<i64>
func.func @round_trip() {
  %0 = graph.dim {value = "6"} : -> tensor<i64>
  %1 = graph.dim {value = "2 * batch + 1"} : -> tensor<i64>
  return
}

// -----

// The text must be a dimension.
func.func @no_dimension() {
  // expected-error {{dimension '2 *': expected a number or a symbol, got the end}}
  %0 = graph.dim {value = "2 *"} : -> tensor<i64>
  return
}

// -----

// The integer has 64 bits.
func.func @always_an_i64() {
  // expected-error {{expected result type tensor<i64>, got tensor<i32>}}
  %0 = graph.dim {value = "6"} : -> tensor<i32>
  return
}
