// RUN: sr-opt %s -p 'infer-shapes{bind="batch=8"}' | filecheck %s
// RUN: sr-opt %s -p 'infer-shapes{bind="batch=2 * n","seq=30"}' | filecheck %s --check-prefix=TWO
// RUN: sr-opt %s -p infer-shapes | filecheck %s --check-prefix=NONE
// RUN: not sr-opt %s -p 'infer-shapes{bind=batch}' 2>&1 | filecheck %s --check-prefix=BINDING
// RUN: not sr-opt %s -p 'infer-shapes{bind="batch=+"}' 2>&1 | filecheck %s --check-prefix=DIMENSION
// RUN: not sr-opt %s -p 'infer-shapes{bind="seq=4"}' 2>&1 | filecheck %s --check-prefix=REFUSED

// A binding says what a symbol stands for.
//
// BINDING: expected a binding such as batch=8, got batch
// DIMENSION: dimension '+': expected a number or a symbol, got +

// A symbol of the arguments gets its value, and so do all types that depend on it.
//
// CHECK-LABEL: func.func @values
// CHECK-SAME:      (%x: tensor<8x3xf32>) -> tensor<8x3xf32>
// CHECK-SAME:      graph.symbols = {seq = [1 : i64, 16 : i64]}
// CHECK-NEXT:    graph.relu %x : tensor<8x3xf32> -> tensor<8x3xf32>
//
// It may be a symbol again.
//
// TWO-LABEL: func.func @values
// TWO-SAME:      (%x: tensor<?x3xf32, ["2 * n"]>) -> tensor<?x3xf32, ["2 * n"]>
//
// Without a binding nothing changes.
//
// NONE-LABEL: func.func @values
// NONE-SAME:      (%x: tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]>
// NONE-SAME:      graph.symbols = {batch = [1 : i64, 4096 : i64], seq = [1 : i64, 16 : i64]}
func.func @values(%x: tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]> attributes {graph.symbols = {batch = [1, 4096], seq = [1, 16]}} {
  %0 = graph.relu %x : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>
  return %0 : tensor<?x3xf32, ["batch"]>
}

// The dimensions that ops name are bound too.
//
// CHECK-LABEL: func.func @properties
// CHECK:         graph.reshape %x {shape = ["8 * seq"]} : tensor<8x?xf32, ["seq"]> -> tensor<?xf32, ["8 * seq"]>
// CHECK:         graph.dim {value = "16"}
//
// TWO-LABEL: func.func @properties
// TWO:         graph.reshape %x {shape = ["60 * n"]} : tensor<?x30xf32, ["2 * n"]> -> tensor<?xf32, ["60 * n"]>
// TWO:         graph.dim {value = "4 * n"}
func.func @properties(%x: tensor<?x?xf32, ["batch", "seq"]>) -> (tensor<?xf32, ["batch * seq"]>, tensor<i64>) {
  %0 = graph.reshape %x {shape = ["batch * seq"]} : tensor<?x?xf32, ["batch", "seq"]> -> tensor<?xf32, ["batch * seq"]>
  %1 = graph.dim {value = "2 * batch"} : -> tensor<i64>
  return %0, %1 : tensor<?xf32, ["batch * seq"]>, tensor<i64>
}

// So are the elements of containers, and the ops within a fusion.
//
// CHECK-LABEL: func.func @within
// CHECK-SAME:      (%l: !graph.list<tensor<8xf32>>) -> tensor<8xf32>
// CHECK:         graph.list_unpack %l : !graph.list<tensor<8xf32>> -> tensor<8xf32>
// CHECK:         graph.fusion %{{.*}} : tensor<8xf32> -> tensor<8xf32>
// CHECK:           graph.relu %{{.*}} : tensor<8xf32> -> tensor<8xf32>
func.func @within(%l : !graph.list<tensor<?xf32, ["batch"]>>) -> tensor<?xf32, ["batch"]> {
  %0 = graph.list_unpack %l : !graph.list<tensor<?xf32, ["batch"]>> -> tensor<?xf32, ["batch"]>
  %1 = graph.fusion %0 : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]> {
  ^bb0(%a : tensor<?xf32, ["batch"]>):
    %2 = graph.relu %a : tensor<?xf32, ["batch"]> -> tensor<?xf32, ["batch"]>
    graph.yield %2 : tensor<?xf32, ["batch"]>
  }
  return %1 : tensor<?xf32, ["batch"]>
}

// A value for which an op has no meaning is refused.
//
// REFUSED: expected elements inside tensor<4xf32>, got starts ('-5',), sizes ('9',) and steps (1,)
func.func @last_nine(%x : tensor<?xf32, ["seq"]>) -> tensor<9xf32> {
  %0 = graph.slice %x {starts = ["seq - 9"], sizes = ["9"], steps = array<i64: 1>} : tensor<?xf32, ["seq"]> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
