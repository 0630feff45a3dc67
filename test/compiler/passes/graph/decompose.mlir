// RUN: sr-opt %s -p decompose | filecheck %s
// RUN: sr-opt %s -p decompose,eliminate-no-ops | filecheck %s --check-prefix=CLEAN

// A fully connected layer is a product with the weight on its side.
//
// CHECK-LABEL: func.func @layer
// CHECK:         %[[W:.*]] = graph.permute %w {order = array<i64: 1, 0>}
// CHECK:         graph.matmul %{{.*}}, %[[W]]
// CHECK-NOT:     graph.linear
//
// What such parts leave undone is removed later.
//
// CLEAN-LABEL: func.func @layer
// CLEAN-NEXT:    %[[W:.*]] = graph.permute %w {order = array<i64: 1, 0>}
// CLEAN-NEXT:    %[[R:.*]] = graph.matmul %x, %[[W]] : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
// CLEAN-NEXT:    return %[[R]]
func.func @layer(%x : tensor<2x3xf32>, %w : tensor<5x3xf32>) -> tensor<2x5xf32> {
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<5x3xf32> -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// A softmax subtracts the greatest first, so that no exponential is too large.
//
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT:    %[[MAX:.*]] = graph.reduce_max %x {axes = array<i64: 1>, keepdims = true
// CHECK-NEXT:    %[[LOWER:.*]] = graph.sub %x, %[[MAX]]
// CHECK-NEXT:    %[[EXP:.*]] = graph.exp %[[LOWER]]
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum %[[EXP]] {axes = array<i64: 1>, keepdims = true}
// CHECK:         %[[PART:.*]] = graph.reciprocal %[[SUM]]
// CHECK-NEXT:    graph.mul %{{.*}}, %[[PART]]
func.func @softmax(%x : tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]> {
  %0 = graph.softmax %x {axis = -1 : i64} : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>
  return %0 : tensor<?x3xf32, ["batch"]>
}

// A mean over an unknown number of elements divides by what that is when the model runs.
//
// CHECK-LABEL: func.func @mean
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum %x
// CHECK-NEXT:    %[[N:.*]] = graph.dim {value = "batch"}
// CHECK-NEXT:    %[[COUNT:.*]] = graph.cast %[[N]] {to = f32}
// CHECK-NEXT:    graph.div %[[SUM]], %[[COUNT]]
func.func @mean(%x : tensor<?x3xf32, ["batch"]>) -> tensor<3xf32> {
  %0 = graph.mean %x {axes = array<i64: 0>, keepdims = false} : tensor<?x3xf32, ["batch"]> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Parts decompose again: the sum of a padded window is that of a padded image.
//
// CHECK-LABEL: func.func @parts_of_parts
// CHECK-NEXT:    %[[WIDE:.*]] = graph.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum_pool %[[WIDE]] {{{.*}}padding = array<i64: 0, 0>
// CHECK:         %[[COUNT:.*]] = graph.sum_pool %{{.*}} {{{.*}}padding = array<i64: 0, 0>
// CHECK-NEXT:    graph.div %[[SUM]], %[[COUNT]]
func.func @parts_of_parts(%x : tensor<1x3x8xf32>) -> tensor<1x3x9xf32> {
  %0 = graph.avg_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, count_padding = false} : tensor<1x3x8xf32> -> tensor<1x3x9xf32>
  return %0 : tensor<1x3x9xf32>
}

// An op with loops of its own stays, whatever it could be made of.
//
// CHECK-LABEL: func.func @has_loops
// CHECK-NEXT:    graph.conv %x, %w
// CHECK-NEXT:    graph.silu
// CHECK-NEXT:    return
func.func @has_loops(%x : tensor<1x3x8xf32>, %w : tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  %1 = graph.silu %0 : tensor<1x4x6xf32> -> tensor<1x4x6xf32>
  return %1 : tensor<1x4x6xf32>
}

// So does an op whose kernel is an order. Others that sort are made of it, and look up
// what comes first; the order has its axis last.
//
// CHECK-LABEL: func.func @an_order
// CHECK-NEXT:    %[[LAST:.*]] = graph.argsort %x {axis = 0 : i64, count = "2", descending = false} : tensor<2x3xf32> -> tensor<3x2xi64>
// CHECK-NEXT:    %[[I:.*]] = graph.permute %[[LAST]] {order = array<i64: 1, 0>}
// CHECK-NEXT:    %[[X:.*]] = graph.gather %x, %[[I]] {axis = 0 : i64, wraps = false}
// CHECK-NEXT:    return %[[X]], %[[I]]
func.func @an_order(%x : tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %0, %1 = graph.sort %x {axis = 0 : i64, descending = false} : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi64>
}

// Few elements are selected, and of many all are sorted.
//
// CHECK-LABEL: func.func @few_and_many
// CHECK-NEXT:    %[[FEW:.*]] = graph.argsort %x {axis = 0 : i64, count = "6", descending = true}
// CHECK-NEXT:    graph.gather %x, %[[FEW]]
// CHECK-NEXT:    %[[ALL:.*]] = graph.argsort %x {axis = 0 : i64, count = "100", descending = true}
// CHECK-NEXT:    %[[MANY:.*]] = graph.slice %[[ALL]] {starts = ["0"], sizes = ["7"], steps = array<i64: 1>}
// CHECK-NEXT:    graph.gather %x, %[[MANY]]
func.func @few_and_many(%x : tensor<100xf32>) -> (tensor<6xf32>, tensor<7xf32>) {
  %0, %i = graph.topk %x {axis = 0 : i64, k = "6", largest = true} : tensor<100xf32> -> tensor<6xf32>, tensor<6xi64>
  %1, %j = graph.topk %x {axis = 0 : i64, k = "7", largest = true} : tensor<100xf32> -> tensor<7xf32>, tensor<7xi64>
  return %0, %1 : tensor<6xf32>, tensor<7xf32>
}

// What the op requires of a size, and its parts do not, stays.
//
// CHECK-LABEL: func.func @requirement
// CHECK-NEXT:    graph.require {amount = "length - 1", message = "elements along axis 0 of tensor{{.*}}", op = "graph.resize"}
// CHECK-NOT:     graph.resize %
func.func @requirement(%x : tensor<?xf32, ["length"]>) -> tensor<4xf32> {
  %0 = graph.resize %x {axis = 0 : i64, size = "4", mode = "floor", coordinates = "asymmetric"} : tensor<?xf32, ["length"]> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Maxima under a large window go by one axis after the other; of a stride of two it would
// not pay, as rows that are left out later are computed first.
//
// CHECK-LABEL: func.func @by_axes
// CHECK-NEXT:    %[[A:.*]] = graph.max_pool %x {kernel = array<i64: 5, 1>, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>} : tensor<1x2x9x9xf32> -> tensor<1x2x5x9xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.max_pool %[[A]] {kernel = array<i64: 1, 5>, {{.*}} -> tensor<1x2x5x5xf32>
// CHECK-NEXT:    %[[C:.*]] = graph.max_pool %[[B]] {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, {{.*}} -> tensor<1x2x2x2xf32>
// CHECK-NEXT:    return %[[C]]
func.func @by_axes(%x : tensor<1x2x9x9xf32>) -> tensor<1x2x2x2xf32> {
  %1 = graph.max_pool %x {kernel = array<i64: 5, 5>, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>} : tensor<1x2x9x9xf32> -> tensor<1x2x5x5xf32>
  %2 = graph.max_pool %1 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>} : tensor<1x2x5x5xf32> -> tensor<1x2x2x2xf32>
  return %2 : tensor<1x2x2x2xf32>
}
