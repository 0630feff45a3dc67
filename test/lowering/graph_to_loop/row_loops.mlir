// RUN: sr-opt %s -p fuse,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s

// A row has a loop for each reduction and one that stores. What is costly is kept in the
// result, and in the second loop the next row is asked for.
//
// CHECK-LABEL: loop.kernel @reduce_max_sub_etc_div_0
// CHECK-SAME:      (%[[X:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>)
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 4 {
// CHECK:           %[[MAX:.*]] = loop.for reduce(max) %[[J:.*]] to 256
// CHECK-NEXT:        loop.load %[[X]][%[[I]] * 256 + %[[J]]]
// CHECK:           %[[SUM:.*]] = loop.for reduce(add) %[[K:.*]] to 256
// CHECK-NEXT:        loop.prefetch %[[X]][%[[I]] * 256 + %[[K]] + 256] : memref<?xf32>
// CHECK-NEXT:        %[[A:.*]] = loop.load %[[X]][%[[I]] * 256 + %[[K]]]
// CHECK-NEXT:        %[[LOWER:.*]] = arith.subf %[[A]], %[[MAX]] : f32
// CHECK:             loop.store %{{.*}}, %[[OUT]][%[[I]] * 256 + %[[K]]]
// CHECK:           loop.for parallel %[[L:.*]] to 256 {
// CHECK-NEXT:        %[[E:.*]] = loop.load %[[OUT]][%[[I]] * 256 + %[[L]]]
// CHECK-NEXT:        %[[Y:.*]] = arith.divf %[[E]], %[[SUM]] : f32
// CHECK-NEXT:        loop.store %[[Y]], %[[OUT]][%[[I]] * 256 + %[[L]]]
//
// Beside a long row there is no room for the next one.
//
// CHECK-LABEL: loop.kernel @reduce_max_sub_etc_div_1
// CHECK:         loop.for reduce(max) %{{.*}} to 5000
// CHECK-NOT:     loop.prefetch
// CHECK:         loop.program @short
func.func @short(%x : tensor<4x256xf32>) -> tensor<4x256xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keepdims = true} : tensor<4x256xf32> -> tensor<4x1xf32>
  %1 = graph.sub %x, %0 : tensor<4x256xf32>, tensor<4x1xf32> -> tensor<4x256xf32>
  %2 = graph.exp %1 : tensor<4x256xf32> -> tensor<4x256xf32>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = true} : tensor<4x256xf32> -> tensor<4x1xf32>
  %4 = graph.div %2, %3 : tensor<4x256xf32>, tensor<4x1xf32> -> tensor<4x256xf32>
  return %4 : tensor<4x256xf32>
}

func.func @long(%x : tensor<4x5000xf32>) -> tensor<4x5000xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keepdims = true} : tensor<4x5000xf32> -> tensor<4x1xf32>
  %1 = graph.sub %x, %0 : tensor<4x5000xf32>, tensor<4x1xf32> -> tensor<4x5000xf32>
  %2 = graph.exp %1 : tensor<4x5000xf32> -> tensor<4x5000xf32>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = true} : tensor<4x5000xf32> -> tensor<4x1xf32>
  %4 = graph.div %2, %3 : tensor<4x5000xf32>, tensor<4x1xf32> -> tensor<4x5000xf32>
  return %4 : tensor<4x5000xf32>
}
