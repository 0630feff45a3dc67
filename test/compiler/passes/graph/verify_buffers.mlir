// RUN: sr-opt %s -p verify-buffers --split-input-file --verify-diagnostics | filecheck %s

// The second value begins where the first ends, and the third when the first is over.
//
// CHECK-LABEL: func.func @apart
func.func @apart(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]} : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 {graph.buffers = [#graph.buffer<activations, slot = 1, offset = 16, size = "16">], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.abs %1 {graph.buffers = [#graph.buffer<activations, slot = 2, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 2, first = 2, last = 3>]} : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A value and a view of it are one group.
//
// CHECK-LABEL: func.func @view
func.func @view(%x : tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 {shape = ["2", "2"], graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4xf32> -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

// An op would write where it reads.
func.func @reads_where_it_writes(%x : tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]} : tensor<4xf32> -> tensor<4xf32>
  // expected-error {{expected memory of its own for each live value, got bytes 0 to 16 of the activations shared by %a (graph.relu) and %b (graph.neg)}}
  %b = graph.neg %a {graph.buffers = [#graph.buffer<activations, slot = 1, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// A value that lives longer is overwritten, in part, by one that comes much later.
func.func @overlaps_in_part(%x : tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]} : tensor<4xf32> -> tensor<4xf32>
  %b = graph.neg %a {graph.buffers = [#graph.buffer<activations, slot = 1, offset = 64, size = "16">], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  // expected-error {{got bytes 12 to 16 of the activations shared by %a (graph.relu) and %c (graph.abs)}}
  %c = graph.abs %b {graph.buffers = [#graph.buffer<activations, slot = 2, offset = 12, size = "16">], graph.lifetimes = [#graph.lifetime<group = 2, first = 2, last = 3>]} : tensor<4xf32> -> tensor<4xf32>
  %d = graph.add %a, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// Where a value without a place yet will lie is verified when it gets one.
//
// CHECK-LABEL: func.func @no_place_yet
func.func @no_place_yet(%x : tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = ?, size = "4 * n">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  %1 = graph.neg %0 {graph.buffers = [#graph.buffer<activations, slot = 1, offset = ?, size = "4 * n">], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %1 : tensor<?xf32, ["n"]>
}

// -----

// Each region is a block of its own.
//
// CHECK-LABEL: func.func @regions
func.func @regions(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]} : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 {graph.buffers = [#graph.buffer<outputs, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// An op writes where it reads, and says so.
//
// CHECK-LABEL: func.func @in_place
func.func @in_place(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 {graph.in_place = 0 : i64, graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// It does so, but does not say it.
func.func @one_group(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  // expected-error {{expected a group of views of one value, got group 0 with the result of graph.neg too}}
  %1 = graph.neg %0 {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// An input is not an op's to overwrite.
func.func @input(%x : tensor<4xf32>) -> tensor<4xf32> {
  // expected-error {{expected graph.neg to overwrite what its block computed and nothing else needs, got another value of tensor<4xf32>}}
  %0 = graph.neg %x {graph.in_place = 0 : i64} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A view of what is overwritten is read later.
func.func @needed_later(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 {shape = ["4"]} : tensor<4xf32> -> tensor<4xf32>
  // expected-error {{expected graph.neg to overwrite what its block computed and nothing else needs}}
  %2 = graph.neg %0 {graph.in_place = 0 : i64} : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.add %1, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Its loops read elements that they have overwritten.
func.func @reads_others(%x : tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.relu %x : tensor<2x2xf32> -> tensor<2x2xf32>
  // expected-error {{expected graph.permute to read tensor<2x2xf32> only where it stores tensor<2x2xf32>, got loops that do not}}
  %1 = graph.permute %0 {order = array<i64: 1, 0>, graph.in_place = 0 : i64} : tensor<2x2xf32> -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

// There is no such operand.
func.func @no_operand(%x : tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = graph.relu %x : tensor<1x4xf32> -> tensor<1x4xf32>
  // expected-error {{expected graph.neg with one result in the memory of one of its 1 operands, got 1 : i64}}
  %1 = graph.neg %0 {graph.in_place = 1 : i64} : tensor<1x4xf32> -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

// What may be an input at run time is not an op's to overwrite.
func.func @may_be_an_input(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["n", "m"]> {
  %0 = graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1", "n - 1"]]>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  // expected-error {{expected graph.neg to overwrite what its block computed and nothing else needs}}
  %1 = graph.neg %0 {graph.in_place = 0 : i64} : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  %2 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["n", "m"]>
  return %2 : tensor<?x?xf32, ["n", "m"]>
}

// -----

// A chain of skips ends at what is read later.
func.func @chain_is_read_later(%x : tensor<1x4xf32>) -> tensor<4x?xf32, ["m"]> {
  %0 = graph.relu %x : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = graph.expand %0 {shape = ["m", "4"], graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1"]]>]} : tensor<1x4xf32> -> tensor<?x4xf32, ["m"]>
  %2 = graph.permute %1 {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1"]]>]} : tensor<?x4xf32, ["m"]> -> tensor<4x?xf32, ["m"]>
  // expected-error {{expected graph.neg to overwrite what its block computed and nothing else needs}}
  %3 = graph.neg %2 {graph.in_place = 0 : i64} : tensor<4x?xf32, ["m"]> -> tensor<4x?xf32, ["m"]>
  %4 = graph.permute %3 {order = array<i64: 1, 0>} : tensor<4x?xf32, ["m"]> -> tensor<?x4xf32, ["m"]>
  %5 = graph.mul %4, %0 : tensor<?x4xf32, ["m"]>, tensor<1x4xf32> -> tensor<?x4xf32, ["m"]>
  %6 = graph.permute %5 {order = array<i64: 1, 0>} : tensor<?x4xf32, ["m"]> -> tensor<4x?xf32, ["m"]>
  return %6 : tensor<4x?xf32, ["m"]>
}

// -----

// What is always skipped is a view, and no op.
func.func @always(%x : tensor<1x4xf32>) -> tensor<4x1xf32> {
  // expected-error {{expected graph.permute, which is always skipped, to be a view, got an op; run eliminate-no-ops first}}
  %0 = graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = false, operand = 0, when = []>]} : tensor<1x4xf32> -> tensor<4x1xf32>
  %1 = graph.relu %0 : tensor<4x1xf32> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// -----

// The condition is not that of its loops.
func.func @another_condition(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["m", "n"]> {
  // expected-error {{expected graph.permute to be skipped as its loops allow, got #graph.skip<optimized = true, runtime_skippable = true, operand = 0, when =}}
  %0 = graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 2"]]>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  %1 = graph.relu %0 : tensor<?x?xf32, ["m", "n"]> -> tensor<?x?xf32, ["m", "n"]>
  return %1 : tensor<?x?xf32, ["m", "n"]>
}

// -----

// An output is not its operand.
func.func @output(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["m", "n"]> {
  // expected-error {{expected graph.permute to be skipped as its loops allow}}
  %0 = graph.permute %x {order = array<i64: 1, 0>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["m - 1", "n - 1"]]>]} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xf32, ["m", "n"]>
  return %0 : tensor<?x?xf32, ["m", "n"]>
}

// -----

// What regions compute that may run at once is apart, though one comes after the other.
func.func @branches(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0, %1 = graph.parallel %x {graph.buffers = [#graph.buffer<outputs, slot = 0, offset = 0, size = "16">, #graph.buffer<activations, slot = 2, offset = 16, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 8>, #graph.lifetime<group = 1, first = 0, last = 7>]} : tensor<4xf32> -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%v : tensor<4xf32>):
    %a = graph.relu %v {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 2, first = 1, last = 2>]} : tensor<4xf32> -> tensor<4xf32>
    %b = graph.abs %a {graph.buffers = [#graph.buffer<outputs, slot = 0, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 8>]} : tensor<4xf32> -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  } {
  ^bb0(%v : tensor<4xf32>):
    // expected-error {{got bytes 0 to 16 of the activations shared by %a (graph.relu) and %c (graph.neg)}}
    %c = graph.neg %v {graph.buffers = [#graph.buffer<activations, slot = 1, offset = 0, size = "16">], graph.lifetimes = [#graph.lifetime<group = 3, first = 4, last = 5>]} : tensor<4xf32> -> tensor<4xf32>
    %d = graph.abs %c {graph.buffers = [#graph.buffer<activations, slot = 2, offset = 16, size = "16">], graph.lifetimes = [#graph.lifetime<group = 1, first = 0, last = 7>]} : tensor<4xf32> -> tensor<4xf32>
    graph.yield %d : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A result may be an operand as indices decide: then this is kept as long.
//
// CHECK-LABEL: func.func @kept
func.func @kept(%x : tensor<4x64xf32>, %i : tensor<4xi64>, %w : tensor<64x64xf32>) -> tensor<4x64xf32> {
  %0 = graph.matmul %x, %w {graph.buffers = [#graph.buffer<activations, slot = 0, offset = 0, size = "1024">], graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : tensor<4x64xf32>, tensor<64x64xf32> -> tensor<4x64xf32>
  %1 = graph.index_select %0, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>], graph.buffers = [#graph.buffer<activations, slot = 1, offset = 1024, size = "1024">], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<4x64xf32>, tensor<4xi64> -> tensor<4x64xf32>
  %2 = graph.matmul %1, %w {graph.buffers = [#graph.buffer<outputs, slot = 0, offset = 0, size = "1024">], graph.lifetimes = [#graph.lifetime<group = 2, first = 2, last = 3>]} : tensor<4x64xf32>, tensor<64x64xf32> -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}

// -----

// It is not kept until the last op that may read it.
func.func @given_up(%x : tensor<4x64xf32>, %i : tensor<4xi64>, %w : tensor<64x64xf32>) -> tensor<4x64xf32> {
  %0 = graph.matmul %x, %w {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 1>]} : tensor<4x64xf32>, tensor<64x64xf32> -> tensor<4x64xf32>
  // expected-error {{expected graph.index_select, whose result may be tensor<4x64xf32>, to keep that until op 2, got memory until 1}}
  %1 = graph.index_select %0, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 2>]} : tensor<4x64xf32>, tensor<4xi64> -> tensor<4x64xf32>
  %2 = graph.matmul %1, %w {graph.lifetimes = [#graph.lifetime<group = 2, first = 2, last = 3>]} : tensor<4x64xf32>, tensor<64x64xf32> -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}

// -----

// The result is memory of its own for another, which sizes decide, and so is needed longer.
func.func @given_up_in_a_chain(%x : tensor<?x64xf32, ["n"]>, %i : tensor<?xi64, ["n"]>, %w : tensor<64x64xf32>) -> tensor<?x64xf32, ["n"]> {
  %0 = graph.matmul %x, %w {graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 3>]} : tensor<?x64xf32, ["n"]>, tensor<64x64xf32> -> tensor<?x64xf32, ["n"]>
  // expected-error {{expected graph.index_select, whose result may be tensor<?x64xf32, ["n"]>, to keep that until op 4, got memory until 3}}
  %1 = graph.index_select %0, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 3>]} : tensor<?x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<?x64xf32, ["n"]>
  %2 = graph.reshape %1 {shape = ["n", "64", "1"], graph.lifetimes = [#graph.lifetime<group = 1, first = 1, last = 3>]} : tensor<?x64xf32, ["n"]> -> tensor<?x64x1xf32, ["n"]>
  %3 = graph.permute %2 {order = array<i64: 1, 0, 2>, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [["n - 1"]]>], graph.lifetimes = [#graph.lifetime<group = 2, first = 3, last = 4>]} : tensor<?x64x1xf32, ["n"]> -> tensor<64x?x1xf32, ["n"]>
  %4 = graph.reduce_max %3 {axes = array<i64: 0>, keepdims = false, or_identity, graph.lifetimes = [#graph.lifetime<group = 3, first = 4, last = 5>]} : tensor<64x?x1xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
  return %0 : tensor<?x64xf32, ["n"]>
}

// -----

// Fewer are selected than there are, so that some may be left out.
func.func @fewer(%x : tensor<4x64xf32>, %i : tensor<3xi64>, %w : tensor<64x64xf32>) -> tensor<3x64xf32> {
  // expected-error {{expected graph.index_select to be skipped as its loops allow, got #graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>}}
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]} : tensor<4x64xf32>, tensor<3xi64> -> tensor<3x64xf32>
  %1 = graph.matmul %0, %w : tensor<3x64xf32>, tensor<64x64xf32> -> tensor<3x64xf32>
  return %1 : tensor<3x64xf32>
}
