// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A kernel takes buffers, and may be called with other sizes each time.
//
// CHECK-LABEL: loop.kernel @fill(%a: memref<?xf32>) {
// CHECK:       loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n", "m"] attributes {note = "kept"} {
loop.kernel @fill(%a: memref<?xf32>) {
}
loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n", "m"] attributes {note = "kept"} {
}

// -----

// A kernel uses what it is called with, and nothing around it.
//
// expected-error {{got %one, which is a value of a region that it does not see}}
%one = arith.constant 1.0 : f32
loop.kernel @uses_what_is_outside(%a: memref<?xf32>) {
  loop.store %one, %a[0] : memref<?xf32>
}

// -----

// Its symbols are named.
loop.kernel @symbol_without_name(%a: memref<?xf32>) symbols [1] {
  // expected-error {{should be of base attribute string}}
}
