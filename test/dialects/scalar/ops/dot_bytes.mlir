// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Words and sums are i32; a word whose products are small says so.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         %{{.*}} = scalar.dot_bytes %x, %x, %x : i32
// CHECK-NEXT:    %{{.*}} = scalar.dot_bytes %y, %x, %x bits 4 : i32
loop.kernel @round_trip(%a: memref<?xi32>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xi32>
    %y = scalar.dot_bytes %x, %x, %x : i32
    %z = scalar.dot_bytes %y, %x, %x bits 4 : i32
    loop.store %z, %a[%i] : memref<?xi32>
    loop.yield
  }
}

// -----

// A sum of products of bytes has 32 bits.
loop.kernel @longs(%a: memref<?xi32>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xi32>
    // expected-error {{Expected attribute i32 but got i64}}
    %y = scalar.dot_bytes %x, %x, %x : i64
    loop.yield
  }
}
