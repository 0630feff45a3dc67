// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A fork gives the future of all that its region yields, and a wait its values.
//
// CHECK-LABEL: func.func @both
// CHECK:         %[[F:.*]] = graph.fork %x, %n : tensor<3xf32>, tensor<2xi64> -> !graph.future<tensor<3xf32>, tensor<2xi64>> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<2xi64>):
// CHECK-NEXT:      %[[C:.*]] = graph.neg %[[A]]
// CHECK-NEXT:      graph.yield %[[C]], %[[B]] : tensor<3xf32>, tensor<2xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}}, %{{.*}} = graph.wait %[[F]] : !graph.future<tensor<3xf32>, tensor<2xi64>> -> tensor<3xf32>, tensor<2xi64>
func.func @both(%x: tensor<3xf32>, %n: tensor<2xi64>) -> tensor<3xf32> {
  %0 = graph.fork %x, %n : tensor<3xf32>, tensor<2xi64> -> !graph.future<tensor<3xf32>, tensor<2xi64>> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<2xi64>):
    %c = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %c, %b : tensor<3xf32>, tensor<2xi64>
  }
  %1, %2 = graph.wait %0 : !graph.future<tensor<3xf32>, tensor<2xi64>> -> tensor<3xf32>, tensor<2xi64>
  return %1 : tensor<3xf32>
}

// -----

// The region of another fork may wait for a future.
//
// CHECK-LABEL: func.func @handed_on
// CHECK:         graph.fork %{{.*}} : !graph.future<tensor<3xf32>> -> !graph.future<tensor<3xf32>> {
func.func @handed_on(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %1 = graph.fork %0 : !graph.future<tensor<3xf32>> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: !graph.future<tensor<3xf32>>):
    %b = graph.wait %a : !graph.future<tensor<3xf32>> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %2 = graph.wait %1 : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// A future is of what the region yields.
func.func @yields_differ(%x: tensor<3xf32>) {
  // expected-error {{expected to yield tensor<2xf32>, got tensor<3xf32>}}
  %0 = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<2xf32>> {
  ^bb0(%a: tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  }
  return
}
