// RUN: sr-opt %s -p 'own-outputs,split-updates,reuse-operands,analyze-aliases,assign-buffers,graph-to-loop,analyze-donations' | filecheck %s

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

// An input that is returned as it is may be; each of two inputs may be that of its output.
//
// CHECK-LABEL: loop.program @states
// CHECK-SAME:    donations [#loop.donation<input = 1, output = 0>, #loop.donation<input = 0, output = 1>]
func.func @states(%x : tensor<4xf32>, %y : tensor<2x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.reshape %y {shape = ["4"]} : tensor<2x2xf32> -> tensor<4xf32>
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}

// What reads the old input comes after the copy.
//
// CHECK-LABEL: loop.program @read_after
// CHECK-NOT:     donation
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

// A sum reads its operands as it stores: what is no copy may not be skipped.
//
// CHECK-LABEL: loop.program @computed
// CHECK-NOT:     donation
// CHECK:         loop.call @add
func.func @computed(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
