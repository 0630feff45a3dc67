// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A row for each, with a number for each axis.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.nonzero %x {count = "found"} : tensor<2x5xi1> -> tensor<?x2xi64, ["found"]>
func.func @round_trip(%n: tensor<i64>, %x: tensor<2x5xi1>) {
  graph.define_symbol %n {symbol = "found", low = "0", high = "10"} : tensor<i64>
  %0 = graph.nonzero %x {count = "found"} : tensor<2x5xi1> -> tensor<?x2xi64, ["found"]>
  return
}

// -----

// What is compared with zero is said by an op of its own.
func.func @numbers(%x: tensor<2xf32>) {
  // expected-error {{expected bool elements, got tensor<2xf32>}}
  %0 = graph.nonzero %x {count = "2"} : tensor<2xf32> -> tensor<2x1xi64>
  return
}

// -----

// One element has no index.
func.func @no_axes(%x: tensor<i1>) {
  // expected-error {{expected a tensor with axes, got tensor<i1>}}
  %0 = graph.nonzero %x {count = "1"} : tensor<i1> -> tensor<1x0xi64>
  return
}
