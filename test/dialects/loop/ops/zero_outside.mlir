// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// It stands in a k-loop, beside what that adds up. Indices may count in blocks: rows those
// of an image, k those of the channels of a tap.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.zero_outside [%i blocked 7 by 0 * 2 + %k] from 1 to 15
// CHECK-NEXT:    loop.zero_outside [%k blocked 64 by 0 * 3 + %i blocked 7 * 0] from 2 to "n + 2"
loop.kernel @round_trip(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) symbols ["n"] {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 49, %j to 5, reduce %k to 192 from %zero : f32 k_loop (%sum) {
    loop.zero_outside [%i blocked 7 by 0 * 2 + %k] from 1 to 15
    loop.zero_outside [%k blocked 64 by 0 * 3 + %i blocked 7 * 0] from 2 to "n + 2"
    %x = loop.load %a[%i * 192 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 5 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 5 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// Its bounds are dimensions.
loop.kernel @no_dimension() {
  loop.for parallel %i to 4 {
    loop.zero_outside [%i] from 1 to "n +"
    // expected-error @below {{dimension 'n +': expected a number or a symbol, got the end}}
    loop.yield
  }
}
