// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},unroll-loops' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},unroll-loops' | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},unroll-loops' -t llvm | filecheck %s --check-prefix=LLVM

// Vectors of columns go down the rows together, as many as have registers for their sums;
// so fewer rows are written one after the other.
//
// CHECK-LABEL: loop.kernel @sums
// AVX2:          loop.for parallel %i to "n" lanes 8 vectors 4 masked {
// AVX512:        loop.for parallel %i to "n" lanes 8 vectors 8 masked {
// CHECK:           loop.for reduce(add) %k to 1000 partials 8 unroll 4 (
// LLVM-LABEL:  ; kernel @sums
// LLVM:          load <32 x float>
// LLVM:          fadd <32 x float>
// LLVM:          load <8 x float>
loop.kernel @sums(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to "n" lanes 8 {
    %sum = loop.for reduce(add) %k to 1000 partials 8 (%s = %zero : f32) {
      %x = loop.load %a[%i + %k * "n"] : memref<?xf32>
      %next = arith.addf %s, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Of a known number, as many as leave little for single vectors: 12 are three times four.
// What is computed for each element takes registers too.
//
// CHECK-LABEL: loop.kernel @known
// AVX2:          loop.for parallel %i to 100 lanes 8 vectors 2 masked {
// AVX512:        loop.for parallel %i to 100 lanes 8 vectors 4 masked {
// CHECK:         loop.for parallel %j to 100 lanes 8 vectors 4 masked {
loop.kernel @known(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 100 lanes 8 {
    %sum = loop.for reduce(add) %k to 1000 partials 8 (%s = %zero : f32) {
      %x = loop.load %a[%i + %k * 100] : memref<?xf32>
      %square = arith.mulf %x, %x : f32
      %next = arith.addf %s, %square : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 100 lanes 8 {
    %most = loop.for reduce(max) %l to 1000 (%t = %zero : f32) {
      %y = loop.load %a[%j + %l * 100] : memref<?xf32>
      %larger = arith.maximumf %t, %y : f32
      loop.yield %larger : f32
    }
    loop.store %most, %b[%j] : memref<?xf32>
    loop.yield
  }
}

// A loop that threads share keeps parts for them, and few rows are written out.
//
// CHECK-LABEL: loop.kernel @one_vector
// CHECK:         loop.for parallel %i to 56 lanes 8 split {
// CHECK:         loop.for parallel %j to 1024 lanes 8 {
// CHECK:         loop.for parallel %m to 1024 lanes 8 {
loop.kernel @one_vector(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 56 lanes 8 split {
    %0 = loop.for reduce(add) %k to 1000 partials 8 (%s = %zero : f32) {
      %x = loop.load %a[%i + %k * 56] : memref<?xf32>
      %next = arith.addf %s, %x : f32
      loop.yield %next : f32
    }
    loop.store %0, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 1024 lanes 8 {
    %1 = loop.for reduce(add) %l to 5 partials 8 (%t = %zero : f32) {
      %y = loop.load %a[%j + %l * 1024] : memref<?xf32>
      %next = arith.addf %t, %y : f32
      loop.yield %next : f32
    }
    loop.store %1, %b[%j] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %m to 1024 lanes 8 {
    %2 = loop.for reduce(add) %n to 1000 partials 8 (%u = %zero : f32) {
      %z = loop.load %a[%m * 1000 + %n] : memref<?xf32>
      %next = arith.addf %u, %z : f32
      loop.yield %next : f32
    }
    loop.store %2, %b[%m] : memref<?xf32>
    loop.yield
  }
}
