// RUN: sr-opt %s --split-input-file --verify-diagnostics -p analyze-aliases,assign-buffers,graph-to-loop | filecheck %s
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p graph-to-loop | filecheck %s --check-prefix=UNPLANNED

// A program has the names and ranges that its function has; a tensor without a name is
// called by its number. A slot lives from the step that writes it to the last that reads
// it, and its offset waits for the symbols of its size.
//
// CHECK-LABEL: loop.program @named inputs [#loop.tensor<"x" : tensor<?x4xf32, ["batch"]>>]
// CHECK-SAME:    outputs [#loop.tensor<"output_0" : tensor<?x4xf32, ["batch"]>>, #loop.tensor<"output_1" : tensor<?x4xi64, ["batch"]>>]
// CHECK-SAME:    symbols [#loop.symbol<"batch" from 1 to 8>]
// CHECK-SAME:    constants [#loop.constant<"w", offset = 0, size = 16>]
// CHECK-SAME:    slots [#loop.slot<size = "16 * batch", offset = ?, live = 1 to 2, source = "graph.add">]
// CHECK-SAME:    plan <"conflict-driven", steps = 4, bytes = ?, lower_bound = ?, orders = [[0]]>
//
// UNPLANNED: expected graph.weight to have a buffer, got none; run assign-buffers first
func.func @named(%x : tensor<?x4xf32, ["batch"]>) -> (tensor<?x4xf32, ["batch"]>, tensor<?x4xi64, ["batch"]>)
    attributes {graph.input_names = ["x"], graph.output_names = ["y"], graph.symbols = {batch = [1, 8], unused = [0, 1]}} {
  %w = graph.weight "w" : tensor<4xf32>
  %0 = graph.add %x, %w : tensor<?x4xf32, ["batch"]>, tensor<4xf32> -> tensor<?x4xf32, ["batch"]>
  %1, %2 = graph.sort %0 {axis = 1 : i64, descending = false} : tensor<?x4xf32, ["batch"]> -> tensor<?x4xf32, ["batch"]>, tensor<?x4xi64, ["batch"]>
  return %1, %2 : tensor<?x4xf32, ["batch"]>, tensor<?x4xi64, ["batch"]>
}

// -----

// Where all sizes are known, so are offsets and the bytes of the plan.
//
// CHECK-LABEL: loop.program @planned
// CHECK-SAME:    slots [#loop.slot<size = "16", offset = {{[0-9]+}}, live = 0 to 1>, #loop.slot<size = "16", offset = {{[0-9]+}}, live = 1 to 2>]
// CHECK-SAME:    plan <"conflict-driven", steps = 4, bytes = 128, lower_bound = 128>
func.func @planned(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.abs %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.abs %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// UNPLANNED: expected graph.plan of function unplanned, got none; run assign-buffers first
func.func @unplanned(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.abs %x {graph.buffers = [#graph.buffer<outputs, slot = 0, offset = 0, size = "16">]} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// UNPLANNED: expected graph.lifetimes of graph.abs for each result, got none; run analyze-aliases first
func.func @without_lifetimes(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.abs %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">]} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// UNPLANNED: expected the range of n to be [least, most], got 3 : i64
// CHECK: expected the range of n to be [least, most], got 3 : i64
func.func @without_range(%x : tensor<4xf32>) -> tensor<4xf32> attributes {graph.symbols = {n = 3}} {
  %0 = graph.abs %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A constant that a kernel reads from memory is a weight by then.
//
// UNPLANNED: expected graph.constant to have a buffer, got none; run outline-constants first
// CHECK: expected graph.constant to have a buffer, got none; run outline-constants first
func.func @with_constant(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = graph.add %x, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
