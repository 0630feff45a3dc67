// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The k-loop accumulates an element, and the epilogue stores the result.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 k_loop (%sum) {
// CHECK:           %[[NEXT:.*]] = math.fma %{{.*}}, %{{.*}}, %sum : f32
// CHECK-NEXT:      loop.yield %[[NEXT]] : f32
// CHECK-NEXT:    } epilogue (%row, %column, %accumulator) {
// CHECK-NEXT:      loop.store %accumulator, %out[%row * 7 + %column] : memref<?xf32>
// CHECK-NEXT:      loop.yield
// CHECK-NEXT:    }
loop.kernel @round_trip(%lhs: memref<?xf32>, %rhs: memref<?xf32>, %out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 k_loop (%sum) {
    %a = loop.load %lhs[%i * 3 + %k] : memref<?xf32>
    %b = loop.load %rhs[%k * 7 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %out[%row * 7 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// What rows or columns share and lies apart.
//
// CHECK-LABEL: loop.kernel @windows_and_squares
// CHECK:         loop.tile {{.*}} by 6, 16, 8 slides unroll 9 k_loop (%sum) {
// CHECK:         loop.tile {{.*}} by 1, 8, 8 transposed 8 k_loop (%{{.*}}) {
loop.kernel @windows_and_squares() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 9, %j to 64, reduce %k to 3, reduce %l to 3 from %zero : f32 by 6, 16, 8 slides unroll 9 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
  loop.tile %i to 1, %j to 64, reduce %k to 30 from %zero : f32 by 1, 8, 8 transposed 8 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// A tile of six rows by two vectors of eight columns; any number of indices is reduced.
//
// CHECK-LABEL: loop.kernel @sized
// CHECK:         loop.tile %i to "n", %j to 64, reduce %k to 3, reduce %l to "m" from %zero : f64 by 6, 16, 8 k_loop (%sum) {
loop.kernel @sized() symbols ["n", "m"] {
  %zero = arith.constant 0.0 : f64
  loop.tile %i to "n", %j to 64, reduce %k to 3, reduce %l to "m" from %zero : f64 by 6, 16, 8 k_loop (%sum) {
    loop.yield %sum : f64
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// A schedule says in which panels and blocks, and what is copied.
//
// CHECK-LABEL: loop.kernel @scheduled
// CHECK:         by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 128, kc = 512 of 0> k_loop (%sum) {
// CHECK:         by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 128, kc = 3 of 1, pack = "a and b"> k_loop (
loop.kernel @scheduled() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 64, reduce %k to 3 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 128, kc = 512 of 0> k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
  loop.tile %i to 64, %j to 64, reduce %k to 3, reduce %l to 7 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 128, kc = 3 of 1, pack = "a and b"> k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// Blocks are whole panels.
loop.kernel @half_a_panel() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected nc to be whole panels, got nr = 16 and nc = 24}}
  loop.tile %i to 64, %j to 64, reduce %k to 3 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 24, kc = 512 of 0> k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// What is packed has a known size.
loop.kernel @packed_whole() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected nc and kc 1 or more where something is packed, got nc = 32 and kc = 0}}
  loop.tile %i to 64, %j to 64, reduce %k to 3 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 32, kc = 0 of 0, pack = "a"> k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// Blocks are of an axis that there is.
loop.kernel @no_such_axis() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a block of one of 1 axes of k, got 1}}
  loop.tile %i to 64, %j to 64, reduce %k to 4 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 32, kc = 2 of 1> k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// Blocks of k have one size.
loop.kernel @two_sizes() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected no block with a kc or where something is packed, got 2 * n with kc = 2}}
  loop.tile %i to 64, %j to 64, reduce %k to 4 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 32, kc = 2 of 0, block = "2 * n"> k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// The columns of a tile are whole vectors.
loop.kernel @half_a_vector() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected NR to be whole vectors, got 6x12x8}}
  loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 by 6, 12, 8 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// A tile has at least one row.
loop.kernel @no_rows() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected NR to be whole vectors, got 0x8x8}}
  loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 by 0, 8, 8 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// There are rows and columns.
loop.kernel @no_columns() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a k-loop of 1 indices and f32}}
  loop.tile %i to 5 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// Both regions end in a yield.
loop.kernel @no_yield(%out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error {{loop.store terminates block in single-block region but is not a terminator}}
  loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %out[%column] : memref<?xf32>
  }
}

// -----

// It is a yield of loops.
loop.kernel @another_yield() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected regions that end in loop.yield}}
  loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    "graph.yield"() : () -> ()
  }
}

// -----

// The epilogue takes a row, a column and the accumulator.
loop.kernel @epilogue_of_a_row() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected an epilogue of row, column, accumulator}}
  "loop.tile"(%zero) <{bounds = ["5", "7", "3"]}> ({
  ^bb0(%i: index, %j: index, %k: index, %sum: f32):
    loop.yield %sum : f32
  }, {
  ^bb0(%row: index, %accumulator: f32):
    loop.yield
  }) : (f32) -> ()
}

// -----

// Squares are transposed in halves.
loop.kernel @odd_squares() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a power of two of k to be transposed, got 6}}
  loop.tile %i to 1, %j to 7, reduce %k to 12 from %zero : f32 transposed 6 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// A window reads what rows share, and squares what they do not.
loop.kernel @both() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a window that slides or squares, got both}}
  loop.tile %i to 4, %j to 7, reduce %k to 12 from %zero : f32 slides transposed 4 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// Without a schedule all k are unrolled, the innermost, or none.
loop.kernel @some_k() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected all k or the innermost to be unrolled, got 4}}
  loop.tile %i to 5, %j to 7, reduce %k to 12 from %zero : f32 unroll 4 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// -----

// What the epilogue loads from where it stores would be lost after the first block of k.
loop.kernel @kept_over_it(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected all k in one block, since the epilogue loads from where it stores, got 384 of 768}}
  loop.tile %i to 50, %j to 16, reduce %k to 768 from %zero : f32 by 5, 16, 8 as #loop.schedule<nr = 16, mc = 50, nc = 16, kc = 384 of 0> k_loop (%sum) {
    %a = loop.load %x[%i * 768 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 12288] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    %before = loop.load %y[%row * 16 + %column] : memref<?xf32>
    %result = arith.addf %accumulator, %before : f32
    loop.store %result, %y[%row * 16 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// No loop runs less than never.
loop.kernel @fewer_than_none() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected sizes of 0 or more, got (-5, 7)}}
  loop.tile %i to -5, %j to 7 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}
