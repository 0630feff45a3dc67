// RUN: sr-opt %s --split-input-file -p 'bound-symbols{bounds="n=64"}' | filecheck %s
// RUN: not sr-opt %s -p 'bound-symbols{bounds="k=64"}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not sr-opt %s -p 'bound-symbols{bounds="n=x"}' 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not sr-opt %s -p 'bound-symbols{bounds="n=0"}' 2>&1 | filecheck %s --check-prefix=BELOW

// UNKNOWN: expected bounds of symbols of the model (m, n), got one of k
// NUMBER: expected a bound such as batch=8, got n=x
// BELOW: expected a bound of n that is 1 or more, got 0

// A symbol of the inputs, also where the model has a range of it.
//
// CHECK-LABEL: func.func @input
// CHECK-SAME:      graph.symbols = {n = [1 : i64, 64 : i64]}
func.func @input(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> attributes {graph.symbols = {n = [1, 4096]}} {
  return %x : tensor<?x3xf32, ["n"]>
}

// A bound that is no lower changes nothing.
//
// CHECK-LABEL: func.func @lower
// CHECK-SAME:      graph.symbols = {n = [1 : i64, 3 : i64]}
func.func @lower(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> attributes {graph.symbols = {n = [1, 3]}} {
  return %x : tensor<?x3xf32, ["n"]>
}

// A symbol that the run defines is bounded as well, and as before.
//
// CHECK-LABEL: func.func @defined
// CHECK:         graph.define_symbol %k {symbol = "n", low = "0", high = "min(64, m)"}
func.func @defined(%x: tensor<?xf32, ["m"]>, %k: tensor<i64>) -> tensor<?xf32, ["n"]> attributes {graph.symbols = {m = [1, 2]}} {
  graph.define_symbol %k {symbol = "n", low = "0", high = "m"} : tensor<i64>
  %0 = graph.slice %x {starts = ["0"], sizes = ["n"], steps = array<i64: 1>} : tensor<?xf32, ["m"]> -> tensor<?xf32, ["n"]>
  return %0 : tensor<?xf32, ["n"]>
}
