// RUN: sr-opt %s --split-input-file --verify-diagnostics -p analyze-aliases,assign-buffers \
// RUN:   | filecheck %s
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p fuse,analyze-aliases,assign-buffers \
// RUN:   | filecheck %s --check-prefix=FUSED
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p 'analyze-aliases,assign-buffers{planner=naive}' \
// RUN:   | filecheck %s --check-prefix=NAIVE
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p 'analyze-aliases,assign-buffers{planner=greedy-by-size}' \
// RUN:   | filecheck %s --check-prefixes=SHARED,SIZE
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p 'analyze-aliases,assign-buffers{planner=greedy-by-breadth}' \
// RUN:   | filecheck %s --check-prefixes=SHARED,BREADTH
// RUN: sr-opt %s --split-input-file --verify-diagnostics -p 'analyze-aliases,assign-buffers{planner=storage-groups}' \
// RUN:   | filecheck %s --check-prefixes=SHARED,GROUPS
// RUN: not sr-opt %s -p 'analyze-aliases,assign-buffers{planner=naiv}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not sr-opt %s -p assign-buffers 2>&1 | filecheck %s --check-prefix=LIFETIMES

// UNKNOWN: expected a planner among naive, {{.*}}, got 'naiv'; did you mean naive?
// LIFETIMES: expected graph.add to have lifetimes, got none; run analyze-aliases first

