// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},own-outputs,split-updates,reuse-operands,analyze-aliases,assign-buffers,graph-to-loop,analyze-donations' | filecheck %s

// The first that is done with an output is to copy an input, which is read no more.
//
// CHECK-LABEL: loop.program @append
// CHECK-SAME:    donations [#loop.donation<input = 1, output = 0>]
// CHECK:         loop.call @copy_{{[0-9]+}}(%{{.*}}, %{{.*}}) symbols [] unless_same
// CHECK-NEXT:    loop.call @scatter
func.func @append(%u : tensor<1x2xf32>, %x : tensor<4x2xf32>, %i : tensor<1x2xi64>) -> tensor<4x2xf32> {
  %0 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"} : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// An input that is returned as it is may be; and any that was read before.
//
// CHECK-LABEL: loop.program @states
// CHECK-SAME:    donations [#loop.donation<input = 1, output = 0>, #loop.donation<input = 0, output = 1>, #loop.donation<input = 1, output = 1>]
func.func @states(%x : tensor<4xf32>, %y : tensor<2x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.reshape %y {shape = ["4"]} : tensor<2x2xf32> -> tensor<4xf32>
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}

// What reads the old input comes after the copy, so it may be another output only.
//
// CHECK-LABEL: loop.program @read_after
// CHECK-SAME:    donations [#loop.donation<input = 0, output = 1>]
// CHECK-LABEL: loop.program @read_before
func.func @read_after(%x : tensor<4x2xf32>, %i : tensor<1x2xi64>, %u : tensor<1x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"} : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
  %1 = graph.exp %x : tensor<4x2xf32> -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// What reads it before is no harm, and neither is what reads the new one.
//
// CHECK-SAME:    donations [#loop.donation<input = 0, output = 0>]
func.func @read_before(%x : tensor<4x2xf32>, %i : tensor<1x2xi64>, %u : tensor<1x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = graph.exp %x : tensor<4x2xf32> -> tensor<4x2xf32>
  %1 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"} : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
  %2 = graph.add %0, %1 : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>
}

// A sum may store where it has read, if there is a result beside the state.
//
// CHECK-LABEL: loop.program @updated
// CHECK-SAME:    donations [#loop.donation<input = 0, output = 0>, #loop.donation<input = 0, output = 1>, #loop.donation<input = 1, output = 1>]
func.func @updated(%x : tensor<4xf32>, %w : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.mul %x, %w : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.exp %w : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A product reads an element for many results.
//
// CHECK-LABEL: loop.program @mixed
// CHECK-SAME:    donations [#loop.donation<input = 0, output = 1>, #loop.donation<input = 1, output = 1>]
func.func @mixed(%x : tensor<2x2xf32>, %w : tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = graph.exp %0 : tensor<2x2xf32> -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// With nothing but the state for a result, kernels work on memory of their own.
//
// CHECK-LABEL: loop.program @computed
// CHECK-NOT:     donation
// CHECK:         loop.call @add
func.func @computed(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What may be an input as indices decide is not where that is an output too.
//
// CHECK-LABEL: loop.program @order
// CHECK-SAME:    donations [#loop.donation<input = 0, output = 0>]
func.func @order(%x : tensor<4x64xf32>, %i : tensor<4xi64>, %w : tensor<64x8xf32>) -> (tensor<4x64xf32>, tensor<4x8xf32>) {
  %0 = graph.index_select %x, %i {axis = 0 : i64, wraps = true, graph.skips = [#graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [], indices = 1>]} : tensor<4x64xf32>, tensor<4xi64> -> tensor<4x64xf32>
  %1 = graph.relu %x : tensor<4x64xf32> -> tensor<4x64xf32>
  %2 = graph.matmul %0, %w : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
  return %1, %2 : tensor<4x64xf32>, tensor<4x8xf32>
}
