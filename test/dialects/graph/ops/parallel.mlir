// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// All regions take all operands; the results are what they yield, one after the other.
//
// CHECK-LABEL: func.func @both
// CHECK:         %[[R:.*]], %[[S:.*]], %[[T:.*]] = graph.parallel %x, %n : tensor<3xf32>, tensor<2xi64> -> tensor<3xf32>, tensor<2xi64>, tensor<2xi64> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<3xf32>, %{{.*}}: tensor<2xi64>):
// CHECK-NEXT:      %[[B:.*]] = graph.neg %[[A]]
// CHECK-NEXT:      graph.yield %[[B]] : tensor<3xf32>
// CHECK-NEXT:    } {
// CHECK:           graph.yield %{{.*}}, %{{.*}} : tensor<2xi64>, tensor<2xi64>
// CHECK-NEXT:    }
func.func @both(%x: tensor<3xf32>, %n: tensor<2xi64>) -> tensor<3xf32> {
  %0, %1, %2 = graph.parallel %x, %n : tensor<3xf32>, tensor<2xi64> -> tensor<3xf32>, tensor<2xi64>, tensor<2xi64> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<2xi64>):
    %c = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %c : tensor<3xf32>
  } {
  ^bb0(%a: tensor<3xf32>, %b: tensor<2xi64>):
    %c = graph.neg %b : tensor<2xi64> -> tensor<2xi64>
    %d = graph.add %b, %c : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
    graph.yield %c, %d : tensor<2xi64>, tensor<2xi64>
  }
  return %0 : tensor<3xf32>
}

// -----

// One region is no choice of order.
func.func @alone(%x: tensor<3xf32>) {
  // expected-error {{expected two regions or more, got 1}}
  %0 = graph.parallel %x : tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  return
}

// -----

// A result has the type of what its region yields.
func.func @types_differ(%x: tensor<3xf32>) {
  // expected-error {{expected to yield tensor<3xi64>, got tensor<3xf32>}}
  %0, %1 = graph.parallel %x : tensor<3xf32> -> tensor<3xf32>, tensor<3xi64> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  } {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  return
}
