// RUN: sr-opt %s --split-input-file -p instrument-memory | filecheck %s

// A slot is needed until the last call on it. What the calls before need is not.
//
// CHECK-LABEL: loop.program @chain
// CHECK-SAME:    attributes {loop.checked = {groups = array<i64: 0, 1, 2>, last = array<i64: 1, 2>}}
loop.program @chain inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    slots [#loop.slot<size = "16", offset = 0, live = 0 to 1>, #loop.slot<size = "16", offset = 64, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = 128, lower_bound = 128> {
  %x = loop.view inputs 0 : memref<?xf32>
  %0 = loop.view activations 0 : memref<?xf32>
  %1 = loop.view activations 1 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %0) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @k(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @k(%1, %y) symbols [] : memref<?xf32>, memref<?xf32>
}

// -----

// The next trip of a loop reads again what the first call in it reads.
//
// CHECK-LABEL: loop.program @loop
// CHECK-SAME:    last = array<i64: 2, 2>
loop.program @loop inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    slots [#loop.slot<size = "16", offset = 0, live = 0 to 2>, #loop.slot<size = "16", offset = 64, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = 128, lower_bound = 128> {
  %x = loop.view inputs 0 : memref<?xf32>
  %0 = loop.view activations 0 : memref<?xf32>
  %1 = loop.view activations 1 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %0) symbols [] : memref<?xf32>, memref<?xf32>
  loop.repeat %i to 3 {
    loop.call @k(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
    loop.call @k(%1, %y) symbols [] : memref<?xf32>, memref<?xf32>
  }
}

// -----

// The buffers of a copy that is skipped where they are one may be the same memory: both
// are needed as long as one of them is. A slot without calls is never needed.
//
// CHECK-LABEL: loop.program @copy
// CHECK-SAME:    groups = array<i64: 0, 0, 2, 3>, last = array<i64: 2, 2, -1>
loop.program @copy inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    slots [#loop.slot<size = "16", offset = 0, live = 0 to 1>, #loop.slot<size = "16", offset = 64, live = 1 to 2>,
           #loop.slot<size = "16", offset = 128, live = 1 to 2>]
    plan <"naive", steps = 3, bytes = 192, lower_bound = 192> {
  %x = loop.view inputs 0 : memref<?xf32>
  %0 = loop.view activations 0 : memref<?xf32>
  %1 = loop.view activations 1 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %0) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @copy(%0, %1) symbols [] unless_same : memref<?xf32>, memref<?xf32>
  loop.call @k(%1, %y) symbols [] : memref<?xf32>, memref<?xf32>
}
