// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// Calls run in order, and each knows its number. A copy runs unless it is in place.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[X:.*]] = host.load %p0[160] : i64
// CHECK:         %[[Y:.*]] = host.load %p0[168] : i64
// CHECK:         host.kernel @k(%[[X]], %[[Y]]) in %p0 number 0
// CHECK:         %[[DIFFER:.*]] = arith.cmpi ne, %[[X]], %[[Y]] : i64
// CHECK-NEXT:    scf.if %[[DIFFER]] {
// CHECK-NEXT:      host.kernel @k(%[[X]], %[[Y]]) in %p0 number 1
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %c0 : i64
loop.program @calls inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    donations [#loop.donation<input = 0, output = 0>] {
  %x = loop.view inputs 0 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %y) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @k(%x, %y) symbols [] unless_same : memref<?xf32>, memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xf32>) {
}

// -----

// One of two lists of calls runs, as a boolean in memory says.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[BYTE:.*]] = host.load %{{.*}}[0] : i8
// CHECK-NEXT:    %[[IS:.*]] = arith.cmpi ne, %[[BYTE]], %c0 : i64
// CHECK:         scf.if %[[IS]] {
// CHECK-NEXT:      host.kernel @k(%{{.*}}) in %p0 number 0
// CHECK-NEXT:    } else {
// CHECK-NEXT:      host.kernel @k(%{{.*}}) in %p0 number 1
// CHECK-NEXT:    }
loop.program @branch inputs [#loop.tensor<"c" : tensor<i1>>, #loop.tensor<"x" : tensor<4xf32>>] {
  %c = loop.view inputs 0 : memref<?xi1>
  %x = loop.view inputs 1 : memref<?xf32>
  loop.if %c : memref<?xi1> {
    loop.call @k(%x) symbols [] : memref<?xf32>
  } {
    loop.call @k(%x) symbols [] : memref<?xf32>
  }
}
loop.kernel @k(%a: memref<?xf32>) {
}

// -----

// A loop ends at its limit, or where its condition is false before it or after a trip.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[FIRST:.*]] = arith.cmpi ne, %{{.*}}, %c0 : i64
// CHECK:         %{{.*}} = scf.while (%[[GOES:.*]] = %[[FIRST]], %[[TRIP:.*]] = %c0) : (i1, i64) -> (i1, i64) {
// CHECK-NEXT:      scf.condition(%[[GOES]]) %[[GOES]], %[[TRIP]] : i1, i64
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: i1, %[[I:.*]]: i64):
// CHECK-NEXT:      host.kernel @k(%{{.*}}) in %p0 number 0
// CHECK-NEXT:      %[[BYTE:.*]] = host.load %{{.*}}[0] : i8
// CHECK-NEXT:      %[[AGAIN:.*]] = arith.cmpi ne, %[[BYTE]], %c0 : i64
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[I]], %c1 : i64
// CHECK-NEXT:      %[[BELOW:.*]] = arith.cmpi slt, %[[NEXT]], %c10 : i64
// CHECK-NEXT:      %[[MORE:.*]] = arith.andi %[[BELOW]], %[[AGAIN]] : i1
// CHECK-NEXT:      scf.yield %[[MORE]], %[[NEXT]] : i1, i64
// CHECK-NEXT:    }
loop.program @loop inputs [#loop.tensor<"c" : tensor<i1>>, #loop.tensor<"x" : tensor<4xf32>>] {
  %c = loop.view inputs 0 : memref<?xi1>
  %x = loop.view inputs 1 : memref<?xf32>
  loop.repeat %i to 10 while %c then %c : memref<?xi1> {
    loop.call @k(%x) symbols [] : memref<?xf32>
  }
}
loop.kernel @k(%a: memref<?xf32>) {
}

// -----

