// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The elements have another type of as many bits.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.bitcast %x {to = i32} : tensor<2x3xf32> -> tensor<2x3xi32>
func.func @round_trip(%x : tensor<2x3xf32>) {
  %0 = graph.bitcast %x {to = i32} : tensor<2x3xf32> -> tensor<2x3xi32>
  return
}

// -----

// The number of bits stays.
func.func @other_width(%x : tensor<2x3xf32>) {
  // expected-error {{expected as many bits, got tensor<2x3xf32> to i64}}
  %0 = graph.bitcast %x {to = i64} : tensor<2x3xf32> -> tensor<2x3xi64>
  return
}

// -----

// Most bits are no boolean.
func.func @booleans(%x : tensor<4xui8>) {
  // expected-error {{expected numbers, got tensor<4xui8> to i1}}
  %0 = graph.bitcast %x {to = i1} : tensor<4xui8> -> tensor<4xi1>
  return
}
