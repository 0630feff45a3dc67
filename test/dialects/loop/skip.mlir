// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A slot may be an input, a constant or another slot as it lies, under a condition.
//
// CHECK-LABEL: loop.program @main
// CHECK-SAME:    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = {{\[\[}}"n - 1"]], kernel = "permute", source = "graph.permute at turn">, #loop.skip<slot = 1, to = activations, number = 0, when = {{\[\[}}"n"], ["n - 1", "n - 2"]], kernel = "concat", source = "graph.concat", offset = "4 * n">]
// CHECK:         loop.call @permute(%0, %1) symbols [] skip 0
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "4 * n", offset = ?, live = 0 to 1>, #loop.slot<size = "4 * n", offset = ?, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [["n - 1"]], kernel = "permute", source = "graph.permute at turn">,
           #loop.skip<slot = 1, to = activations, number = 0, when = [["n"], ["n - 1", "n - 2"]], kernel = "concat", source = "graph.concat", offset = "4 * n">] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view activations 0 : memref<?xf32>
  loop.call @permute(%0, %1) symbols [] skip 0 : memref<?xf32>, memref<?xf32>
}
loop.kernel @permute(%a : memref<?xf32>, %b : memref<?xf32>) {
}

// -----

// expected-error@+1 {{expected a condition, got none in}}
loop.program @main skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "k", source = "s">] {
}

// -----

// expected-error@+1 {{expected a region of inputs, constants, activations, outputs, got heap}}
loop.program @main skips [#loop.skip<slot = 0, to = heap, number = 0, when = [["0"]], kernel = "k", source = "s">] {
}

// -----

// expected-error {{expected a skip between two of 0 slots, got #loop.skip<slot = 0,}}
loop.program @main skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [["0"]], kernel = "k", source = "s">] {
}

// -----

// expected-error {{expected symbols of no name, got n in n - 1}}
loop.program @main
    slots [#loop.slot<size = "4", offset = 0, live = 0 to 1>]
    plan <"naive", steps = 2, bytes = 64, lower_bound = 64>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [["n - 1"]], kernel = "k", source = "s">] {
}

// -----

// expected-error {{expected a skip of 0, got 0}}
loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%0) symbols [] skip 0 : memref<?xf32>
}
loop.kernel @k(%a : memref<?xf32>) {
}

// -----

// expected-error {{expected the skips of slot 1 before what may be that slot, got #loop.skip<slot = 0,}}
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "4 * n", offset = ?, live = 0 to 1>, #loop.slot<size = "4 * n", offset = ?, live = 0 to 1>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?>
    skips [#loop.skip<slot = 0, to = activations, number = 1, when = [["n - 1"]], kernel = "k", source = "s">,
           #loop.skip<slot = 1, to = inputs, number = 0, when = [["n - 1"]], kernel = "k", source = "s">] {
}

// -----

// The run decides by the indices of the call.
//
// CHECK-LABEL: loop.program @order
// CHECK-SAME:    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "select", source = "graph.index_select", order = 0, indices = 1, count = "4">]
loop.program @order
    inputs [#loop.tensor<"x" : tensor<4x64xf32>>, #loop.tensor<"i" : tensor<4xi64>>]
    slots [#loop.slot<size = "1024", offset = 0, live = 0 to 1>]
    plan <"naive", steps = 2, bytes = 1024, lower_bound = 1024>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "select", source = "graph.index_select", order = 0, indices = 1, count = "4">] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view inputs 1 : memref<?xi64>
  %2 = loop.view activations 0 : memref<?xf32>
  loop.call @select(%0, %1, %2) symbols [] skip 0 : memref<?xf32>, memref<?xi64>, memref<?xf32>
}
loop.kernel @select(%a : memref<?xf32>, %b : memref<?xi64>, %c : memref<?xf32>) {
}

// -----

// expected-error {{expected indices of i32 or i64 in buffer 0 of @k, got memref<?xf32>}}
loop.program @order
    inputs [#loop.tensor<"x" : tensor<4x64xf32>>]
    slots [#loop.slot<size = "1024", offset = 0, live = 0 to 1>]
    plan <"naive", steps = 2, bytes = 1024, lower_bound = 1024>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "k", source = "s", order = 0, indices = 0, count = "4">] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%0) symbols [] skip 0 : memref<?xf32>
}
loop.kernel @k(%a : memref<?xf32>) {
}

// -----

// expected-error {{expected indices of i32 or i64 in buffer 3 of @k, got 1 buffers}}
loop.program @order
    inputs [#loop.tensor<"x" : tensor<4x64xf32>>]
    slots [#loop.slot<size = "1024", offset = 0, live = 0 to 1>]
    plan <"naive", steps = 2, bytes = 1024, lower_bound = 1024>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "k", source = "s", order = 0, indices = 3, count = "4">] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%0) symbols [] skip 0 : memref<?xf32>
}
loop.kernel @k(%a : memref<?xf32>) {
}
