// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The region takes the operands and yields the result.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.fusion %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3xf32>):
// CHECK-NEXT:      %[[SUM:.*]] = graph.add %[[A]], %[[B]] : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:      graph.yield %[[SUM]] : tensor<2x3xf32>
// CHECK-NEXT:    }
func.func @round_trip(%x : tensor<2x3xf32>, %y : tensor<3xf32>) {
  %0 = graph.fusion %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32> {
  ^bb0(%a : tensor<2x3xf32>, %b : tensor<3xf32>):
    %1 = graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    graph.yield %1 : tensor<2x3xf32>
  }
  return
}

// -----

// A symbol within means what it does outside.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.fusion %x : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?xf32, ["n"]>):
// CHECK-NEXT:      graph.relu %[[A]] : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
func.func @symbols(%x : tensor<?xf32, ["n"]>) {
  %0 = graph.fusion %x : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]> {
  ^bb0(%a : tensor<?xf32, ["n"]>):
    %1 = graph.relu %a : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
    graph.yield %1 : tensor<?xf32, ["n"]>
  }
  return
}

// -----

// The arguments have the types of the operands.
func.func @arguments_clash(%x : tensor<2xf32>) {
  // expected-error {{expected region arguments tensor<2xf32>, got tensor<3xf32>}}
  %0 = graph.fusion %x : tensor<2xf32> -> tensor<3xf32> {
  ^bb0(%a : tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  }
  return
}

// -----

// What is yielded has the type of the result.
func.func @yields_another_type(%x : tensor<2xf32>) {
  // expected-error {{expected to yield tensor<3xf32>, got tensor<2xf32>}}
  %0 = graph.fusion %x : tensor<2xf32> -> tensor<3xf32> {
  ^bb0(%a : tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }
  return
}

// -----

// The region ends in its value.
func.func @yields_nothing(%x : tensor<2xf32>) {
  // expected-error {{graph.relu terminates block in single-block region but is not a terminator}}
  %0 = graph.fusion %x : tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%a : tensor<2xf32>):
    %1 = graph.relu %a : tensor<2xf32> -> tensor<2xf32>
  }
  return
}

// -----

// A kernel has one result.
func.func @yields_two(%x : tensor<2xf32>) {
  // expected-error {{expected to yield tensor<2xf32>, got tensor<2xf32>, tensor<2xf32>}}
  %0 = graph.fusion %x : tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%a : tensor<2xf32>):
    graph.yield %a, %a : tensor<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// What the region uses it takes as an argument.
func.func @uses_what_is_outside(%x : tensor<2xf32>) {
  // expected-error {{got %x, which is a value of a region that it does not see}}
  %0 = graph.fusion %x : tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%a : tensor<2xf32>):
    %1 = graph.add %a, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    graph.yield %1 : tensor<2xf32>
  }
  return
}
