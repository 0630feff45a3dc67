// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// It stays, though it has no result.
//
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT:    graph.require {amount = "batch - count", message = "count <= batch"}
func.func @round_trip(%x: tensor<?x?xf32, ["batch", "count"]>) {
  graph.require {amount = "batch - count", message = "count <= batch"}
  return
}

// -----

// An amount is computed from sizes.
func.func @no_amount() {
  // expected-error {{expected a number or a symbol, got <}}
  graph.require {amount = "<", message = "sense"}
  return
}
