// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// Inputs and outputs are fields of the context, constants and activations are parts of
// blocks; a view may begin some elements later.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[ROW:.*]] = host.load %p0[112] : i64
// CHECK:         %[[N:.*]] = host.load %[[ROW]][24] : i64
// CHECK:         %[[X:.*]] = host.load %p0[160] : i64
// CHECK:         %[[BYTES:.*]] = arith.muli %[[N]], %c16 : i64
// CHECK:         %[[PART:.*]] = arith.addi %[[X]], %[[BYTES]] : i64
// CHECK:         %[[CONSTANTS:.*]] = host.load %p0[16] : i64
// CHECK:         %[[W:.*]] = arith.addi %[[CONSTANTS]], %c256 : i64
// CHECK:         host.kernel @k(%[[PART]], %[[W]])
// CHECK:         %[[BLOCK:.*]] = host.load %p0[8] : i64
// CHECK:         %[[FIXED:.*]] = arith.addi %[[BLOCK]], %c64 : i64
// CHECK:         %[[OFFSET:.*]] = host.load %[[ROW]][40] : i64
// CHECK:         %[[PLANNED:.*]] = arith.addi %[[BLOCK]], %[[OFFSET]] : i64
// CHECK:         host.kernel @k(%[[FIXED]], %[[PLANNED]])
// CHECK:         %[[Y:.*]] = host.load %p0[168] : i64
// CHECK:         host.kernel @k(%[[PLANNED]], %[[Y]])
loop.program @regions inputs [#loop.tensor<"x" : tensor<?x4xf32, ["n"]>>]
    outputs [#loop.tensor<"y" : tensor<4xf32>>] symbols [#loop.symbol<"n">]
    constants [#loop.constant<"v", offset = 0, size = 256>, #loop.constant<"w", offset = 256, size = 16>]
    slots [#loop.slot<size = "64", offset = 64, live = 0 to 0>, #loop.slot<size = "4 * n", offset = ?, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?> {
  %x = loop.view inputs 0 from "4 * n" : memref<?xf32>
  %w = loop.view constants 1 : memref<?xf32>
  %a = loop.view activations 0 : memref<?xf32>
  %b = loop.view activations 1 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %w) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @k(%a, %b) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @k(%b, %y) symbols [] : memref<?xf32>, memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xf32>) {
}

// -----

// A slot that is skipped is the memory that the row says, from an offset on.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[ROW:.*]] = host.load %p0[112] : i64
// CHECK:         %[[X:.*]] = host.load %p0[160] : i64
// CHECK:         %[[OWN:.*]] = arith.addi
// CHECK-NEXT:    %[[TAIL:.*]] = arith.addi %[[X]], %c8 : i64
// CHECK:         %[[WAY:.*]] = host.load %[[ROW]][40] : i64
// CHECK:         %[[TAKEN:.*]] = arith.cmpi eq, %[[WAY]], %c1 : i64
// CHECK:         %[[SLOT:.*]] = arith.select %[[TAKEN]], %[[TAIL]], %[[OWN]] : i64
// CHECK:         %[[NEEDED:.*]] = arith.cmpi eq, %[[WAY]], %c0 : i64
// CHECK:         scf.if %[[NEEDED]] {
// CHECK-NEXT:      host.kernel @k(%[[X]], %[[SLOT]])
// CHECK-NEXT:    }
loop.program @skipped inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>]
    symbols [#loop.symbol<"n">]
    slots [#loop.slot<size = "4 * n", offset = ?, live = 0 to 1>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?>
    skips [#loop.skip<slot = 0, to = inputs, number = 0, when = [["n - 1"]], kernel = "k", source = "graph.permute", offset = "8">] {
  %x = loop.view inputs 0 : memref<?xf32>
  %a = loop.view activations 0 : memref<?xf32>
  loop.call @k(%x, %a) symbols [] skip 0 : memref<?xf32>, memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xf32>) {
}

// -----

// An element of a buffer is as far from its begin as the trip says, or from its end.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %[[TRIP:.*]] = %c0) :
// CHECK:         do {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: i1, %[[I:.*]]: i64):
// CHECK:           %[[FAR:.*]] = arith.muli %[[I]], %c16 : i64
// CHECK:           %[[E:.*]] = arith.addi %[[X:.*]], %[[FAR]] : i64
// CHECK:           %[[LEFT:.*]] = arith.subi %{{.*}}, %[[I]] : i64
// CHECK:           %[[BACK:.*]] = arith.muli %[[LEFT]], %c16 : i64
// CHECK:           %[[B:.*]] = arith.addi %[[X]], %[[BACK]] : i64
// CHECK:           host.kernel @k(%[[E]], %[[B]])
loop.program @elements inputs [#loop.tensor<"x" : tensor<?x4xf32, ["n"]>>]
    symbols [#loop.symbol<"n">] {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.repeat %i to "n" {
    %e = loop.element %x[%i * 4] : memref<?xf32>
    %b = loop.element %x[%i * 4] backward "n" : memref<?xf32>
    loop.call @k(%e, %b) symbols [] : memref<?xf32>, memref<?xf32>
  }
}
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xf32>) {
}