// A size that the run computes is read once, checked and noted, with the bounds and the
// number of the op where it is refused. It is then a symbol as others are.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[COUNT:.*]] = host.load volatile %{{.*}}[0] : i64
// CHECK:         %[[LESS:.*]] = arith.cmpi slt, %[[COUNT]], %c1 : i64
// CHECK:         %[[MORE:.*]] = arith.cmpi slt, %[[MOST:.*]], %[[COUNT]] : i64
// CHECK:         %[[BAD:.*]] = arith.ori %[[LESS]], %[[MORE]] : i1
// CHECK:         scf.if %[[BAD]] {
// CHECK-NEXT:      host.store %[[COUNT]], %p0[32] : i64
// CHECK-NEXT:      host.store %c1, %p0[40] : i64
// CHECK-NEXT:      host.store %[[MOST]], %p0[48] : i64
// CHECK-NEXT:      host.store %c0, %p0[24] : i64
// CHECK-NEXT:      host.leave %c3
// CHECK-NEXT:    }
// CHECK-NEXT:    host.store %[[COUNT]], %p0[176] : i64
//
// A quantity that is negative ends the run.
//
// CHECK-NEXT:    %[[NONE:.*]] = arith.addi %[[COUNT]], %c-2 : i64
// CHECK-NEXT:    %[[BELOW:.*]] = arith.cmpi slt, %[[NONE]], %c0 : i64
// CHECK-NEXT:    scf.if %[[BELOW]] {
// CHECK-NEXT:      host.store %c1, %p0[24] : i64
// CHECK-NEXT:      host.leave %c4
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %c0 : i64
loop.program @computed inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>, #loop.tensor<"c" : tensor<i64>>]
    symbols [#loop.symbol<"n">] {
  %c = loop.view inputs 1 : memref<?xi64>
  loop.define "count" = %c from 1 to "2 * n" {source = "here"} : memref<?xi64>
  loop.require "count - 2" {source = "there"}
}

// -----

// A run that may be long spends what it has done, and ends where that is refused; only a
// run that has Python's thread asks.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         host.kernel @k
// CHECK:         %[[THREAD:.*]] = host.load %p0[88] : i64
// CHECK:         %[[LONG:.*]] = arith.cmpi ne, %[[THREAD]], %c0 : i64
// CHECK:         scf.if %[[LONG]] {
// CHECK:           %[[ENDS:.*]] = func.call @sr_spend(%p0, %{{.*}}) : (i64, i64) -> i64
// CHECK-NEXT:      %[[ENDED:.*]] = arith.cmpi ne, %[[ENDS]], %c0 : i64
// CHECK-NEXT:      scf.if %[[ENDED]] {
// CHECK-NEXT:        host.leave %c5
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK:         func.func private @sr_spend(i64, i64) -> i64
loop.program @polled inputs [#loop.tensor<"x" : tensor<4xf32>>] work "4194304" {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) {
  loop.for parallel %i to 4194304 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// What runs in Python gets its number and the addresses of its buffers, after a handler
// of a signal had its turn; an exception ends the run.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[TABLE:.*]] = host.alloca %c2 : i64
// CHECK:         host.store %[[X:.*]], %[[TABLE]][0] : i64
// CHECK:         host.store %{{.*}}, %[[TABLE]][8] : i64
// CHECK:         %[[ENDS:.*]] = func.call @sr_ask(%p0) : (i64) -> i64
// CHECK:         host.leave %c5
// CHECK:         %[[FUNCTION:.*]] = host.load %p0[56] : i64
// CHECK:         %[[STATUS:.*]] = host.call_address %[[FUNCTION]](%p0, %c0, %[[TABLE]])
// CHECK-NEXT:    %[[RAISED:.*]] = arith.cmpi ne, %[[STATUS]], %c1 : i64
// CHECK:         scf.if %[[RAISED]] {
// CHECK:           host.leave %c2
loop.program @fallback inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<i64>>] {
  %x = loop.view inputs 0 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xi64>
  loop.call_out 0 (%x, %y) {op = "argmax", inputs = [tensor<4xf32>], outputs = [tensor<i64>]} : memref<?xf32>, memref<?xi64>
}
