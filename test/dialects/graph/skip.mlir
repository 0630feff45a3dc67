// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A result may be an operand, from some element on, where each list has a zero.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"n - 1", "m"], ["m - 1"]]>, #graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"m"]], offset = "4 * n">]}
// CHECK:         graph.relu %x {graph.skips = [#graph.skip<optimized = false, runtime_skippable = false, operand = 0, when = []>]}
// CHECK:         graph.relu %x {graph.skips = [#graph.skip<optimized = true, runtime_skippable = false, operand = 0, when = []>]}
func.func @round_trip(%x : tensor<?x?xf32, ["n", "m"]>) {
  %0 = graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["n - 1", "m"], ["m - 1"]]>, #graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m"]], offset = "4 * n">]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  %1 = graph.relu %x {graph.skips = [#graph.skip<optimized = false, runtime_skippable = false, operand = 0, when = []>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  %2 = graph.relu %x {graph.skips = [#graph.skip<optimized = true, runtime_skippable = false, operand = 0, when = []>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  return
}

// -----

// What may not be skipped is not decided at run time.
func.func @decided_but_never(%x : tensor<4xf32>) {
  // expected-error @below {{expected a skip that is decided at run time to be optimized, got optimized = false, runtime_skippable = true}}
  %0 = graph.relu %x {graph.skips = [#graph.skip<optimized = false, runtime_skippable = true, operand = 0, when = [["n"]]>]} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// What is decided at run time needs a condition.
func.func @no_condition(%x : tensor<4xf32>) {
  // expected-error @below {{expected a condition of a skip with runtime_skippable = true, got 0}}
  %0 = graph.relu %x {graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = []>]} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// What is decided before has none.
func.func @idle_condition(%x : tensor<4xf32>) {
  // expected-error @below {{expected no condition of a skip with runtime_skippable = false, got 1}}
  %0 = graph.relu %x {graph.skips = [#graph.skip<optimized = true, runtime_skippable = false, operand = 0, when = [["n"]]>]} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// A condition is on sizes.
func.func @no_size(%x : tensor<4xf32>) {
  // expected-error @below {{dimension 'n -': expected a number or a symbol, got the end}}
  %0 = graph.relu %x {graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["n -"]]>]} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Indices may decide alone, or beside sizes.
//
// CHECK-LABEL: func.func @indices
// CHECK:         graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]
// CHECK:         graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = {{\[\[}}"n - m"]], indices = 1>]
func.func @indices(%x : tensor<?xf32, ["n"]>, %i : tensor<?xi64, ["m"]>) {
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]} : tensor<?xf32, ["n"]>, tensor<?xi64, ["m"]> -> tensor<?xf32, ["m"]>
  %1 = graph.index_select %x, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["n - m"]], indices = 1>]} : tensor<?xf32, ["n"]>, tensor<?xi64, ["m"]> -> tensor<?xf32, ["m"]>
  return
}