// Of three values no more than two live at a time, so that two storages are enough: the
// first and the third share one. The result is computed where it is returned. The plan is
// as small as its lower bound, hence as any can be.
//
// CHECK-LABEL: func.func @chain
// CHECK-SAME:      graph.plan = {planner = "conflict-driven", bytes = 16384 : i64, lower_bound = 16384 : i64}
// CHECK:         graph.add {{.*}}#graph.buffer<activations, slot = 0, offset = 0, size = "8192">
// CHECK:         graph.mul {{.*}}#graph.buffer<activations, slot = 1, offset = 8192, size = "8192">
// CHECK:         graph.mul {{.*}}#graph.buffer<activations, slot = 2, offset = 0, size = "8192">
// CHECK:         graph.concat {{.*}}#graph.buffer<outputs, slot = 0, offset = 0, size = "16384">
//
// Fused, the chain writes to the output, and nothing is left to store.
//
// FUSED-LABEL: func.func @chain
// FUSED-SAME:      bytes = 0 : i64, lower_bound = 0 : i64
// FUSED:         graph.fusion {{.*}}#graph.buffer<outputs, slot = 0, offset = 0, size = "16384">
// FUSED-NOT:     activations
// FUSED-LABEL: func.func @alignment
//
// Without sharing there are three storages.
//
// NAIVE-LABEL: func.func @chain
// NAIVE-SAME:      planner = "naive", bytes = 24576 : i64, lower_bound = 16384 : i64
//
// The other planners find two as well.
//
// SHARED-LABEL: func.func @chain
// SIZE-SAME:       planner = "greedy-by-size"
// BREADTH-SAME:    planner = "greedy-by-breadth"
// GROUPS-SAME:     planner = "storage-groups"
// SHARED-SAME:     bytes = 16384 : i64
func.func @chain(%i0 : tensor<64x32xf32>, %i1 : tensor<64x32xf32>, %i2 : tensor<64x32xf32>, %i3 : tensor<64x32xf32>, %i4 : tensor<64x32xf32>) -> tensor<64x64xf32> {
  %0 = graph.add %i0, %i1 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %1 = graph.mul %0, %i2 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %2 = graph.mul %1, %i3 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %3 = graph.concat %2, %i4 {axis = 1 : i64} : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// Every buffer begins at a multiple of 64 bytes: weights one after the other, and the
// activations in a block of their own.
//
// CHECK-LABEL: func.func @alignment
// CHECK-SAME:      bytes = 128 : i64
// CHECK:         graph.weight "w" {{.*}}#graph.buffer<constants, slot = 0, offset = 0, size = "20">
// CHECK:         graph.weight "v" {{.*}}#graph.buffer<constants, slot = 1, offset = 64, size = "20">
// CHECK:         graph.add {{.*}}#graph.buffer<activations, slot = 0, offset = {{0|64}}, size = "20">
// CHECK:         graph.mul {{.*}}#graph.buffer<activations, slot = 1, offset = {{0|64}}, size = "20">
func.func @alignment() -> tensor<5xf32> {
  %0 = graph.weight "w" : tensor<5xf32>
  %1 = graph.weight "v" : tensor<5xf32>
  %2 = graph.add %0, %1 : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  %3 = graph.mul %2, %1 : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  %4 = graph.sub %3, %0 : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  return %4 : tensor<5xf32>
}

// A view is where its value is: an argument, a weight, an activation or an output.
//
// CHECK-LABEL: func.func @views
// CHECK:         graph.reshape %x {{.*}}#graph.buffer<inputs, slot = 0, offset = 0, size = "16">
// CHECK:         graph.relu {{.*}}#graph.buffer<activations, slot = 0, offset = 0, size = "16">
// CHECK:         graph.reshape {{.*}}#graph.buffer<activations, slot = 0, offset = 0, size = "16">
// CHECK:         graph.neg {{.*}}#graph.buffer<outputs, slot = 0, offset = 0, size = "16">
// CHECK:         graph.reshape {{.*}}#graph.buffer<outputs, slot = 0, offset = 0, size = "16">
func.func @views(%x : tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.reshape %x {shape = ["4"]} : tensor<2x2xf32> -> tensor<4xf32>
  %1 = graph.relu %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.reshape %1 {shape = ["1", "4"]} : tensor<4xf32> -> tensor<1x4xf32>
  %3 = graph.neg %2 : tensor<1x4xf32> -> tensor<1x4xf32>
  %4 = graph.reshape %3 {shape = ["2", "2"]} : tensor<1x4xf32> -> tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}

// A number in a kernel's code needs no memory.
//
// CHECK-LABEL: func.func @number
// CHECK-NOT:     graph.constant {{.*}}#graph.buffer
// CHECK:         graph.add {{.*}}#graph.buffer<outputs, slot = 0
func.func @number(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.constant dense<1.0> : tensor<f32>
  %1 = graph.add %x, %0 : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// While a size is unknown, so is where anything lies. What is known is an order: which
// slot may lie below which.
//
// CHECK-LABEL: func.func @symbols
// CHECK-SAME:      graph.plan = {planner = "conflict-driven", orders = [array<i64: 0, 1>]}
// CHECK:         graph.relu {{.*}}#graph.buffer<activations, slot = 0, offset = ?, size = "4 * n">
// CHECK:         graph.relu {{.*}}#graph.buffer<activations, slot = 1, offset = ?, size = "16">
func.func @symbols(%x : tensor<?xf32, ["n"]>, %y : tensor<4xf32>) -> (tensor<?xf32, ["n"]>, tensor<4xf32>) {
  %0 = graph.relu %x : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  %1 = graph.relu %y : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.neg %0 : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  %3 = graph.neg %1 : tensor<4xf32> -> tensor<4xf32>
  return %2, %3 : tensor<?xf32, ["n"]>, tensor<4xf32>
}

// -----

// An output has memory of its own, which its value is computed in.
func.func @output_is_an_input(%x : tensor<4xf32>) -> tensor<4xf32> {
  // expected-error {{expected output 0 to have memory of its own, got}}
  return %x : tensor<4xf32>
}

// -----

func.func @output_is_a_weight() -> tensor<4xf32> {
  %0 = graph.weight "w" : tensor<4xf32>
  // expected-error {{expected output 0 to have memory of its own, got}}
  return %0 : tensor<4xf32>
}

// -----

func.func @output_is_another(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 {shape = ["2", "2"]} : tensor<4xf32> -> tensor<2x2xf32>
  // expected-error {{expected output 1 to have memory of its own, got}}
  return %0, %1 : tensor<4xf32>, tensor<2x2xf32>
}

// -----

// Regions that may run at once need memory at one time, which is the bound as well; the
// plan says which steps are whose.
//
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    graph.plan = {planner = "conflict-driven", branches = [array<i64: 0, 8, 1, 3>, array<i64: 0, 8, 4, 7>], bytes = 448 : i64, lower_bound = 448 : i64}
// CHECK:         #graph.buffer<activations, slot = {{[0-9]}}, offset = {{[0-9]+}}, size = "256">
func.func @branches(%x : tensor<64xf32>) -> tensor<64xf32> {
  %0, %1 = graph.parallel %x : tensor<64xf32> -> tensor<64xf32>, tensor<16xf32> {
  ^bb0(%v : tensor<64xf32>):
    %a = graph.relu %v : tensor<64xf32> -> tensor<64xf32>
    %b = graph.cumsum %a {axis = 0 : i64} : tensor<64xf32> -> tensor<64xf32>
    graph.yield %b : tensor<64xf32>
  } {
  ^bb0(%v : tensor<64xf32>):
    %c = graph.slice %v {starts = ["0"], sizes = ["16"], steps = array<i64: 1>} : tensor<64xf32> -> tensor<16xf32>
    %d = graph.abs %c : tensor<16xf32> -> tensor<16xf32>
    %e = graph.cumsum %d {axis = 0 : i64} : tensor<16xf32> -> tensor<16xf32>
    graph.yield %e : tensor<16xf32>
  }
  return %0 : tensor<64xf32>
}

// A view in sizes that the run finds takes no more bytes than what it is a view of, though each of
// the sizes may be as large as that.
//
// CHECK-LABEL: func.func @view_of_found_sizes
// CHECK:         graph.neg %x {{.*}}size = "16"
// CHECK-NEXT:    graph.reshape {{.*}}size = "16"
func.func @view_of_found_sizes(%x: tensor<4xf32>, %k: tensor<i64>, %l: tensor<i64>) -> tensor<?xf32, ["k + l"]> {
  graph.define_symbol %k {symbol = "k", low = "0", high = "4"} : tensor<i64>
  graph.define_symbol %l {symbol = "l", low = "0", high = "4"} : tensor<i64>
  %0 = graph.neg %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 {shape = ["k + l"]} : tensor<4xf32> -> tensor<?xf32, ["k + l"]>
  %2 = graph.exp %1 : tensor<?xf32, ["k + l"]> -> tensor<?xf32, ["k + l"]>
  return %2 : tensor<?xf32, ["k + l"]>
}
