// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// A symbol out of its range is refused by its number, from 1 on. After the symbols comes
// what is too large, then what is negative, then the checks, in order.
//
// CHECK-LABEL: func.func @sr_plan(%p0: i64) -> i64
// CHECK:         %[[N:.*]] = host.load %p0[{{[0-9]+}}] : i64
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %[[N]], %c2 : i64
// CHECK-NEXT:    %[[MORE:.*]] = arith.cmpi slt, %c8, %[[N]] : i64
// CHECK-NEXT:    %[[OUTSIDE:.*]] = arith.ori %[[LESS]], %[[MORE]] : i1
// CHECK-NEXT:    scf.if %[[OUTSIDE]] {
// CHECK-NEXT:      host.leave %c1
// CHECK-NEXT:    }
// CHECK:         arith.cmpi slt, %c4611686018427387903,
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:      host.leave %c2
// CHECK-NEXT:    }
// CHECK:         %[[LEFT:.*]] = arith.addi %[[N]], %c-3 : i64
// CHECK-NEXT:    %[[NONE:.*]] = arith.cmpi slt, %[[LEFT]], %c0 : i64
// CHECK-NEXT:    scf.if %[[NONE]] {
// CHECK-NEXT:      host.leave %c4
// CHECK-NEXT:    }
loop.program @requirements inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n" from 2 to 8>]
    checks [#loop.check<"n - 3", "graph.slice: expected a slice inside the tensor">] {
}

// -----

// Inputs and outputs are placed one after the other, at multiples of 64 bytes, with their
// sizes and counts of elements.
//
// CHECK-LABEL: func.func @sr_plan(%p0: i64) -> i64
// CHECK:         %[[N:.*]] = host.load %p0[96] : i64
// CHECK:         host.store %[[N]], %p0[56] : i64
// CHECK:         host.store %c0, %p0[24] : i64
// CHECK:         host.store %[[N]], %p0[40] : i64
// CHECK:         %[[BYTES:.*]] = func.call @mul_capped(%[[N]], %c4) : (i64, i64) -> i64
// CHECK-NEXT:    %[[UP:.*]] = arith.addi %[[BYTES]], %c63 : i64
// CHECK-NEXT:    %[[END:.*]] = arith.andi %[[UP]], %c-64 : i64
// CHECK:         host.store %c5, %p0[64] : i64
// CHECK:         host.store %[[END]], %p0[32] : i64
// CHECK:         host.store %c5, %p0[48] : i64
// CHECK:         %[[ALL:.*]] = func.call @add_capped(%[[END]], %c64) : (i64, i64) -> i64
// CHECK:         host.store %[[ALL]], %p0[0] : i64
loop.program @tensors inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    outputs [#loop.tensor<"y" : tensor<5xf32>>] symbols [#loop.symbol<"n">] {
}

// -----

// Slots are placed by the prelude, in the best of the plan's orders; words go in, and the
// offsets come out.
//
// CHECK-LABEL: func.func @sr_plan(%p0: i64) -> i64
// CHECK:         %[[SIZE:.*]] = arith.muli %{{.*}}, %c4 : i64
// CHECK:         %orders = host.table array<i32: 1, 0>
// CHECK:         %[[WORDS:.*]] = host.words(%c2, %c1, %orders, %c0, %c0, %c0, %[[SIZE]], %c64, %c0, %c1, %c1, %c2, %c0, %c0)
// CHECK-NEXT:    func.call @sr_unite(%[[WORDS]], %p0) : (i64, i64) -> i64
// CHECK-NEXT:    func.call @sr_place_all(%[[WORDS]], %p0) : (i64, i64) -> i64
// CHECK-NEXT:    func.call @sr_spread(%[[WORDS]], %p0) : (i64, i64) -> i64
// CHECK-NEXT:    %[[FIRST:.*]] = host.load %[[WORDS]][96] : i64
// CHECK-NEXT:    %[[SECOND:.*]] = host.load %[[WORDS]][104] : i64
// CHECK-NEXT:    %[[BYTES:.*]] = host.load %[[WORDS]][32] : i64
// CHECK-NEXT:    %[[BOUND:.*]] = host.load %[[WORDS]][40] : i64
// CHECK-NEXT:    host.store %[[FIRST]],
// CHECK-NEXT:    host.store %[[SECOND]],
// CHECK-NEXT:    host.store %[[BYTES]],
// CHECK-NEXT:    host.store %[[BOUND]],
// CHECK:       func.func private @sr_unite(i64, i64) -> i64
loop.program @placement inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "4 * n", offset = ?, live = 0 to 1>, #loop.slot<size = "64", offset = ?, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?, orders = [[1, 0]]> {
}

// -----

// A skip is taken where each of its clauses has a size of zero; the first way that holds
// counts. The slot is then part of another, from some byte on, or memory elsewhere.
//
// CHECK-LABEL: func.func @sr_plan(%p0: i64) -> i64
// CHECK:         %[[ONLY:.*]] = arith.cmpi eq, %[[N:.*]], %c0 : i64
// CHECK:         %[[PART:.*]] = arith.select %[[ONLY]], %c2, %c0 : i64
// CHECK:         %[[LESS:.*]] = arith.addi %[[N]], %c-1 : i64
// CHECK-NEXT:    %[[ONE:.*]] = arith.cmpi eq, %[[LESS]], %c0 : i64
// CHECK:         %[[TAKEN:.*]] = arith.select %[[ONE]], %c1, %[[PART]] : i64
// CHECK:         host.store %[[TAKEN]],
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[TAKEN]], %c1 : i64
// CHECK-NEXT:    %[[INPUT:.*]] = arith.select %[[FIRST]], %c-2, %c-1 : i64
// CHECK:         %[[SECOND:.*]] = arith.cmpi eq, %[[TAKEN]], %c2 : i64
// CHECK:         %[[WHOLE:.*]] = arith.select %[[SECOND]], %c0, %[[INPUT]] : i64
// CHECK:         %[[START:.*]] = arith.select %[[SECOND]], %c64,
// CHECK:         host.words({{.*}}, %c1, %[[WHOLE]], %[[START]])
loop.program @skips inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "4 * n + 64", offset = ?, live = 0 to 1>, #loop.slot<size = "4 * n", offset = ?, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?, orders = [[1, 0]]>
    skips [#loop.skip<slot = 1, to = inputs, number = 0, when = [["n - 1"]], kernel = "k", source = "graph.permute">,
           #loop.skip<slot = 1, to = activations, number = 0, when = [["n"]], kernel = "k", source = "graph.concat", offset = "64">] {
}

// -----

// A plan that no size decides on is written as it is.
//
// CHECK-LABEL: func.func @sr_plan(%p0: i64) -> i64
// CHECK-NOT:     host.words
// CHECK-DAG:     host.store %c128, %p0[{{[0-9]+}}] : i64
// CHECK-DAG:     host.store %c96, %p0[{{[0-9]+}}] : i64
// CHECK:         func.return %c0 : i64
loop.program @static inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "64", offset = 64, live = 0 to 1>]
    plan <"naive", steps = 3, bytes = 128, lower_bound = 96> {
}
