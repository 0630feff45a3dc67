// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// Indices are compared where sizes let the call be skipped, up to the first that is out of
// order; what is found is a bit of the last field of the context. The call is made, and
// the slot has memory of its own, unless both hold. The plan gives it that in any case.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[ROW:.*]] = host.load %p0[112] : i64
// CHECK:         %[[M:.*]] = host.load %[[ROW]][32] : i64
// CHECK-NEXT:    host.store %c0, %p0[184] : i64
// CHECK-NEXT:    %[[I:.*]] = host.load %p0[168] : i64
// CHECK-NEXT:    %[[WAY:.*]] = host.load %[[ROW]][48] : i64
// CHECK-NEXT:    %[[MAY:.*]] = arith.cmpi eq, %[[WAY]], %c1 : i64
// CHECK:         %[[FOUND:.*]] = scf.if %[[MAY]] -> (i1) {
// CHECK:           scf.while
// CHECK:             %[[AT:.*]] = arith.muli %[[NUMBER:.*]], %c4 : i64
// CHECK-NEXT:        %[[PLACE:.*]] = arith.addi %[[I]], %[[AT]] : i64
// CHECK-NEXT:        %[[INDEX:.*]] = host.load %[[PLACE]][0] : i32
// CHECK-NEXT:        %[[SAME:.*]] = arith.cmpi eq, %[[INDEX]], %[[NUMBER]] : i64
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[NUMBER]], %c1 : i64
// CHECK-NEXT:        %[[LEFT:.*]] = arith.cmpi slt, %[[NEXT]], %[[M]] : i64
// CHECK-NEXT:        %[[GOES:.*]] = arith.andi %[[SAME]], %[[LEFT]] : i1
// CHECK-NEXT:        scf.yield %[[GOES]], %[[NEXT]], %[[SAME]] : i1, i64, i1
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %false : i1
// CHECK:         %[[BIT:.*]] = arith.select %[[FOUND]], %c1, %c0 : i64
// CHECK-NEXT:    %[[WORD:.*]] = arith.addi %{{.*}}, %[[BIT]] : i64
// CHECK-NEXT:    host.store %[[WORD]], %p0[184] : i64
// CHECK-NEXT:    %[[X:.*]] = host.load %p0[160] : i64
// CHECK:         %[[OWN:.*]] = arith.addi
// CHECK-NEXT:    %[[TAKEN:.*]] = arith.andi %[[MAY]], %[[FOUND]] : i1
// CHECK-NEXT:    %[[SLOT:.*]] = arith.select %[[TAKEN]], %[[X]], %[[OWN]] : i64
// CHECK-NEXT:    %[[NEEDED:.*]] = arith.select %[[TAKEN]], %false, %true : i1
// CHECK-NEXT:    scf.if %[[NEEDED]] {
// CHECK-NEXT:      host.kernel @select(%[[X]], %[[I]], %[[SLOT]], %[[M]]) in %p0 number 0
// CHECK-NEXT:    }
// CHECK-NEXT:    host.kernel @use(%[[SLOT]]) in %p0 number 1
//
// CHECK-LABEL: func.func @sr_plan
// CHECK:         host.words(%c1, {{.*}}, %c-1, %c0)
loop.program @order
    inputs [#loop.tensor<"x" : tensor<?x64xf32, ["n"]>>, #loop.tensor<"i" : tensor<?xi32, ["m"]>>]
    symbols [#loop.symbol<"n">, #loop.symbol<"m">]
    slots [#loop.slot<size = "256 * m", offset = ?, live = 0 to 1>]
    plan <"naive", steps = 2, bytes = ?, lower_bound = ?>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [["m - n"]], kernel = "select", source = "graph.index_select", order = 0, indices = 1, count = "m">] {
  %x = loop.view inputs 0 : memref<?xf32>
  %i = loop.view inputs 1 : memref<?xi32>
  %y = loop.view activations 0 : memref<?xf32>
  loop.call @select(%x, %i, %y) symbols ["m"] skip 0 : memref<?xf32>, memref<?xi32>, memref<?xf32>
  loop.call @use(%y) symbols [] : memref<?xf32>
}
loop.kernel @select(%a : memref<?xf32>, %b : memref<?xi32>, %c : memref<?xf32>) symbols ["m"] {
}
loop.kernel @use(%a : memref<?xf32>) {
}

// -----

// What was found counts for all calls by the same indices. Where the caller wants an output
// in the memory of the input, nothing is skipped to that. Without symbols there is no row.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         host.store %c0, %p0[192] : i64
// CHECK:         %[[X:.*]] = host.load %p0[160] : i64
// CHECK-NEXT:    %[[Z:.*]] = host.load %p0[176] : i64
// CHECK-NEXT:    %[[APART:.*]] = arith.cmpi ne, %[[X]], %[[Z]] : i64
// CHECK-NEXT:    %[[FOUND:.*]] = scf.if %[[APART]] -> (i1) {
// CHECK:           host.load %{{.*}}[0] : i64
// CHECK-NOT:     scf.while
// CHECK:         %[[BLOCK:.*]] = host.load %p0[8] : i64
// CHECK-NEXT:    %[[FIRST:.*]] = arith.select %[[FOUND]], %[[X]], %[[BLOCK]] : i64
// CHECK-NEXT:    %[[NEEDED:.*]] = arith.select %[[FOUND]], %false, %true : i1
// CHECK-NEXT:    scf.if %[[NEEDED]] {
// CHECK:         %[[SECOND:.*]] = arith.select %[[FOUND]], %[[FIRST]], %{{.*}} : i64
// CHECK-NEXT:    scf.if %[[NEEDED]] {
// CHECK-NEXT:      host.kernel @select(%[[FIRST]], %{{.*}}, %[[SECOND]]) in %p0 number 1
loop.program @order
    inputs [#loop.tensor<"x" : tensor<4x64xf32>>, #loop.tensor<"i" : tensor<4xi64>>]
    outputs [#loop.tensor<"z" : tensor<4x64xf32>>]
    slots [#loop.slot<size = "1024", offset = 0, live = 0 to 1>, #loop.slot<size = "1024", offset = 1024, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = 2048, lower_bound = 2048>
    donations [#loop.donation<input = 0, output = 0>]
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "select", source = "s", order = 0, indices = 1, count = "4">,
           #loop.skip<slot = 1, to = activations, number = 0, when = [], kernel = "select", source = "s", order = 0, indices = 1, count = "4">] {
  %x = loop.view inputs 0 : memref<?xf32>
  %i = loop.view inputs 1 : memref<?xi64>
  %y = loop.view activations 0 : memref<?xf32>
  %z = loop.view activations 1 : memref<?xf32>
  loop.call @select(%x, %i, %y) symbols [] skip 0 : memref<?xf32>, memref<?xi64>, memref<?xf32>
  loop.call @select(%y, %i, %z) symbols [] skip 1 : memref<?xf32>, memref<?xi64>, memref<?xf32>
}
loop.kernel @select(%a : memref<?xf32>, %b : memref<?xi64>, %c : memref<?xf32>) {
}

// -----

// What a trip of a loop finds, or a branch, is not known after it.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK-COUNT-3: host.store %{{.*}}, %p0[192] : i64
// CHECK-NOT:     host.store %{{.*}}, %p0[192] : i64
loop.program @inside
    inputs [#loop.tensor<"x" : tensor<4x64xf32>>, #loop.tensor<"i" : tensor<4xi64>>, #loop.tensor<"c" : tensor<i1>>]
    slots [#loop.slot<size = "1024", offset = 0, live = 0 to 5>, #loop.slot<size = "1024", offset = 1024, live = 0 to 5>]
    plan <"naive", steps = 6, bytes = 2048, lower_bound = 2048>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [], kernel = "select", source = "s", order = 0, indices = 1, count = "4">,
           #loop.skip<slot = 1, to = inputs, number = 0, when = [], kernel = "select", source = "s", order = 0, indices = 1, count = "4">] {
  %x = loop.view inputs 0 : memref<?xf32>
  %i = loop.view inputs 1 : memref<?xi64>
  %c = loop.view inputs 2 : memref<?xi1>
  %y = loop.view activations 0 : memref<?xf32>
  %z = loop.view activations 1 : memref<?xf32>
  loop.if %c : memref<?xi1> {
    loop.call @select(%x, %i, %y) symbols [] skip 0 : memref<?xf32>, memref<?xi64>, memref<?xf32>
  } {
  }
  loop.call @select(%x, %i, %z) symbols [] skip 1 : memref<?xf32>, memref<?xi64>, memref<?xf32>
}
loop.kernel @select(%a : memref<?xf32>, %b : memref<?xi64>, %c : memref<?xf32>) {
}
