// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A key names an attribute of the model, and the type says what it is.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.get_attr "fc.weight" : tensor<2x3xf32>
func.func @round_trip() {
  %0 = graph.get_attr "fc.weight" : tensor<2x3xf32>
  return
}

// -----

// What is stored has a size.
func.func @unknown_size() {
  // expected-error {{expected a known shape, got tensor<?x3xf32, ["batch"]>}}
  %0 = graph.get_attr "fc.weight" : tensor<?x3xf32, ["batch"]>
  return
}
