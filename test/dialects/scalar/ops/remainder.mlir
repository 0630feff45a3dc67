// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The operands and the result have one type.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         %{{.*}} = scalar.remainder %x, %x : f64
loop.kernel @round_trip(%a: memref<?xf64>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xf64>
    %y = scalar.remainder %x, %x : f64
    loop.store %y, %a[%i] : memref<?xf64>
    loop.yield
  }
}

// -----

// Integers have an op of their own in `arith`.
loop.kernel @integers(%a: memref<?xi64>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xi64>
    // expected-error {{Unexpected attribute i64}}
    %y = scalar.remainder %x, %x : i64
    loop.yield
  }
}
