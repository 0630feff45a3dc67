// RUN: sr-opt %s -p "number-calls" | filecheck %s
// RUN: sr-opt %s -p "analyze-aliases,assign-buffers,number-calls,graph-to-loop" | filecheck %s --check-prefix=CALLS

// Each op that becomes calls has a number, a fusion one for all its ops. The table says
// what each number stands for: a key that two ops share is there once.
//
// CHECK:       builtin.module attributes {graph.executed = [
// CHECK-SAME:    {family = "exp", operators = ["graph::exp v1/6;0,1|6;0,1"]},
// CHECK-SAME:    {family = "relu_relu", operators = ["graph::relu v1/6;0,1|6;0,1"]},
// CHECK-SAME:    {family = "sin", {{.*}}}, {family = "cos", {{.*}}}]}
// CHECK:         graph.exp %{{.*}} {graph.trace = 0 : i64}
// CHECK:         graph.fusion %{{.*}} {graph.trace = 1 : i64}
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.relu %{{.*}} : tensor<2x3xf32>
// CHECK-NEXT:      graph.relu %{{.*}} : tensor<2x3xf32>
//
// A call has the number of its op.
//
// CALLS:         loop.call @exp{{.*}}loop.traced = 0
// CALLS:         loop.call @relu_relu{{.*}}loop.traced = 1
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.fusion %0 : tensor<2x3xf32> -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    %b = graph.relu %a : tensor<2x3xf32> -> tensor<2x3xf32>
    %c = graph.relu %b : tensor<2x3xf32> -> tensor<2x3xf32>
    graph.yield %c : tensor<2x3xf32>
  }
  return %1 : tensor<2x3xf32>
}

// A view, and what only holds others, have none; what they hold has.
//
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    graph.reshape %{{.*}} {shape = ["6"]} : tensor<2x3xf32>
// CHECK-NEXT:    graph.if %c, %{{.*}} : tensor<i1>
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.sin %{{.*}} {graph.trace = 2 : i64}
// CHECK:           graph.cos %{{.*}} {graph.trace = 3 : i64}
func.func @others(%c: tensor<i1>, %x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %1 = graph.if %c, %0 : tensor<i1>, tensor<6xf32> -> tensor<6xf32> {
  ^bb0(%a: tensor<6xf32>):
    %2 = graph.sin %a : tensor<6xf32> -> tensor<6xf32>
    graph.yield %2 : tensor<6xf32>
  } {
  ^bb0(%a: tensor<6xf32>):
    %2 = graph.cos %a : tensor<6xf32> -> tensor<6xf32>
    graph.yield %2 : tensor<6xf32>
  }
  return %1 : tensor<6xf32>
}
