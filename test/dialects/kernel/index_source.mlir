// RUN: sr-opt %s --split-input-file -p fuse,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s

// Indices of an order are below the size of its axis, also where they are moved: what has
// that size is looked up without a check.
//
// CHECK-LABEL: loop.kernel @gather
// CHECK-NOT:     loop.check_index
// CHECK:         loop.clamp_index %{{.*}} below "s1"
// CHECK:       loop.program
func.func @main(%x : tensor<?x?xf32, ["n", "m"]>) -> tensor<?x?xf32, ["n", "m"]> {
  %0 = graph.argsort %x {axis = 0 : i64, count = "n", descending = true} : tensor<?x?xf32, ["n", "m"]> -> tensor<?x?xi64, ["m", "n"]>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<?x?xi64, ["m", "n"]> -> tensor<?x?xi64, ["n", "m"]>
  %2 = graph.gather %x, %1 {axis = 0 : i64, wraps = false} : tensor<?x?xf32, ["n", "m"]>, tensor<?x?xi64, ["n", "m"]> -> tensor<?x?xf32, ["n", "m"]>
  return %2 : tensor<?x?xf32, ["n", "m"]>
}

// -----

// What has another size is looked up with a check.
//
// CHECK-LABEL: loop.kernel @gather
// CHECK-NEXT:    loop.check_index %{{.*}}[7] below 9
// CHECK:       loop.program
func.func @main(%x : tensor<7xf32>, %y : tensor<9xf32>) -> tensor<7xf32> {
  %0 = graph.argsort %x {axis = 0 : i64, count = "7", descending = true} : tensor<7xf32> -> tensor<7xi64>
  %1 = graph.gather %y, %0 {axis = 0 : i64, wraps = false} : tensor<9xf32>, tensor<7xi64> -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// -----

// So is what is computed from indices.
//
// CHECK-LABEL: loop.kernel @gather
// CHECK-NEXT:    loop.check_index %{{.*}}[7] below 7
// CHECK:       loop.program
func.func @main(%x : tensor<7xf32>) -> tensor<7xf32> {
  %0 = graph.argsort %x {axis = 0 : i64, count = "7", descending = true} : tensor<7xf32> -> tensor<7xi64>
  %1 = graph.add %0, %0 : tensor<7xi64>, tensor<7xi64> -> tensor<7xi64>
  %2 = graph.gather %x, %1 {axis = 0 : i64, wraps = false} : tensor<7xf32>, tensor<7xi64> -> tensor<7xf32>
  return %2 : tensor<7xf32>
}

// -----

// And where some elements are others: the filling of a pad is no index of the order.
//
// CHECK-LABEL: loop.kernel @gather
// CHECK:         loop.check_index %{{.*}}[8] below 7
func.func @main(%x : tensor<7xf32>) -> tensor<8xf32> {
  %0 = graph.argsort %x {axis = 0 : i64, count = "7", descending = true} : tensor<7xf32> -> tensor<7xi64>
  %1 = graph.pad %0 {low = array<i64: 1>, high = array<i64: 0>, value = 7.0 : f64} : tensor<7xi64> -> tensor<8xi64>
  %2 = graph.gather %x, %1 {axis = 0 : i64, wraps = false} : tensor<7xf32>, tensor<8xi64> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
