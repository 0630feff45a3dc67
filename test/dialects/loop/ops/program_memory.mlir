// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The orders of a plan name each slot once; a donated input is as large as its output.
//
// CHECK-LABEL: loop.program @main
// CHECK-SAME:    source = "graph.exp"
// CHECK-SAME:    plan <"conflict-driven", steps = 3, bytes = ?, lower_bound = ?, orders = {{\[\[}}1, 0], [0, 1]]>
// CHECK-SAME:    donations [#loop.donation<input = 0, output = 1>]
// CHECK:         loop.call @copy(%0, %1) symbols [] unless_same
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?x4xf32, ["n"]>>]
    outputs [#loop.tensor<"n" : tensor<i64>>, #loop.tensor<"y" : tensor<4x?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "4 * n", offset = ?, live = 0 to 2, source = "graph.exp">, #loop.slot<size = "64", offset = ?, live = 1 to 2>]
    plan <"conflict-driven", steps = 3, bytes = ?, lower_bound = ?, orders = [[1, 0], [0, 1]]>
    donations [#loop.donation<input = 0, output = 1>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view outputs 1 : memref<?xf32>
  loop.call @copy(%0, %1) symbols [] unless_same : memref<?xf32>, memref<?xf32>
}
loop.kernel @copy(%a : memref<?xf32>, %b : memref<?xf32>) {
}

// -----

// expected-error@+1 {{expected orders that name each slot once, got [0, 0]}}
loop.program @main plan <"conflict-driven", steps = 3, bytes = ?, lower_bound = ?, orders = [[0, 0]]> {
}

// -----

// expected-error {{expected orders of 0 slots, got one of 1}}
loop.program @main plan <"conflict-driven", steps = 3, bytes = ?, lower_bound = ?, orders = [[0]]> {
}

// -----

// expected-error {{expected a donation between tensors of one size, got tensor<4xf32> and tensor<5xf32>}}
loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<5xf32>>]
    donations [#loop.donation<input = 0, output = 0>] {
}

// -----

// expected-error {{expected a donation of 1 tensors, got number 1}}
loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    donations [#loop.donation<input = 0, output = 1>] {
}

// -----

loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  // expected-error {{expected two buffers with unless_same, got 1}}
  loop.call @k(%0) symbols [] unless_same : memref<?xf32>
}
loop.kernel @k(%a : memref<?xf32>) {
}
