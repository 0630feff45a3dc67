// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The operands and the result have one type.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         %{{.*}} = scalar.scale_difference %x, %x, %x, %x : f32
loop.kernel @round_trip(%a: memref<?xf32>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = scalar.scale_difference %x, %x, %x, %x : f32
    loop.store %y, %a[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// Integers are not rounded.
loop.kernel @integers(%a: memref<?xi64>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xi64>
    // expected-error {{Unexpected attribute i64}}
    %y = scalar.scale_difference %x, %x, %x, %x : i64
    loop.yield
  }
}
