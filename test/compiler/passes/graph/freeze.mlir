// RUN: sr-opt %s -p freeze | filecheck %s

// An attribute of the model is a weight from here on.
//
// CHECK-LABEL: func.func @attribute
// CHECK-NEXT:    %[[W:.*]] = graph.weight "fc.weight" : tensor<2x3xf32>
// CHECK-NEXT:    graph.add %x, %[[W]]
func.func @attribute(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.get_attr "fc.weight" : tensor<2x3xf32>
  %1 = graph.add %x, %0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// Nothing is dropped where nothing is trained.
//
// CHECK-LABEL: func.func @dropout
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    return %[[R]]
func.func @dropout(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.dropout %x {ratio = 0.5 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.relu %0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.dropout %1 {ratio = 0.1 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// What training does not change stays as it is.
//
// CHECK-LABEL: func.func @nothing_to_freeze
// CHECK-NEXT:    graph.weight "table"
// CHECK-NEXT:    graph.constant
// CHECK-NEXT:    graph.mul
func.func @nothing_to_freeze() -> tensor<2xf32> {
  %0 = graph.weight "table" : tensor<2xf32>
  %1 = graph.constant dense<2.0> : tensor<f32>
  %2 = graph.mul %0, %1 : tensor<2xf32>, tensor<f32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
