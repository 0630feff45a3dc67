// RUN: sr-opt %s -p fold-constants | filecheck %s

// A chain of ops on constants becomes one constant, and what it was made of goes.
//
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[R:.*]] = graph.constant dense<[0.000000e+00, 4.000000e+00]>
// CHECK-NEXT:    return %[[R]]
func.func @chain() -> tensor<2xf32> {
  %0 = graph.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  %1 = graph.add %0, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = graph.relu %1 : tensor<2xf32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// An op without a kernel has a reference too.
//
// CHECK-LABEL: func.func @fallback
// CHECK-NEXT:    graph.constant dense<1> : tensor<i64>
func.func @fallback() -> tensor<i64> {
  %0 = graph.constant dense<[1.0, 3.0, 2.0]> : tensor<3xf32>
  %1 = graph.argmax %0 {axis = 0 : i64, keepdims = false} : tensor<3xf32> -> tensor<i64>
  return %1 : tensor<i64>
}

// A value of more than 16 elements goes to the weight store, from where folding goes on.
//
// CHECK-LABEL: func.func @large_value
// CHECK-NEXT:    %[[W:.*]] = graph.weight "folded.graph.relu" : tensor<5x5xf32>
// CHECK-NEXT:    %[[SUM:.*]] = graph.constant dense<2.500000e+01> : tensor<f32>
// CHECK-NEXT:    return %[[W]], %[[SUM]]
func.func @large_value() -> (tensor<5x5xf32>, tensor<f32>) {
  %0 = graph.constant dense<1.0> : tensor<5x5xf32>
  %1 = graph.relu %0 : tensor<5x5xf32> -> tensor<5x5xf32>
  %2 = graph.sum %1 {axes = array<i64: 0, 1>, keepdims = false} : tensor<5x5xf32> -> tensor<f32>
  return %1, %2 : tensor<5x5xf32>, tensor<f32>
}

// Ops that do the same to the same value share the result, and those that do not do not.
//
// CHECK-LABEL: func.func @shared_value
// CHECK-NEXT:    %[[A:.*]] = graph.weight "[[KEY:.*]]" : tensor<6x5xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.weight "[[KEY]]" : tensor<6x5xf32>
// CHECK-NEXT:    %[[C:.*]] = graph.weight "[[KEY]]_1" : tensor<5x6xf32>
func.func @shared_value() -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>) {
  %0 = graph.constant dense<1.0> : tensor<5x6xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<5x6xf32> -> tensor<6x5xf32>
  %2 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<5x6xf32> -> tensor<6x5xf32>
  %3 = graph.permute %0 {order = array<i64: 0, 1>} : tensor<5x6xf32> -> tensor<5x6xf32>
  return %1, %2, %3 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>
}

// A dimension that is a number is one.
//
// CHECK-LABEL: func.func @known_dimension
// CHECK-NEXT:    graph.constant dense<6> : tensor<i64>
func.func @known_dimension() -> tensor<i64> {
  %0 = graph.dim {value = "6"} : -> tensor<i64>
  return %0 : tensor<i64>
}

