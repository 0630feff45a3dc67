// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A future may be awaited again, and has the same values.
//
// CHECK-LABEL: func.func @twice
// CHECK:         %{{.*}}, %{{.*}} = graph.wait %f : !graph.future<tensor<3xf32>, tensor<2xi64>> -> tensor<3xf32>, tensor<2xi64>
// CHECK:         %{{.*}}, %{{.*}} = graph.wait %f : !graph.future<tensor<3xf32>, tensor<2xi64>> -> tensor<3xf32>, tensor<2xi64>
func.func @twice(%f: !graph.future<tensor<3xf32>, tensor<2xi64>>) -> tensor<3xf32> {
  %0, %1 = graph.wait %f : !graph.future<tensor<3xf32>, tensor<2xi64>> -> tensor<3xf32>, tensor<2xi64>
  %2, %3 = graph.wait %f : !graph.future<tensor<3xf32>, tensor<2xi64>> -> tensor<3xf32>, tensor<2xi64>
  return %2 : tensor<3xf32>
}

// -----

// A wait has a result for each value of the future.
func.func @results_differ(%x: tensor<3xf32>) {
  %0 = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  }
  // expected-error {{expected result type tensor<3xf32>, got tensor<3xi64>}}
  %1 = graph.wait %0 : !graph.future<tensor<3xf32>> -> tensor<3xi64>
  return
}
