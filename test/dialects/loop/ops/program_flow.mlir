// RUN: sr-opt %s | filecheck %s

// CHECK-LABEL: loop.program @main
// CHECK:         loop.if %[[C:.*]] : memref<?xi1> {
// CHECK-NEXT:      loop.call @step
// CHECK-NEXT:    } {
// CHECK-NEXT:      loop.call @step
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.repeat %[[I:.*]] to "seq" {
// CHECK-NEXT:      %[[E:.*]] = loop.element %[[X:.*]][%[[I]] * "4 * batch"] : memref<?xf32>
// CHECK-NEXT:      %[[B:.*]] = loop.element %[[X]][%[[I]] * 4] backward "seq" : memref<?xf32>
// CHECK-NEXT:      loop.call @step(%[[E]], %[[B]])
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.repeat %{{.*}} to 10 while %[[C]] then %[[C]] : memref<?xi1> {
// CHECK-NEXT:      loop.call @step
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.define "count" = %[[N:.*]] from 0 to "2 * batch" {source = "here"} : memref<?xi64>
// CHECK-NEXT:    loop.require "batch - count" {source = "there"}
loop.program @main inputs [#loop.tensor<"c" : tensor<i1>>, #loop.tensor<"x" : tensor<?x?x4xf32, ["seq", "batch"]>>, #loop.tensor<"n" : tensor<i64>>]
    symbols [#loop.symbol<"seq">, #loop.symbol<"batch">] {
  %c = loop.view inputs 0 : memref<?xi1>
  %x = loop.view inputs 1 : memref<?xf32>
  %n = loop.view inputs 2 : memref<?xi64>
  loop.if %c : memref<?xi1> {
    loop.call @step(%x, %x) symbols [] : memref<?xf32>, memref<?xf32>
  } {
    loop.call @step(%x, %x) symbols [] : memref<?xf32>, memref<?xf32>
  }
  loop.repeat %i to "seq" {
    %e = loop.element %x[%i * "4 * batch"] : memref<?xf32>
    %b = loop.element %x[%i * 4] backward "seq" : memref<?xf32>
    loop.call @step(%e, %b) symbols [] : memref<?xf32>, memref<?xf32>
  }
  loop.repeat %j to 10 while %c then %c : memref<?xi1> {
    loop.call @step(%x, %x) symbols [] : memref<?xf32>, memref<?xf32>
  }
  loop.define "count" = %n from 0 to "2 * batch" {source = "here"} : memref<?xi64>
  loop.require "batch - count" {source = "there"}
}
loop.kernel @step(%a: memref<?xf32>, %b: memref<?xf32>) {
}