// An op with one operand that comes with the input stays.
//
// CHECK-LABEL: func.func @operand_is_an_input
// CHECK:         graph.add %
func.func @operand_is_an_input(%x : tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.add %x, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A weight that the store does not hold is known to the runtime only.
//
// CHECK-LABEL: func.func @weight_is_not_there
// CHECK:         graph.neg %
func.func @weight_is_not_there() -> tensor<2xf32> {
  %0 = graph.weight "w" : tensor<2xf32>
  %1 = graph.neg %0 : tensor<2xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The size of the result is known when the model runs.
//
// CHECK-LABEL: func.func @unknown_size
// CHECK:         graph.expand %
func.func @unknown_size(%x : tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.constant dense<1.0> : tensor<f32>
  %1 = graph.expand %0 {shape = ["n"]} : tensor<f32> -> tensor<?xf32, ["n"]>
  return %1 : tensor<?xf32, ["n"]>
}

// So is which elements these are.
//
// CHECK-LABEL: func.func @unknown_place
// CHECK:         graph.slice %
func.func @unknown_place(%x : tensor<?xf32, ["n"]>) -> tensor<2xf32> {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = graph.slice %0 {starts = ["n"], sizes = ["2"], steps = array<i64: 1>} : tensor<4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A number repeated 40,000 times is better repeated when the model runs.
//
// CHECK-LABEL: func.func @grows_too_much
// CHECK:         graph.expand %
func.func @grows_too_much() -> tensor<200x200xf32> {
  %0 = graph.constant dense<1.0> : tensor<f32>
  %1 = graph.expand %0 {shape = ["200", "200"]} : tensor<f32> -> tensor<200x200xf32>
  return %1 : tensor<200x200xf32>
}

// An index out of range is an error when the model runs, and not before.
//
// CHECK-LABEL: func.func @index_out_of_range
// CHECK:         graph.embedding %
func.func @index_out_of_range() -> tensor<1x2xf32> {
  %0 = graph.constant dense<1.0> : tensor<3x2xf32>
  %1 = graph.constant dense<7> : tensor<1xi64>
  %2 = graph.embedding %0, %1 : tensor<3x2xf32>, tensor<1xi64> -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// A container is no tensor; its elements are folded once it is gone.
//
// CHECK-LABEL: func.func @container
// CHECK:         graph.list_construct %
func.func @container() -> tensor<4xf32> {
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.list_construct %0, %0 : tensor<2xf32>, tensor<2xf32> -> !graph.list<tensor<2xf32>, tensor<2xf32>>
  %2 = graph.concat_list %1 {axis = 0 : i64} : !graph.list<tensor<2xf32>, tensor<2xf32>> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A float of 16 bits is rounded as a run rounds it.
//
// CHECK-LABEL: func.func @bf16
// CHECK-NEXT:    %[[W:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xbf16>
// CHECK-NEXT:    func.return %[[W]]
func.func @bf16() -> tensor<2xbf16> {
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.cast %0 {to = bf16} : tensor<2xf32> -> tensor<2xbf16>
  func.return %1 : tensor<2xbf16>
}

// What is dequantised is a factor, and so are integers as floats, however large they are.
//
// CHECK-LABEL: func.func @floats_of_integers
// CHECK:         graph.weight {{.*}} : tensor<200x200xf32>
// CHECK:         graph.weight {{.*}} : tensor<200x200xf32>
func.func @floats_of_integers() -> (tensor<200x200xf32>, tensor<200x200xf32>) {
  %w = graph.constant dense<3> : tensor<200x200xsi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<1> : tensor<si8>
  %0 = graph.dequantize %w, %s, %z : tensor<200x200xsi8>, tensor<f32>, tensor<si8> -> tensor<200x200xf32>
  %1 = graph.cast %w {to = f32} : tensor<200x200xsi8> -> tensor<200x200xf32>
  return %0, %1 : tensor<200x200xf32>, tensor<200x200xf32>
}

// A weight of bytes is not widened, since its loads do so. What is computed of it is.
//
// CHECK-LABEL: func.func @narrow
// CHECK-NEXT:    %[[W:.*]] = graph.weight "{{.*}}" : tensor<32xsi8>
// CHECK-NEXT:    %[[WIDE:.*]] = graph.cast %[[W]] {to = i32}
// CHECK-NEXT:    %[[SUM:.*]] = graph.weight "folded.graph.add" : tensor<32xi32>
// CHECK-NEXT:    return %[[WIDE]], %[[SUM]]
func.func @narrow() -> (tensor<32xi32>, tensor<32xi32>) {
  %0 = graph.constant dense<3> : tensor<2xsi8>
  %1 = graph.expand %0 {shape = ["16", "2"]} : tensor<2xsi8> -> tensor<16x2xsi8>
  %2 = graph.reshape %1 {shape = ["32"]} : tensor<16x2xsi8> -> tensor<32xsi8>
  %3 = graph.cast %2 {to = i32} : tensor<32xsi8> -> tensor<32xi32>
  %4 = graph.add %3, %3 : tensor<32xi32>, tensor<32xi32> -> tensor<32xi32>
  return %3, %4 : tensor<32xi32>, tensor<32xi32>
}

// What `keep-steps` keeps stays steps, in words or as bytes.
//
// CHECK-LABEL: func.func @kept_steps
// CHECK:         graph.dequantize_words
// CHECK:         graph.block_matmul
// CHECK:         graph.dequantize
// CHECK-NEXT:    graph.block_matmul
func.func @kept_steps(%x : tensor<7x16xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %w = graph.constant dense<3> : tensor<2x1x5xi32>
  %s = graph.constant dense<0.5> : tensor<2x1x1x5xf32>
  %1 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<2x1x5xi32>, tensor<2x1x1x5xf32> -> tensor<2x1x8x5xf32>
  %2 = graph.block_matmul %x, %1 : tensor<7x16xf32>, tensor<2x1x8x5xf32> -> tensor<7x5xf32>
  %v = graph.constant dense<3> : tensor<2x8x5xsi8>
  %t = graph.constant dense<0.5> : tensor<2x1x5xf32>
  %z = graph.constant dense<0> : tensor<si8>
  %3 = graph.dequantize %v, %t, %z : tensor<2x8x5xsi8>, tensor<2x1x5xf32>, tensor<si8> -> tensor<2x8x5xf32>
  %4 = graph.block_matmul %x, %3 : tensor<7x16xf32>, tensor<2x8x5xf32> -> tensor<7x5xf32>
  return %2, %4 : tensor<7x5xf32>, tensor<7x5xf32>
}

// A loop without trips gives its first values, and stacks of nothing.
//
// CHECK-LABEL: func.func @no_trips
// CHECK-NEXT:    %[[STACK:.*]] = graph.constant dense<> : tensor<0x1xf32>
// CHECK-NEXT:    return %x, %[[STACK]]
func.func @no_trips(%x : tensor<2x0xf32>, %i : tensor<0xi64>) -> (tensor<2x0xf32>, tensor<0x1xf32>) {
  %0, %1 = graph.loop %x, %i {trips = "0", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0, 0>} : tensor<2x0xf32>, tensor<0xi64> -> tensor<2x0xf32>, tensor<0x1xf32> {
  ^bb0(%y : tensor<2x0xf32>, %k : tensor<i64>):
    %2 = graph.index_select %y, %k {axis = 1 : i64, wraps = false} : tensor<2x0xf32>, tensor<i64> -> tensor<2xf32>
    %3 = graph.sum %2 {axes = array<i64: 0>, keepdims = true} : tensor<2xf32> -> tensor<1xf32>
    graph.yield %y, %3 : tensor<2x0xf32>, tensor<1xf32>
  }
  return %0, %1 : tensor<2x0xf32>, tensor<0x1xf32>
}

// So does one whose first condition is false.
//
// CHECK-LABEL: func.func @never
// CHECK-NEXT:    return %x
func.func @never(%x : tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<false> : tensor<i1>
  %0 = graph.loop %c, %x {trips = "3", carried = 1 : i64, scanned = 0 : i64, conditional = true, backward = array<i64>} : tensor<i1>, tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%y : tensor<2xf32>):
    %1 = graph.constant dense<true> : tensor<i1>
    %2 = graph.exp %y : tensor<2xf32> -> tensor<2xf32>
    graph.yield %1, %2 : tensor<i1>, tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// One that ends before it begins has a stack of which nothing is known: it stays.
//
// CHECK-LABEL: func.func @stacks
// CHECK:         graph.loop
func.func @stacks(%x : tensor<2xf32>) -> tensor<3x2xf32> {
  %c = graph.constant dense<false> : tensor<i1>
  %0, %s = graph.loop %c, %x {trips = "3", carried = 1 : i64, scanned = 0 : i64, conditional = true, backward = array<i64: 0>} : tensor<i1>, tensor<2xf32> -> tensor<2xf32>, tensor<3x2xf32> {
  ^bb0(%y : tensor<2xf32>):
    %1 = graph.constant dense<true> : tensor<i1>
    %2 = graph.exp %y : tensor<2xf32> -> tensor<2xf32>
    graph.yield %1, %2, %2 : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %s : tensor<3x2xf32>
}

// A diagonal beyond all elements is empty, also where its number has more than 32 bits.
//
// CHECK-LABEL: func.func @far_diagonal
// CHECK-NEXT:    graph.constant dense<> : tensor<0xf32>
func.func @far_diagonal() -> tensor<0xf32> {
  %0 = graph.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  %1 = graph.diagonal %0 {axes = array<i64: 0, 1>, offset = 4294967296 : i64} : tensor<2x2xf32> -> tensor<0xf32>
  return %1 : tensor<0xf32>
}
