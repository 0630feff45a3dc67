// RUN: sr-opt %s -p 'set-target{cpu=x86-64},size-tiles' | filecheck %s --check-prefixes=CHECK,SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX512

// A matrix times a vector: columns are apart, and squares are transposed. Where both factors are
// apart there are halves of two. Of less than four k nothing is.
//
// CHECK-LABEL: loop.kernel @matrix_and_vector
// SSE:           : f32 by 1, 4, 4 transposed 4 k_loop
// AVX2:          : f32 by 1, 8, 8 transposed 8 k_loop
// AVX512:        : f32 by 1, 16, 16 transposed 16 k_loop
// AVX512:        : f32 by 1, 16, 16 transposed 8 k_loop
// AVX512:        : f32 by 1, 64, 16 k_loop
loop.kernel @matrix_and_vector(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) symbols ["k"] {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 256, reduce %k to "k" from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%j * "k" + %k] : memref<?xf32>
    %b = loop.load %w[%k] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%column] : memref<?xf32>
    loop.yield
  }
  loop.tile %i to 1, %j to 256, reduce %k to 100 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%j * 100 + %k] : memref<?xf32>
    %b = loop.load %w[%j * 100 + %k] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%column] : memref<?xf32>
    loop.yield
  }
  loop.tile %i to 1, %j to 256, reduce %k to 3 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%j * 3 + %k] : memref<?xf32>
    %b = loop.load %w[%k] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%column] : memref<?xf32>
    loop.yield
  }
}

// One row beside the keys of each head: with vectors of 512 bits squares are read in place, with
// shorter ones they are packed.
//
// CHECK-LABEL: loop.kernel @scores
// SSE:           pack = "b"
// AVX2:          pack = "b"
// AVX512:        : f32 by 1, 16, 16 transposed 16 k_loop
loop.kernel @scores(%q: memref<?xf32>, %k: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %h to 12 {
    loop.tile %i to 1, %j to 256, reduce %d to 64 from %zero : f32 k_loop (%sum) {
      %a = loop.load %q[%h * 64 + %d] : memref<?xf32>
      %b = loop.load %k[%h * 16384 + %j * 64 + %d] : memref<?xf32>
      %next = math.fma %a, %b, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %y[%h * 256 + %column] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
