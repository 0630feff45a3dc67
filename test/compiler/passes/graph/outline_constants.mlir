// RUN: sr-opt %s -p outline-constants | filecheck %s

// A row of numbers is read from memory, where it has a name.
//
// CHECK-LABEL: func.func @row
// CHECK-NEXT:    %[[W:.*]] = graph.weight "constant" : tensor<2xf32>
// CHECK-NEXT:    graph.add %x, %[[W]]
func.func @row(%x : tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.add %x, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Each has a name of its own.
//
// CHECK-LABEL: func.func @another
// CHECK-NEXT:    graph.weight "[[NAME:constant.+]]" : tensor<2xf32>
// CHECK-NOT:     graph.weight "[[NAME]]"
// CHECK:         graph.weight "constant{{.+}}" : tensor<3xf32>
func.func @another(%x : tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %0 = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %1 = graph.add %x, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %3 = graph.copy %2 : tensor<3xf32> -> tensor<3xf32>
  return %1, %3 : tensor<2xf32>, tensor<3xf32>
}

// A single number that the output is made of needs memory too: no kernel reads it.
//
// CHECK-LABEL: func.func @number_without_a_kernel
// CHECK:         graph.weight
// CHECK-NOT:     graph.constant
func.func @number_without_a_kernel(%x : tensor<1xf32>) -> tensor<1xi64> {
  %0 = graph.constant dense<3.0> : tensor<f32>
  %1 = graph.reshape %0 {shape = ["1"]} : tensor<f32> -> tensor<1xf32>
  %2 = graph.concat %x, %1 {axis = 0 : i64} : tensor<1xf32>, tensor<1xf32> -> tensor<2xf32>
  %3 = graph.argmax %2 {axis = 0 : i64, keepdims = true} : tensor<2xf32> -> tensor<1xi64>
  return %3 : tensor<1xi64>
}

// A number that only kernels use is a part of their code.
//
// CHECK-LABEL: func.func @number_in_a_kernel
// CHECK:         %[[C:.*]] = graph.constant dense<3.000000e+00> : tensor<f32>
// CHECK:         graph.add %x, %[[C]]
// CHECK:         graph.mul %{{.*}}, %[[C]]
func.func @number_in_a_kernel(%x : tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.constant dense<3.0> : tensor<f32>
  %1 = graph.add %x, %0 : tensor<2xf32>, tensor<f32> -> tensor<2xf32>
  %2 = graph.mul %1, %0 : tensor<2xf32>, tensor<f32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// A group of ops is one kernel.
//
// CHECK-LABEL: func.func @number_in_a_fusion
// CHECK:         %[[C:.*]] = graph.constant dense<3.000000e+00> : tensor<f32>
// CHECK:         graph.fusion %x, %[[C]]
func.func @number_in_a_fusion(%x : tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.constant dense<3.0> : tensor<f32>
  %1 = graph.fusion %x, %0 : tensor<2xf32>, tensor<f32> -> tensor<2xf32> {
  ^bb0(%a : tensor<2xf32>, %b : tensor<f32>):
    %2 = graph.add %a, %b : tensor<2xf32>, tensor<f32> -> tensor<2xf32>
    %3 = graph.relu %2 : tensor<2xf32> -> tensor<2xf32>
    graph.yield %3 : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}

// A number that is looked up is in memory, as all indices are.
//
// CHECK-LABEL: func.func @number_that_is_looked_up
// CHECK-NEXT:    %[[W:.*]] = graph.weight "constant{{.*}}" : tensor<i64>
// CHECK-NEXT:    graph.index_select %x, %[[W]]
func.func @number_that_is_looked_up(%x : tensor<3x2xf32>) -> tensor<2xf32> {
  %0 = graph.constant dense<1> : tensor<i64>
  %1 = graph.index_select %x, %0 {axis = 0 : i64, wraps = false} : tensor<3x2xf32>, tensor<i64> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// So is a number that something is looked up in.
//
// CHECK-LABEL: func.func @number_to_look_up_in
// CHECK-NEXT:    %[[W:.*]] = graph.weight "constant{{.*}}" : tensor<1xf32>
// CHECK-NEXT:    graph.index_select %[[W]], %x
func.func @number_to_look_up_in(%x : tensor<3xi64>) -> tensor<3xf32> {
  %0 = graph.constant dense<2.0> : tensor<1xf32>
  %1 = graph.index_select %0, %x {axis = 0 : i64, wraps = false} : tensor<1xf32>, tensor<3xi64> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// An index is looked up in memory, even if there is only one.
//
// CHECK-LABEL: func.func @index
// CHECK:         %[[I:.*]] = graph.weight "{{.*}}" : tensor<1xi64>
// CHECK:         graph.index_select %x, %[[I]]
func.func @index(%x : tensor<4xf32>) -> tensor<1xf32> {
  %0 = graph.constant dense<2> : tensor<1xi64>
  %1 = graph.index_select %x, %0 {axis = 0 : i64, wraps = false} : tensor<4xf32>, tensor<1xi64> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}
