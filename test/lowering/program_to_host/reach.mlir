// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// No number that is computed of sizes reaches 2**62: of all terms the greatest are added
// up, with a size of zero counted as one, and sums and products end at the limit.
//
// CHECK-LABEL: func.func @sr_plan(%p0: i64) -> i64
// CHECK:         %[[N:.*]] = host.load %p0[80] : i64
// CHECK-NEXT:    %[[M:.*]] = host.load %p0[88] : i64
// CHECK:         %[[WIDE:.*]] = arith.maxsi %[[M]], %c1 : i64
// CHECK-NEXT:    %[[ROW:.*]] = func.call @mul_capped(%[[WIDE]], %c16) : (i64, i64) -> i64
// CHECK-NEXT:    %[[HIGH:.*]] = arith.maxsi %[[N]], %c1 : i64
// CHECK-NEXT:    %[[ALL:.*]] = func.call @mul_capped(%[[ROW]], %[[HIGH]]) : (i64, i64) -> i64
// CHECK-NEXT:    %[[SUM:.*]] = func.call @add_capped(%[[ALL]], %[[HIGH]]) : (i64, i64) -> i64
// CHECK-NEXT:    %[[TOTAL:.*]] = func.call @add_capped(%[[SUM]], %[[WIDE]]) : (i64, i64) -> i64
// CHECK-NEXT:    %[[OVER:.*]] = arith.cmpi slt, %c4611686018427387903, %[[TOTAL]] : i64
// CHECK-NEXT:    scf.if %[[OVER]] {
// CHECK-NEXT:      host.leave %c3
// CHECK-NEXT:    }
// CHECK-LABEL: func.func private @add_capped(%a: i64, %b: i64) -> i64
// CHECK-LABEL: func.func private @mul_capped(%a: i64, %b: i64) -> i64
// CHECK:         arith.mului_extended
loop.program @main inputs [#loop.tensor<"x" : tensor<?x?xf32, ["n", "m"]>>]
    symbols [#loop.symbol<"n">, #loop.symbol<"m">] {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols ["16 * n * m"] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) symbols ["a"] {
}
