// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A result says where it lives, and from which op to which.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 2, offset = 256, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]}
func.func @round_trip(%x : tensor<4xf32>) {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 2, offset = 256, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// A size may depend on symbols; then so does the offset, and it is looked up.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         #graph.buffer<activations, slot = 0, offset = ?, size = "4 * n">
func.func @symbols(%x : tensor<?xf32, ["n"]>) {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = ?, size = "4 * n">]} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return
}

// -----

// There are four regions of memory.
func.func @no_such_region(%x : tensor<4xf32>) {
  // expected-error @below {{expected a region of inputs, constants, activations, outputs, got stack}}
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<stack, slot = 0, offset = 0, size = "16">]} : tensor<4xf32> -> tensor<4xf32>
  return
}
