// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// So many indices of a buffer are below a bound, and none is below zero unless it wraps.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.check_index %i[20] below 1000 : memref<?xi64>
// CHECK:         loop.check_index %j[3] wraps below 7 : memref<?xi32>
loop.kernel @round_trip(%i: memref<?xi64>, %j: memref<?xi32>) {
  loop.check_index %i[20] below 1000 : memref<?xi64>
  loop.check_index %j[3] wraps below 7 : memref<?xi32>
}

// -----

// Indices may begin anywhere and lie apart.
//
// CHECK-LABEL: loop.kernel @apart
// CHECK:         loop.check_index %i[20 from 1 by 2] below 1000 : memref<?xi64>
// CHECK:         loop.check_index %i[20 from "n" by 1] wraps below 7 : memref<?xi64>
// CHECK:         loop.check_index %i[20] below 7 : memref<?xi64>
loop.kernel @apart(%i: memref<?xi64>) symbols ["n"] {
  loop.check_index %i[20 from 1 by 2] below 1000 : memref<?xi64>
  loop.check_index %i[20 from "n" by 1] wraps below 7 : memref<?xi64>
  loop.check_index %i[20 from 0 by 1] below 7 : memref<?xi64>
}

// -----

// They may be compared in vectors, several for each branch.
//
// CHECK-LABEL: loop.kernel @vectors
// CHECK:         loop.check_index %i["n"] wraps below 7 lanes 4 unroll 2 : memref<?xi64>
loop.kernel @vectors(%i: memref<?xi64>) symbols ["n"] {
  loop.check_index %i["n"] wraps below 7 lanes 4 unroll 2 : memref<?xi64>
}

// -----

// Both may depend on the symbols of the kernel.
//
// CHECK-LABEL: loop.kernel @symbols
// CHECK:         loop.check_index %i["2 * n"] wraps below "rows" : memref<?xi64>
loop.kernel @symbols(%i: memref<?xi64>) symbols ["n", "rows"] {
  loop.check_index %i["n + n"] wraps below "rows" : memref<?xi64>
}

// -----

// Indices are in memory.
loop.kernel @no_buffer(%i: tensor<20xi64>) {
  // expected-error {{tensor<20xi64> should be of base attribute memref}}
  loop.check_index %i[20] below 1000 : tensor<20xi64>
}

// -----

// A bound is a dimension.
loop.kernel @no_dimension(%i: memref<?xi64>) symbols ["n"] {
  // expected-error @below {{dimension 'n +': expected a number or a symbol, got the end}}
  loop.check_index %i[20] below "n +" : memref<?xi64>
}
