// RUN: sr-opt %s -p 'set-target{cpu=x86-64},unroll-loops' | filecheck %s --check-prefixes=CHECK,SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},unroll-loops' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: not sr-opt %s -p unroll-loops 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// Bodies left over are lanes of one vector where the target has masks, but for one or two.
//
// CHECK-LABEL: loop.kernel @rest
// SSE:           loop.for parallel %i to 19 lanes 8 {
// AVX2:          loop.for parallel %i to 19 lanes 8 masked {
// CHECK:         loop.for parallel %j to 18 lanes 8 {
// AVX2:          loop.for parallel %k to "n" lanes 8 masked {
loop.kernel @rest(%a: memref<?xf32>) symbols ["n"] {
  %x = arith.constant 0.0 : f32
  loop.for parallel %i to 19 lanes 8 {
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 18 lanes 8 {
    loop.store %x, %a[%j] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %k to "n" lanes 8 {
    loop.store %x, %a[%k] : memref<?xf32>
    loop.yield
  }
}

// A short body of a sum across vectors is written for as many accumulators as registers
// hold, or once for each where the loop is one round.
//
// CHECK-LABEL: loop.kernel @sums
// CHECK:         loop.for reduce(add) %i to 100 partials 8 unroll 8 (
// CHECK:         loop.for reduce(add) %j to 35 partials 8 unroll 32 (
// CHECK:         loop.for reduce(add) %k to 100 lanes 8 partials 8 (
// CHECK:         loop.for reduce(add) %l to 100 partials 8 (
loop.kernel @sums(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = loop.for reduce(add) %i to 100 partials 8 (%s = %zero : f32) {
    %x = loop.load %a[%i] : memref<?xf32>
    %next = arith.addf %s, %x : f32
    loop.yield %next : f32
  }
  %1 = loop.for reduce(add) %j to 35 partials 8 (%t = %zero : f32) {
    %y = loop.load %a[%j] : memref<?xf32>
    %following = arith.addf %t, %y : f32
    loop.yield %following : f32
  }
  %2 = loop.for reduce(add) %k to 100 lanes 8 partials 8 (%u = %zero : f32) {
    %z = loop.load %a[%k] : memref<?xf32>
    %after = arith.addf %u, %z : f32
    loop.yield %after : f32
  }
  // A math function is long.
  %3 = loop.for reduce(add) %l to 100 partials 8 (%v = %zero : f32) {
    %c = loop.load %a[%l] : memref<?xf32>
    %e = math.exp %c : f32
    %last = arith.addf %v, %e : f32
    loop.yield %last : f32
  }
}

// Four k of a microkernel are written one after the other, or three that leave no rest; each
// register tile of a few prefetches its part of the next panel. One alone finds no panel in the
// first cache, and prefetches rows of its own. LLVM has nothing to unroll.
//
// CHECK-LABEL: loop.kernel @blocks
// CHECK-SAME:    {few_passes}
// CHECK:         loop.tile {{.*}} as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 32 of 0> unroll 4 prefetch 7 k_loop
// CHECK:         loop.tile {{.*}} as #loop.schedule<nr = 16, mc = 6, nc = 64, kc = 33 of 0> unroll 3 ahead 48 k_loop
loop.kernel @blocks(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 60, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 32 of 0> k_loop (%sum) {
    %a = loop.load %x[%i * 32 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 512] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
  loop.tile %l to 6, %m to 64, reduce %n to 33 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 6, nc = 64, kc = 33 of 0> k_loop (%total) {
    %c = loop.load %x[%l * 33 + %n] : memref<?xf32>
    %d = loop.load %w[%n * 16 + %m blocked 16 * 528] : memref<?xf32>
    %more = math.fma %c, %d, %total : f32
    loop.yield %more : f32
  } epilogue (%r, %s, %last) {
    loop.store %last, %y[%r * 64 + %s] : memref<?xf32>
    loop.yield
  }
}

// A panel that the first cache does not hold is prefetched into it by every register tile, 3 KiB
// ahead; one that is packed on the way likewise.
//
// CHECK-LABEL: loop.kernel @deep
// CHECK:         loop.tile {{.*}} as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 512 of 0> unroll 4 prefetch 7 ahead 48 k_loop
// CHECK:         loop.tile {{.*}} pack = "b"> unroll 4 ahead 48 k_loop
loop.kernel @deep(%x: memref<?xf32>, %w: memref<?xf32>, %v: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 60, %j to 64, reduce %k to 512 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 512 of 0> k_loop (%sum) {
    %a = loop.load %x[%i * 512 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 8192] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
  loop.tile %l to 60, %m to 64, reduce %n to 512 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 512 of 0, pack = "b"> k_loop (%total) {
    %c = loop.load %x[%l * 512 + %n] : memref<?xf32>
    %d = loop.load %v[%n * 64 + %m] : memref<?xf32>
    %more = math.fma %c, %d, %total : f32
    loop.yield %more : f32
  } epilogue (%r, %s, %last) {
    loop.store %last, %y[%r * 64 + %s] : memref<?xf32>
    loop.yield
  }
}

// Lines of a result that no cache holds are prefetched for the store.
//
// CHECK-LABEL: loop.kernel @large_result
// CHECK:         loop.tile {{.*}} as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 32 of 0> fetches unroll 4 prefetch 7 k_loop
loop.kernel @large_result(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000000, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 64, kc = 32 of 0> k_loop (%sum) {
    %a = loop.load %x[%i * 32 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 512] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}

// What a block of panels of bf16 is widened from is prefetched while the block before it is
// multiplied; panels of f32 that are packed from anywhere are not.
//
// CHECK-LABEL: loop.kernel @widened
// CHECK:         loop.tile {{.*}} pack = "b"> unroll 4 prefetch 4 k_loop
// CHECK:         loop.tile {{.*}} pack = "b"> unroll 4 k_loop
loop.kernel @widened(%x: memref<?xf32>, %w: memref<?xbf16>, %v: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 60, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 32, kc = 32 of 0, pack = "b"> k_loop (%sum) {
    %a = loop.load %x[%i * 32 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 512] : memref<?xbf16>
    %c = arith.extf %b : bf16 to f32
    %next = math.fma %a, %c, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
  loop.tile %l to 60, %m to 64, reduce %n to 32 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 60, nc = 32, kc = 32 of 0, pack = "b"> k_loop (%total) {
    %d = loop.load %x[%l * 32 + %n] : memref<?xf32>
    %e = loop.load %v[%n * 64 + %m] : memref<?xf32>
    %more = math.fma %d, %e, %total : f32
    loop.yield %more : f32
  } epilogue (%r, %s, %last) {
    loop.store %last, %y[%r * 64 + %s] : memref<?xf32>
    loop.yield
  }
}

// Of a window of three by three all k are written out; of one of four by four none are.
//
// CHECK-LABEL: loop.kernel @window
// CHECK:         loop.tile %i to 4, %j to 16, reduce %k to 3, reduce %l to 3 {{.*}} unroll 9 k_loop
// CHECK-LABEL: loop.kernel @large_window
// CHECK-NOT:     few_passes
// CHECK:         loop.tile {{.*}} : f32 by 2, 16, 8 k_loop
loop.kernel @window() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 16, reduce %k to 3, reduce %l to 3 from %zero : f32 by 2, 16, 8 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}
loop.kernel @large_window() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 16, reduce %k to 4, reduce %l to 4 from %zero : f32 by 2, 16, 8 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// More or fewer k may be preferred.
//
// CHECK-LABEL: loop.kernel @preferred
// CHECK:         kc = 32 of 0> unroll 8 ahead 48 k_loop
loop.kernel @preferred(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) attributes {preference = #loop.preference<unroll = 8>} {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 6, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 as #loop.schedule<nr = 16, mc = 6, nc = 64, kc = 32 of 0> k_loop (%sum) {
    %a = loop.load %x[%i * 32 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 512] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}

// Rows are sorted whole where all elements may come first, and else by a heap alone.
//
// CHECK-LABEL: loop.kernel @orders
// SSE:           loop.argsort %out[0] first "n" of "n" lanes 4 whole 24 : memref<?xi64> key (%i) {
// AVX2:          loop.argsort %out[0] first "n" of "n" lanes 8 whole 24 : memref<?xi64> key (%i) {
// AVX2:          loop.argsort %out[0] first 3 of "n" lanes 8 : memref<?xi64> key (%j) {
// AVX2:          loop.argsort %out[0] first 3 of 7 lanes 8 : memref<?xi64> key (%k) {
loop.kernel @orders(%keys: memref<?xf32>, %out: memref<?xi64>) symbols ["n"] {
  loop.argsort %out[0] first "n" of "n" : memref<?xi64> key (%i) {
    %x = loop.load %keys[%i] : memref<?xf32>
    loop.yield %x : f32
  }
  loop.argsort %out[0] first 3 of "n" : memref<?xi64> key (%j) {
    %y = loop.load %keys[%j] : memref<?xf32>
    loop.yield %y : f32
  }
  loop.argsort %out[0] first 3 of 7 : memref<?xi64> key (%k) {
    %z = loop.load %keys[%k] : memref<?xf32>
    loop.yield %z : f32
  }
}

// Indices in a row are compared in vectors of more than two; those that lie apart are not.
//
// CHECK-LABEL: loop.kernel @checks
// SSE:           loop.check_index %i[20] below 7 : memref<?xi32>
// AVX2:          loop.check_index %i[20] below 7 lanes 4 unroll 4 : memref<?xi32>
// CHECK:         loop.check_index %i[20 from 0 by 2] below 7 : memref<?xi32>
loop.kernel @checks(%i: memref<?xi32>) {
  loop.check_index %i[20] below 7 : memref<?xi32>
  loop.check_index %i[20 from 0 by 2] below 7 : memref<?xi32>
}

// -----

// A kernel that only moves vectors leaves nothing to LLVM's passes, where vectors have
// masks: a loop of two vectors is written out here. One that computes takes all passes, as
// does one whose elements do not lie side by side.
//
// CHECK-LABEL: loop.kernel @moves
// AVX2-SAME:     {few_passes}
// AVX2:            loop.for parallel %{{.*}} to 16 lanes 8 vectors 2 {
// AVX2:            loop.for parallel %{{.*}} to 44 lanes 8 vectors 4 masked {
// CHECK-LABEL: loop.kernel @computes
// CHECK-NOT:     few_passes
// CHECK:           loop.for parallel %{{.*}} to 16 lanes 8 {
// CHECK-LABEL: loop.kernel @strides
// CHECK-NOT:     few_passes
// CHECK:           loop.for parallel %{{.*}} to 16 lanes 8 {
loop.kernel @moves(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 100 {
    loop.for parallel %j to 16 lanes 8 {
      %x = loop.load %a[%i * 16 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 60 + %j] : memref<?xf32>
      loop.yield
    }
    loop.for parallel %k to 44 lanes 8 vectors 4 {
      %x = arith.constant 0.0 : f32
      loop.store %x, %b[%i * 60 + %k + 16] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @computes(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %j to 16 lanes 8 {
    %x = loop.load %a[%j] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    loop.store %y, %b[%j] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @strides(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %j to 16 lanes 8 {
    %x = loop.load %a[%j * 16] : memref<?xf32>
    loop.store %x, %b[%j] : memref<?xf32>
    loop.yield
  }
}

// -----

// Of a window of more k than are all written out, the innermost are, which rows share.
//
// CHECK-LABEL: loop.kernel @sliding_window
// CHECK:         loop.tile {{.*}} by 14, 16, 16 slides unroll 5 k_loop
// CHECK:         loop.tile {{.*}} by 6, 64, 16 k_loop
loop.kernel @sliding_window(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 56, %j to 96, reduce %k to 5, reduce %l to 5 from %zero : f32 by 14, 16, 16 slides k_loop (%sum) {
    %a = loop.load %x[%i * 96 + %j + %k * 5568 + %l * 96] : memref<?xf32>
    %b = loop.load %w[%k * 480 + %l * 96 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xf32>
    loop.yield
  }
  loop.tile %i to 56, %j to 96, reduce %k to 5, reduce %l to 5 from %zero : f32 by 6, 64, 16 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}
