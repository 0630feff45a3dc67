// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX512

// Where a window slides along the rows, 32 registers hold the accumulators of 15 rows and what
// those read again; 16 hold too little for it to pay in f32. With a stride of two fewer rows
// fit. Rows and k that are equally far apart need not be so by a known number.
//
// CHECK-LABEL: loop.kernel @window
// AVX2:          loop.tile {{.*}} : f32 by 6, 16, 8 k_loop
// AVX512:        loop.tile {{.*}} : f32 by 15, 16, 16 slides k_loop
// AVX512:        loop.tile {{.*}} : f32 by 10, 16, 16 slides k_loop
// AVX512:        loop.tile {{.*}} : f32 by 15, 16, 16 slides k_loop
loop.kernel @window(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) symbols ["c"] {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 56, %j to 96, reduce %k to 3, reduce %l to 3 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 96 + %j + %k * 5568 + %l * 96] : memref<?xf32>
    %b = loop.load %w[%k * 288 + %l * 96 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xf32>
    loop.yield
  }
  loop.tile %i to 56, %j to 96, reduce %k to 3, reduce %l to 3 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 192 + %j + %k * 11136 + %l * 96] : memref<?xf32>
    %b = loop.load %w[%k * 288 + %l * 96 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xf32>
    loop.yield
  }
  loop.tile %i to 56, %j to "c", reduce %k to 3, reduce %l to 3 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * "c" + %j + %k * "58 * c" + %l * "c"] : memref<?xf32>
    %b = loop.load %w[%k * "3 * c" + %l * "c" + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * "c" + %column] : memref<?xf32>
    loop.yield
  }
}

// Of elements that are widened registers hold what is made of them, and it pays with 16 too.
//
// CHECK-LABEL: loop.kernel @halves
// AVX2:          : f32 by 7, 8, 8 slides k_loop
// AVX512:        : f32 by 7, 32, 16 slides k_loop
loop.kernel @halves(%x: memref<?xbf16>, %w: memref<?xbf16>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 56, %j to 96, reduce %k to 3, reduce %l to 3 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 96 + %j + %k * 5568 + %l * 96] : memref<?xbf16>
    %wide = arith.extf %a : bf16 to f32
    %b = loop.load %w[%k * 288 + %l * 96 + %j] : memref<?xbf16>
    %factor = arith.extf %b : bf16 to f32
    %next = math.fma %wide, %factor, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xf32>
    loop.yield
  }
}

// Bytes are widened as they are loaded.
//
// CHECK-LABEL: loop.kernel @bytes
// AVX2:          : i32 by 7, 8, 8 slides k_loop
// AVX512:        : i32 by 15, 16, 16 slides k_loop
loop.kernel @bytes(%x: memref<?xui8>, %w: memref<?xsi8>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  loop.tile %i to 56, %j to 96, reduce %k to 3, reduce %l to 3 from %zero : i32 k_loop (%sum) {
    %a = loop.load %x[%i * 96 + %j + %k * 5568 + %l * 96] : memref<?xui8>
    %b = loop.load %w[%k * 288 + %l * 96 + %j] : memref<?xsi8>
    %product = arith.muli %a, %b : i32
    %next = arith.addi %sum, %product : i32
    loop.yield %next : i32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xi32>
    loop.yield
  }
}
