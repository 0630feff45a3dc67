// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// As many numbers as a dimension says.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.iota {size = "6"} : -> tensor<6xi64>
// CHECK:         graph.iota {size = "2 * batch"} : -> tensor<?xi64, ["2 * batch"]>
func.func @round_trip() {
  %0 = graph.iota {size = "6"} : -> tensor<6xi64>
  %1 = graph.iota {size = "2 * batch"} : -> tensor<?xi64, ["2 * batch"]>
  return
}

// -----

// A dimension is an expression of sizes.
func.func @no_dimension() {
  // expected-error {{dimension '6 +': expected a number or a symbol, got the end}}
  %0 = graph.iota {size = "6 +"} : -> tensor<6xi64>
  return
}
