// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There are as many integers as the size says.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.iota {size = "7"} : -> tensor<7xi64>
// CHECK:         graph.iota {size = "2 * n"} : -> tensor<?xi64, ["2 * n"]>
func.func @round_trip() {
  %0 = graph.iota {size = "7"} : -> tensor<7xi64>
  %1 = graph.iota {size = "2 * n"} : -> tensor<?xi64, ["2 * n"]>
  return
}

// -----

// There are no fewer than none.
func.func @fewer_than_none() {
  // expected-error {{expected a size of zero or more, got -1}}
  %0 = graph.iota {size = "-1"} : -> tensor<0xi64>
  return
}

// -----

// The integers have 64 bits.
func.func @always_an_i64() {
  // expected-error {{expected result type tensor<7xi64>, got tensor<7xi32>}}
  %0 = graph.iota {size = "7"} : -> tensor<7xi32>
  return
}
