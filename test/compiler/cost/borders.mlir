// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},size-tiles' --split-input-file | filecheck %s

// Tiles of whole lines leave out what each row sees of a border. Where registers do not hold
// a line, they reach over lines.
//
// CHECK-LABEL: loop.kernel @lines
// CHECK:         loop.tile {{.*}} by 7, 32, 16 as
loop.kernel @lines(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 49, %j to 64, reduce %k to 3, reduce %l to 192 from %zero : f32 k_loop (%sum) {
    loop.zero_outside [%k + %i blocked 7 by 0 * 1] from 1 to 8
    loop.zero_outside [%l blocked 64 by 0 * 1 + %i blocked 7 * 0] from 1 to 8
    %a = loop.load %x[%k * 576 + %l + %i blocked 7 by 64 * 576] : memref<?xf32>
    %b = loop.load %w[%k * 6144 + %l * 32 + %j blocked 32 * 18432] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// Under windows that are spread far, tiles of parts of a line leave out whole taps.
//
// CHECK-LABEL: loop.kernel @parts
// CHECK:         loop.tile {{.*}} by 4, 32, 16 as
loop.kernel @parts(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 784, %j to 64, reduce %k to 3, reduce %l to 3, reduce %m to 64 from %zero : f32 k_loop (%sum) {
    loop.zero_outside [%k * 24 + %i blocked 28 by 0 * 1] from 24 to 52
    loop.zero_outside [%l * 24 + %i blocked 28 * 0] from 24 to 52
    %a = loop.load %x[%k * 116736 + %l * 1536 + %m + %i blocked 28 by 64 * 4864] : memref<?xf32>
    %b = loop.load %w[%k * 6144 + %l * 2048 + %m * 32 + %j blocked 32 * 18432] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// Of images of two places a tile has several lines, as without a border: accumulators of one
// would wait for each other.
//
// CHECK-LABEL: loop.kernel @short
// CHECK:         loop.tile {{.*}} by 4, 64, 16 as
loop.kernel @short(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 64, reduce %k to 3, reduce %l to 192 from %zero : f32 k_loop (%sum) {
    loop.zero_outside [%k + %i blocked 2 by 0 * 1] from 1 to 3
    loop.zero_outside [%l blocked 64 by 0 * 1 + %i blocked 2 * 0] from 1 to 3
    %a = loop.load %x[%k * 256 + %l + %i blocked 2 by 64 * 256] : memref<?xf32>
    %b = loop.load %w[%k * 6144 + %l * 32 + %j blocked 32 * 18432] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}
