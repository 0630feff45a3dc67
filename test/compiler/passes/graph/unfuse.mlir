// RUN: sr-opt %s -p "unfuse{numbers=1}" | filecheck %s

// The second fusion is taken apart; the other has its number.
//
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[F:.*]] = graph.fusion %[[X:.*]], %[[Y:.*]] {graph.fusion_number = 0 : i64}
// CHECK:           graph.yield
// CHECK:         %[[M:.*]] = graph.mul %[[F]], %[[Y]] : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT:    %[[R:.*]] = graph.relu %[[M]] : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT:    func.return %[[R]]
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.fusion %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %c = graph.add %a, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %d = graph.exp %c : tensor<3xf32> -> tensor<3xf32>
    graph.yield %d : tensor<3xf32>
  }
  %1 = graph.fusion %0, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %c = graph.mul %a, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %d = graph.relu %c : tensor<3xf32> -> tensor<3xf32>
    graph.yield %d : tensor<3xf32>
  }
  return %1 : tensor<3xf32>
}
