// RUN: sr-opt %s -p fuse,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s

// All is -1 but the count, and what the rows choose, one after the other: they append to
// what was chosen before. Rows without candidates are none.
//
// CHECK-LABEL: loop.kernel @non_max_suppression_0
// CHECK-SAME:      (%[[LIMIT:.*]]: memref<?xi64>, %[[SCORES:.*]]: memref<?xf32>, %[[LEAST:.*]]: memref<?xf32>, %[[OVERLAP:.*]]: memref<?xf32>, %[[BOXES:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xi64>) symbols ["s0", "s1"]
// CHECK-NEXT:    %[[GIVEN:.*]] = loop.load %[[LIMIT]][0] : memref<?xi64>
// CHECK-NEXT:    %[[KNOWN:.*]] = loop.extent 3
// CHECK-NEXT:    %[[MOST:.*]] = arith.minsi %[[GIVEN]], %[[KNOWN]] : i64
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to "6 * s0 + 1" {
// CHECK-NEXT:      %[[NONE:.*]] = arith.constant -1 : i64
// CHECK-NEXT:      loop.store %[[NONE]], %[[OUT]][%[[I]]]
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[LAST:.*]] = loop.for ordered %[[B:.*]] to "min(1, 2 * s1) * s0" (%[[A:.*]] = %[[ONE]] : i64) {
// CHECK-NEXT:      %[[END:.*]] = loop.for ordered %[[C:.*]] to "2 * min(1, s1)" (%[[SO_FAR:.*]] = %[[A]] : i64) {
// CHECK-NEXT:        %[[NEXT:.*]] = loop.choose %[[OUT]][%[[B]] * "2 * s1" + %[[C]] * "s1"] to "s1" from %[[SO_FAR]] most %[[MOST]] within "6 * s0 + s1 + 1" : memref<?xi64> score (%[[K:.*]]) {
// CHECK-NEXT:          %[[SCORE:.*]] = loop.load %[[SCORES]][%[[B]] * "2 * s1" + %[[C]] * "s1" + %[[K]]]
// CHECK-NEXT:          %[[THRESHOLD:.*]] = loop.load %[[LEAST]][0]
// CHECK-NEXT:          %[[GOOD:.*]] = arith.cmpf ogt, %[[SCORE]], %[[THRESHOLD]] : f32
// CHECK-NEXT:          loop.yield %[[SCORE]], %[[GOOD]] : f32, i1
// CHECK-NEXT:        } conflict (%[[CHOSEN:.*]], %[[OTHER:.*]]) {
// CHECK-NEXT:          loop.load %[[OVERLAP]][0]
// CHECK-NEXT:          loop.load %[[BOXES]][%[[B]] * "4 * s1" + %[[CHOSEN]] * 4]
// CHECK:               loop.load %[[BOXES]][%[[B]] * "4 * s1" + %[[OTHER]] * 4 + 3]
// CHECK:               loop.yield %{{.*}}, %{{.*}}, %{{.*}} : i1, i1, i1
// CHECK:             loop.yield %[[NEXT]] : i64
// CHECK:           loop.yield %[[END]] : i64
// CHECK:         %[[COUNT:.*]] = arith.subi %[[LAST]], %[[ONE]] : i64
// CHECK-NEXT:    loop.store %[[COUNT]], %[[OUT]][0]
// CHECK-NEXT:    loop.for parallel %[[J:.*]] to "s1" {
// CHECK-NEXT:      %[[NO_MORE:.*]] = arith.constant -1 : i64
// CHECK-NEXT:      loop.store %[[NO_MORE]], %[[OUT]][%[[J]] + "6 * s0 + 1"]
func.func @main(%boxes : tensor<?x?x4xf32, ["b", "n"]>, %scores : tensor<?x2x?xf32, ["b", "n"]>, %limit : tensor<i64>, %overlap : tensor<f32>, %threshold : tensor<f32>) -> tensor<?xi64, ["6 * b + n + 1"]> {
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %threshold {most = "3", center = false, strict = true} : tensor<?x?x4xf32, ["b", "n"]>, tensor<?x2x?xf32, ["b", "n"]>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<?xi64, ["6 * b + n + 1"]>
  return %0 : tensor<?xi64, ["6 * b + n + 1"]>
}
