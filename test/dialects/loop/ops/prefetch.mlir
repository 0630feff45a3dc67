// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What is asked for may be beyond the end of the buffer.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.prefetch %a[%i * 32 + %j + 32] : memref<?xf32>
loop.kernel @round_trip(%a: memref<?xf32>) {
  loop.for parallel %i to 4 {
    loop.for parallel %j to 32 {
      loop.prefetch %a[%i * 32 + %j + 32] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// -----

loop.kernel @no_buffer(%a: index) {
  loop.prefetch %a[0] : index
  // expected-error @below {{expected a memref, got index}}
}
