// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Candidates have a score, and may be in conflict.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         %end = loop.choose %out[%row * "n" + 5] to "n" from %start most %start within "3 * n + 6" : memref<?xi64> score (%i) {
// CHECK-NEXT:      %x = loop.load %x_in[%i] : memref<?xf32>
// CHECK-NEXT:      loop.yield %x, %good : f32, i1
// CHECK-NEXT:    } conflict (%chosen, %other) {
// CHECK-NEXT:      loop.yield %good, %good : i1, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.yield %end : i64
loop.kernel @round_trip(%x_in: memref<?xf32>, %out: memref<?xi64>) symbols ["n"] {
  %zero = arith.constant 0 : i64
  %good = arith.constant true
  %last = loop.for ordered %row to 2 (%start = %zero : i64) {
    %end = loop.choose %out[%row * "n" + 5] to "n" from %start most %start within "3 * n + 6" : memref<?xi64> score (%i) {
      %x = loop.load %x_in[%i] : memref<?xf32>
      loop.yield %x, %good : f32, i1
    } conflict (%chosen, %other) {
      loop.yield %good, %good : i1, i1
    }
    loop.yield %end : i64
  }
}

// -----

// Numbers are stored, not scores.
loop.kernel @of_floats(%out: memref<?xf32>) {
  %zero = arith.constant 0 : i64
  %x = arith.constant 0.0 : f32
  %good = arith.constant true
  // expected-error {{expected a buffer of i64, got memref<?xf32>}}
  %end = loop.choose %out[0] to 5 from %zero most %zero within 11 : memref<?xf32> score (%i) {
    loop.yield %x, %good : f32, i1
  } conflict (%chosen, %other) {
    loop.yield %good : i1
  }
}

// -----

// A score is a float, beside whether it counts.
loop.kernel @a_score_alone(%out: memref<?xi64>) {
  %zero = arith.constant 0 : i64
  %x = arith.constant 0.0 : f32
  %good = arith.constant true
  // expected-error {{expected a score and an i1, got f32}}
  %end = loop.choose %out[0] to 5 from %zero most %zero within 11 : memref<?xi64> score (%i) {
    loop.yield %x : f32
  } conflict (%chosen, %other) {
    loop.yield %good : i1
  }
}

// -----

// A conflict has a condition.
loop.kernel @no_condition(%out: memref<?xi64>) {
  %zero = arith.constant 0 : i64
  %x = arith.constant 0.0 : f32
  %good = arith.constant true
  // expected-error {{expected conditions of a conflict, got none}}
  %end = loop.choose %out[0] to 5 from %zero most %zero within 11 : memref<?xi64> score (%i) {
    loop.yield %x, %good : f32, i1
  } conflict (%chosen, %other) {
    loop.yield
  }
}

// -----

// A conflict is one of two.
loop.kernel @conflict_of_one(%out: memref<?xi64>) {
  %zero = arith.constant 0 : i64
  %x = arith.constant 0.0 : f32
  %good = arith.constant true
  // expected-error {{expected 2 indices, got}}
  %end = loop.choose %out[0] to 5 from %zero most %zero within 11 : memref<?xi64> score (%i) {
    loop.yield %x, %good : f32, i1
  } conflict (%chosen) {
    loop.yield %good : i1
  }
}
