// RUN: sr-opt %s --split-input-file -p fuse,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s

// Each row is sorted by itself; its keys lie where they are, and the numbers of those that
// come first side by side.
//
// CHECK-LABEL: loop.kernel @argsort_0
// CHECK-SAME:      (%[[KEYS:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xi64>) symbols ["s0", "s1"]
// CHECK-NEXT:    loop.for parallel %[[A:.*]] to "s1" {
// CHECK-NEXT:      loop.for parallel %[[B:.*]] to 5 {
// CHECK-NEXT:        loop.argsort %[[OUT]][%[[A]] * 15 + %[[B]] * 3] first 3 of "s0" descending : memref<?xi64> key (%[[I:.*]]) {
// CHECK-NEXT:          %[[X:.*]] = loop.load %[[KEYS]][%[[A]] * "5 * s0" + %[[B]] + %[[I]] * 5] : memref<?xf32>
// CHECK-NEXT:          loop.yield %[[X]] : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        loop.yield
// CHECK:       loop.program
// CHECK-SAME:      work "5 * a * n"
func.func @main(%x : tensor<?x?x5xf32, ["a", "n"]>) -> tensor<?x5x3xi64, ["a"]> {
  %0 = graph.argsort %x {axis = 1 : i64, count = "3", descending = true} : tensor<?x?x5xf32, ["a", "n"]> -> tensor<?x5x3xi64, ["a"]>
  return %0 : tensor<?x5x3xi64, ["a"]>
}

// -----

// A row alone has no loop around it.
//
// CHECK-LABEL: loop.kernel @argsort_0
// CHECK-NEXT:    loop.argsort %{{.*}}[0] first 7 of 7 : memref<?xi64> key
func.func @main(%x : tensor<7xi1>) -> tensor<7xi64> {
  %0 = graph.argsort %x {axis = 0 : i64, count = "7", descending = false} : tensor<7xi1> -> tensor<7xi64>
  return %0 : tensor<7xi64>
}
