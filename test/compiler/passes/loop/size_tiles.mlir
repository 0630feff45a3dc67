// RUN: sr-opt %s -p 'set-target{cpu=x86-64},size-tiles' | filecheck %s --check-prefixes=CHECK,SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: not sr-opt %s -p size-tiles 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// Of 16 registers twelve hold totals: six rows of two vectors. Of 32, 24 do: six of four.
//
// CHECK-LABEL: loop.kernel @single
// SSE:           loop.tile {{.*}} : f32 by 6, 8, 4 step
// AVX2:          loop.tile {{.*}} : f32 by 6, 16, 8 step
// AVX512:        loop.tile {{.*}} : f32 by 6, 64, 16 step
loop.kernel @single() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 step (%sum) {
    loop.yield %sum : f32
  } finish (%row, %column, %total) {
    loop.yield
  }
}

// A vector holds half as many elements that are twice as wide.
//
// CHECK-LABEL: loop.kernel @double
// SSE:           loop.tile {{.*}} : f64 by 6, 4, 2 step
// AVX2:          loop.tile {{.*}} : f64 by 6, 8, 4 step
// AVX512:        loop.tile {{.*}} : f64 by 6, 32, 8 step
loop.kernel @double() {
  %zero = arith.constant 0.0 : f64
  loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f64 step (%sum) {
    loop.yield %sum : f64
  } finish (%row, %column, %total) {
    loop.yield
  }
}

// A size that is not known is taken for a large one.
//
// CHECK-LABEL: loop.kernel @symbols
// AVX2:          loop.tile {{.*}} : f32 by 6, 16, 8 step
loop.kernel @symbols() symbols ["m", "n"] {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to "m", %j to "n", reduce %k to 32 from %zero : f32 step (%sum) {
    loop.yield %sum : f32
  } finish (%row, %column, %total) {
    loop.yield
  }
}

// A single row leaves its registers to more columns.
//
// CHECK-LABEL: loop.kernel @one_row
// AVX2:          loop.tile {{.*}} : f32 by 1, 32, 8 step
loop.kernel @one_row() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 64, reduce %k to 32 from %zero : f32 step (%sum) {
    loop.yield %sum : f32
  } finish (%row, %column, %total) {
    loop.yield
  }
}

// Four columns fill no vector of eight, but one of four, and many rows.
//
// CHECK-LABEL: loop.kernel @few_columns
// AVX2:          loop.tile {{.*}} : f32 by 13, 4, 4 step
loop.kernel @few_columns() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 4, reduce %k to 32 from %zero : f32 step (%sum) {
    loop.yield %sum : f32
  } finish (%row, %column, %total) {
    loop.yield
  }
}

// A single column is computed one by one.
//
// CHECK-LABEL: loop.kernel @one_column
// AVX2:          loop.tile {{.*}} : f32 by 13, 1, 1 step
loop.kernel @one_column() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 1, reduce %k to 32 from %zero : f32 step (%sum) {
    loop.yield %sum : f32
  } finish (%row, %column, %total) {
    loop.yield
  }
}

// A loop is no tile.
//
// CHECK-LABEL: loop.kernel @no_tile
// CHECK:         loop.for parallel %{{.*}} to 64 {
loop.kernel @no_tile() {
  loop.for parallel %i to 64 {
    loop.yield
  }
}
