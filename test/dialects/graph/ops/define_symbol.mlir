// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What comes after may have the size.
//
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT:    graph.define_symbol %n {symbol = "count", low = "0", high = "batch"} : tensor<i64>
// CHECK-NEXT:    graph.slice %x {starts = ["0"], sizes = ["count"], steps = array<i64: 1>} : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["count"]>
func.func @round_trip(%n: tensor<i64>, %x: tensor<?xf32, ["batch"]>) {
  graph.define_symbol %n {symbol = "count", low = "0", high = "batch"} : tensor<i64>
  %0 = graph.slice %x {starts = ["0"], sizes = ["count"], steps = array<i64: 1>} : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["count"]>
  return
}

// -----

// It is one number.
func.func @several(%n: tensor<2xi64>) {
  // expected-error {{expected one number tensor<i64>, got tensor<2xi64>}}
  graph.define_symbol %n {symbol = "count", low = "0", high = "5"} : tensor<2xi64>
  return
}

// -----

// A symbol has a name.
func.func @no_name(%n: tensor<i64>) {
  // expected-error {{expected a symbol such as batch, got '2 * n'}}
  graph.define_symbol %n {symbol = "2 * n", low = "0", high = "5"} : tensor<i64>
  return
}
