// RUN: sr-opt %s -p split-updates | filecheck %s
// RUN: sr-opt %s -p 'split-updates,reuse-operands' | filecheck %s --check-prefix=IN-PLACE

// An input that becomes an output is copied by an op of its own, and the copy updated.
//
// CHECK-LABEL: func.func @update
// CHECK-NEXT:    %[[COPY:.*]] = graph.copy %x : tensor<4x2xf32>
// CHECK-NEXT:    graph.scatter %[[COPY]], %i, %u {{.*}}
// IN-PLACE-LABEL: func.func @update
// IN-PLACE:       graph.scatter {{.*}}graph.in_place = 0 : i64
func.func @update(%x : tensor<4x2xf32>, %i : tensor<1x2xi64>, %u : tensor<1x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = false, reduction = "add"} : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// So is a view of it, and what is returned as a view.
//
// CHECK-LABEL: func.func @views
// CHECK:         graph.copy %{{.*}} : tensor<4x2xf32>
// CHECK-NEXT:    graph.scatter
func.func @views(%x : tensor<8xf32>, %i : tensor<1x2xi64>, %u : tensor<1x2xf32>) -> tensor<8xf32> {
  %0 = graph.reshape %x {shape = ["4", "2"]} : tensor<8xf32> -> tensor<4x2xf32>
  %1 = graph.scatter %0, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"} : tensor<4x2xf32>, tensor<1x2xi64>, tensor<1x2xf32> -> tensor<4x2xf32>
  %2 = graph.reshape %1 {shape = ["8"]} : tensor<4x2xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// What is no output is as good in one kernel, and so is what the op reads twice.
//
// CHECK-LABEL: func.func @others
// CHECK-NOT:     graph.copy
// CHECK:         return
func.func @others(%x : tensor<4x2xf32>, %i : tensor<4x2xi64>, %u : tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = graph.scatter %x, %i, %u {axis = 0 : i64, wraps = false, reduction = "none"} : tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x2xf32> -> tensor<4x2xf32>
  %1 = graph.exp %0 : tensor<4x2xf32> -> tensor<4x2xf32>
  %2 = graph.scatter %x, %i, %x {axis = 0 : i64, wraps = false, reduction = "none"} : tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x2xf32> -> tensor<4x2xf32>
  return %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>
}
