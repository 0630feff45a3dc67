// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// A dimension is computed of the symbols, which are fields of the plan row, once.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[ROW:.*]] = host.load %p0[112] : i64
// CHECK:         %[[N:.*]] = host.load %[[ROW]][24] : i64
// CHECK:         %[[M:.*]] = host.load %[[ROW]][32] : i64
// CHECK:         %[[TWICE:.*]] = arith.muli %[[N]], %c2 : i64
// CHECK:         %[[SUM:.*]] = arith.addi %[[TWICE]], %c3 : i64
// CHECK:         host.kernel @k(%{{.*}}, %[[SUM]], %[[SUM]])
// CHECK:         %[[LESS:.*]] = arith.minsi %c8, %[[N]] : i64
// CHECK:         %[[MORE:.*]] = arith.maxsi %[[M]], %[[N]] : i64
// CHECK:         host.kernel @k(%{{.*}}, %[[LESS]], %[[MORE]])
//
// A quotient is zero where the divisor is, and an axis of one is as long as the other.
//
// CHECK:         %[[QUOTIENT:.*]] = func.call @floordiv(%[[N]], %[[M]]) : (i64, i64) -> i64
// CHECK:         %[[ONE:.*]] = arith.cmpi eq, %[[M]], %c1 : i64
// CHECK:         %[[JOINED:.*]] = arith.select %[[ONE]], %[[N]], %[[M]] : i64
// CHECK:         host.kernel @k(%{{.*}}, %[[QUOTIENT]], %[[JOINED]])
// CHECK-LABEL: func.func private @floordiv(%a: i64, %b: i64) -> i64
// CHECK:         arith.floordivsi
loop.program @main inputs [#loop.tensor<"x" : tensor<?x?xf32, ["n", "m"]>>]
    symbols [#loop.symbol<"n">, #loop.symbol<"m">] {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols ["2 * n + 3", "2 * n + 3"] : memref<?xf32>
  loop.call @k(%x) symbols ["min(n, 8)", "max(n, m)"] : memref<?xf32>
  loop.call @k(%x) symbols ["floordiv(n, m)", "broadcast(n, m)"] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) symbols ["a", "b"] {
}

// -----

// A long sum is the one before it and what differs, in which a function may have the sum
// itself: that is computed of its terms.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[LESS:.*]] = arith.minsi %c200, %[[SUM:.*]] : i64
// CHECK-NEXT:    %[[ALL:.*]] = arith.addi %[[SUM]], %[[LESS]] : i64
// CHECK:         host.kernel @k(%{{.*}}, %[[ALL]])
// CHECK:         %[[MINUS:.*]] = arith.muli %[[LESS]], %c-1 : i64
// CHECK:         %[[REST:.*]] = arith.addi %[[ALL]], %[[MINUS]] : i64
// CHECK:         host.kernel @k(%{{.*}}, %[[REST]])
loop.program @main inputs [#loop.tensor<"x" : tensor<?x?x?x?x?x?x?x?xf32, ["a", "b", "c", "d", "e", "f", "g", "h"]>>]
    symbols [#loop.symbol<"a">, #loop.symbol<"b">, #loop.symbol<"c">, #loop.symbol<"d">, #loop.symbol<"e">, #loop.symbol<"f">, #loop.symbol<"g">, #loop.symbol<"h">] {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols ["a + b + c + d + e + f + g + h + min(a + b + c + d + e + f + g + h, 200)"] : memref<?xf32>
  loop.call @k(%x) symbols ["a + b + c + d + e + f + g + h"] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) symbols ["a"] {
}
