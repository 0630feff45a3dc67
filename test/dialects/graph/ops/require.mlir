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

// Two sizes that must be equal are part of the error, as is the name of an op.
//
// CHECK-LABEL: func.func @two_sizes
// CHECK-NEXT:    graph.require {amount = "min(-a + b, a - b)", message = "equal sizes a and b", shown = ["a", "b"], op = "Concat"}
func.func @two_sizes(%x: tensor<?x?xf32, ["a", "b"]>) {
  graph.require {amount = "min(-a + b, a - b)", message = "equal sizes a and b", shown = ["a", "b"], op = "Concat"}
  return
}

// -----

func.func @one_size(%x: tensor<?x?xf32, ["a", "b"]>) {
  // expected-error {{expected two sizes or none to show, got ('a',)}}
  graph.require {amount = "a - b", message = "b <= a", shown = ["a"]}
  return
}

// -----

// An amount is computed from sizes.
func.func @no_amount() {
  // expected-error {{expected a number or a symbol, got <}}
  graph.require {amount = "<", message = "sense"}
  return
}
