// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A view of two of five rows, and of as many as there are.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.subview %x {offset = "6", shape = ["2", "3"]} : tensor<5x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.subview %y {offset = "4", shape = ["n - 1", "4"]} : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n - 1"]>
func.func @round_trip(%x : tensor<5x3xf32>, %y : tensor<?x4xf32, ["n"]>) {
  %0 = graph.subview %x {offset = "6", shape = ["2", "3"]} : tensor<5x3xf32> -> tensor<2x3xf32>
  %1 = graph.subview %y {offset = "4", shape = ["n - 1", "4"]} : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n - 1"]>
  return
}

// -----

// It ends within the tensor.
func.func @beyond(%x : tensor<5x3xf32>) {
  // expected-error {{expected elements inside tensor<5x3xf32>, got shape 2, 3 from element 10 on}}
  %0 = graph.subview %x {offset = "10", shape = ["2", "3"]} : tensor<5x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// It begins within the tensor.
func.func @before(%x : tensor<5x3xf32>) {
  // expected-error {{expected elements inside tensor<5x3xf32>, got shape 3 from element -1 on}}
  %0 = graph.subview %x {offset = "-1", shape = ["3"]} : tensor<5x3xf32> -> tensor<3xf32>
  return
}
