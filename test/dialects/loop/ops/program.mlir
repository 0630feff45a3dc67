// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A program says what a caller must know of it, where its memory is, and how much it
// computes; a range, an offset or the bytes of a plan may be unknown.
//
// CHECK-LABEL: loop.program @main inputs [#loop.tensor<"x" : tensor<?x4xf32, ["batch"]>>, #loop.tensor<"n" : tensor<?xi64, ["seq"]>>]
// CHECK-SAME:    outputs [#loop.tensor<"y" : tensor<?xf32, ["count"]>>]
// CHECK-SAME:    symbols [#loop.symbol<"batch" from 1 to 8>, #loop.symbol<"seq">]
// CHECK-SAME:    constants [#loop.constant<"v", offset = 0, size = 256>, #loop.constant<"w", offset = 256, size = 16>]
// CHECK-SAME:    slots [#loop.slot<size = "64", offset = 0, live = 0 to 2>, #loop.slot<size = "4 * batch", offset = ?, live = 2 to 4>]
// CHECK-SAME:    plan <"conflict-driven", steps = 5, bytes = ?, lower_bound = ?>
// CHECK-SAME:    checks [#loop.check<"batch - 2", "graph.slice: expected a slice inside the tensor">]
// CHECK-SAME:    work "4 * batch" {
// CHECK:         loop.define "count"
// CHECK:         loop.require "seq - count"
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?x4xf32, ["batch"]>>, #loop.tensor<"n" : tensor<?xi64, ["seq"]>>]
    outputs [#loop.tensor<"y" : tensor<?xf32, ["count"]>>]
    symbols [#loop.symbol<"batch" from 1 to 8>, #loop.symbol<"seq">]
    constants [#loop.constant<"v", offset = 0, size = 256>, #loop.constant<"w", offset = 256, size = 16>]
    slots [#loop.slot<size = "64", offset = 0, live = 0 to 2>, #loop.slot<size = "4 * batch", offset = ?, live = 2 to 4>]
    plan <"conflict-driven", steps = 5, bytes = ?, lower_bound = ?>
    checks [#loop.check<"batch - 2", "graph.slice: expected a slice inside the tensor">]
    work "4 * batch" {
  %0 = loop.view inputs 1 : memref<?xi64>
  loop.define "count" = %0 from 0 to "seq" : memref<?xi64>
  loop.require "seq - count"
}

// -----

// What is empty, or nothing, is left out.
//
// CHECK-LABEL: loop.program @nothing {
// CHECK-NEXT:  }
loop.program @nothing inputs [] checks [] work "0" {
}

// -----

// expected-error {{expected constants side by side, got #loop.constant<"w", offset = 64, size = 64>, and another up to byte 128}}
loop.program @constants_overlap constants [#loop.constant<"w", offset = 64, size = 64>, #loop.constant<"v", offset = 0, size = 128>] {
}

// -----

// expected-error@+1 {{Expected integer literal}}
loop.program @constant_before_the_block constants [#loop.constant<"w", offset = -4, size = 64>] {
}

// -----

// expected-error {{expected slots within 64 bytes, got #loop.slot<size = "64", offset = 64, live = 0 to 0>}}
loop.program @slot_beyond_the_plan slots [#loop.slot<size = "64", offset = 64, live = 0 to 0>] plan <"naive", steps = 1, bytes = 64, lower_bound = 64> {
}

// -----

// expected-error {{expected slots that live within 2 steps, got #loop.slot<size = "64", offset = 0, live = 1 to 2>}}
loop.program @slot_lives_too_long slots [#loop.slot<size = "64", offset = 0, live = 1 to 2>] plan <"naive", steps = 2, bytes = 64, lower_bound = 64> {
}

// -----

// expected-error@+1 {{expected a slot to live from one step to the same or a later one, got #loop.slot<size = "64", offset = 0, live = 2 to 1>}}
loop.program @slot_ends_before_it_begins slots [#loop.slot<size = "64", offset = 0, live = 2 to 1>] {
}

// -----

// expected-error@+1 {{expected as much as the lower bound, got #loop.plan<"naive", steps = 2, bytes = 64, lower_bound = 128>}}
loop.program @plan_below_its_bound plan <"naive", steps = 2, bytes = 64, lower_bound = 128> {
}

// -----

// expected-error@+1 {{expected the range of n to be from zero or more to as much or more, got [4, 2]}}
loop.program @empty_range symbols [#loop.symbol<"n" from 4 to 2>] {
}

// -----

// expected-error {{expected each symbol once, got n again}}
loop.program @symbol_given_twice symbols [#loop.symbol<"n">, #loop.symbol<"n">] {
}

// -----

// expected-error {{expected each symbol once, got n again}}
loop.program @symbol_given_and_defined inputs [#loop.tensor<"x" : tensor<?xi64, ["n"]>>] symbols [#loop.symbol<"n">] {
  %0 = loop.view inputs 0 : memref<?xi64>
  loop.define "n" = %0 from 0 to 4 : memref<?xi64>
}

// -----

// expected-error {{expected symbols of batch, got n in 2 * n}}
loop.program @unknown_symbol symbols [#loop.symbol<"batch">] {
  loop.call @fill() symbols ["2 * n"] :
}

// -----

// What a run defines is unknown when the call begins, and memory is planned.
//
// expected-error {{expected symbols of no name, got n in 4 * n}}
loop.program @slot_of_a_defined_size inputs [#loop.tensor<"x" : tensor<i64>>]
    slots [#loop.slot<size = "4 * n", offset = ?, live = 0 to 0>] plan <"naive", steps = 1, bytes = ?, lower_bound = ?> {
  %0 = loop.view inputs 0 : memref<?xi64>
  loop.define "n" = %0 from 0 to 4 : memref<?xi64>
}
