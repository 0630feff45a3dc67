// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// An element has a key, and its number is stored.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.argsort %out[%row * "k" + 5] first "k" of "n" descending : memref<?xi64> key (%i) {
// CHECK-NEXT:      %x = loop.load %keys[%row * "n" + %i] : memref<?xf32>
// CHECK-NEXT:      loop.yield %x : f32
// CHECK-NEXT:    }
// CHECK:         loop.argsort %out[0] first 3 of 3 : memref<?xi64> key (%j) {
loop.kernel @round_trip(%keys: memref<?xf32>, %out: memref<?xi64>) symbols ["n", "k"] {
  loop.for parallel %row to 2 {
    loop.argsort %out[%row * "k" + 5] first "k" of "n" descending : memref<?xi64> key (%i) {
      %x = loop.load %keys[%row * "n" + %i] : memref<?xf32>
      loop.yield %x : f32
    }
    loop.yield
  }
  loop.argsort %out[0] first 3 of 3 : memref<?xi64> key (%j) {
    %y = loop.load %keys[%j] : memref<?xf32>
    loop.yield %y : f32
  }
}

// -----

// Numbers are stored, not keys.
loop.kernel @of_floats(%out: memref<?xf32>) {
  %x = arith.constant 0.0 : f32
  // expected-error {{expected a buffer of i64, got memref<?xf32>}}
  loop.argsort %out[0] first 3 of 5 : memref<?xf32> key (%i) {
    loop.yield %x : f32
  }
}

// -----

// A key is one number.
loop.kernel @two_keys(%out: memref<?xi64>) {
  %x = arith.constant 0.0 : f32
  // expected-error {{expected a number as key, got f32, f32}}
  loop.argsort %out[0] first 3 of 5 : memref<?xi64> key (%i) {
    loop.yield %x, %x : f32, f32
  }
}

// -----

// It is computed from an index.
loop.kernel @of_two_indices(%out: memref<?xi64>) {
  %x = arith.constant 0.0 : f32
  // expected-error {{expected a key of 1 index, got (IndexType(), IndexType())}}
  loop.argsort %out[0] first 3 of 5 : memref<?xi64> key (%i, %j) {
    loop.yield %x : f32
  }
}

// -----

// No more come first than there are.
loop.kernel @too_many(%out: memref<?xi64>) {
  %x = arith.constant 0.0 : f32
  // expected-error {{expected 6 of as many or more, got 5}}
  loop.argsort %out[0] first 6 of 5 : memref<?xi64> key (%i) {
    loop.yield %x : f32
  }
}
