// RUN: sr-opt %s -p share-kernels --split-input-file | filecheck %s

// Numbers that differ become symbols. Those in one ratio share a symbol, and keep their
// greatest common divisor: so a loop knows that it is whole vectors. What is equal in all
// stays, as do small numbers.
//
// CHECK-LABEL: loop.kernel @scale_0
// CHECK-SAME:    symbols ["n0"] attributes {work = "15360 * n0"} {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 100 split {
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to "96 * n0" lanes 8 {
// CHECK-NEXT:        %[[X:.*]] = loop.load %{{.*}}[%[[I]] * "96 * n0" + %[[J]] + 5]
// CHECK-NEXT:        loop.store %[[X]], %{{.*}}[%[[I]] * "192 * n0" + %[[J]] + "96 * n0"]
// CHECK-NOT:   loop.kernel
// CHECK:       loop.program
// CHECK:         loop.call @scale_0(%{{.*}}) symbols ["2"] {source = "first"}
// CHECK-NEXT:    loop.call @scale_0(%{{.*}}) symbols ["3"] {source = "second"}
loop.kernel @scale_0(%a: memref<?xf32>, %b: memref<?xf32>) attributes {work = "30720"} {
  loop.for parallel %i to 100 split {
    loop.for parallel %j to 192 lanes 8 {
      %x = loop.load %a[%i * 192 + %j + 5] : memref<?xf32>
      loop.store %x, %b[%i * 384 + %j + 192] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @scale_1(%a: memref<?xf32>, %b: memref<?xf32>) attributes {work = "46080"} {
  loop.for parallel %i to 100 split {
    loop.for parallel %j to 288 lanes 8 {
      %x = loop.load %a[%i * 288 + %j + 5] : memref<?xf32>
      loop.store %x, %b[%i * 576 + %j + 288] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.program @main
    inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view outputs 0 : memref<?xf32>
  loop.call @scale_0(%0, %1) symbols [] {source = "first"} : memref<?xf32>, memref<?xf32>
  loop.call @scale_1(%0, %1) symbols [] {source = "second"} : memref<?xf32>, memref<?xf32>
}

// -----

// A kernel of open sizes takes the numbers after its own symbols, by names that it has not.
//
// CHECK-LABEL: loop.kernel @open_0
// CHECK-SAME:    symbols ["n0", "n1"] {
// CHECK-NEXT:    loop.for parallel %{{.*}} to "n0" {
// CHECK-NEXT:      loop.for parallel %{{.*}} to "100 * n1" {
loop.kernel @open_0(%a: memref<?xf32>) symbols ["n0"] {
  loop.for parallel %i to "n0" {
    loop.for parallel %j to 100 {
      %x = arith.constant 0.0 : f32
      loop.store %x, %a[%j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @open_1(%a: memref<?xf32>) symbols ["n0"] {
  loop.for parallel %i to "n0" {
    loop.for parallel %j to 200 {
      %x = arith.constant 0.0 : f32
      loop.store %x, %a[%j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// -----

// A short innermost loop, which is unrolled, a window, and a loop that leaves a rest of
// its vectors stay apart.
//
// CHECK:         loop.kernel @short_0
// CHECK:         loop.kernel @short_1
// CHECK:         loop.kernel @window_0
// CHECK:         loop.kernel @window_1
// CHECK:         loop.kernel @rest_0
// CHECK:         loop.kernel @rest_1
loop.kernel @short_0(%a: memref<?xf32>) {
  loop.for parallel %i to 32 lanes 8 {
    %x = arith.constant 0.0 : f32
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @short_1(%a: memref<?xf32>) {
  loop.for parallel %i to 64 lanes 8 {
    %x = arith.constant 0.0 : f32
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @window_0(%a: memref<?xf32>) {
  loop.for parallel %i to 1000 lanes 8 {
    %x = arith.constant 0.0 : f32
    loop.store %x, %a[%i * 2] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @window_1(%a: memref<?xf32>) {
  loop.for parallel %i to 2000 lanes 8 {
    %x = arith.constant 0.0 : f32
    loop.store %x, %a[%i * 3] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @rest_0(%a: memref<?xf32>) {
  loop.for parallel %i to 1001 lanes 8 {
    %x = arith.constant 0.0 : f32
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @rest_1(%a: memref<?xf32>) {
  loop.for parallel %i to 2001 lanes 8 {
    %x = arith.constant 0.0 : f32
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// Contractions that pack nothing share a kernel where each has one block of k and of
// columns, and take the fewest rows of any in a block.
//
// CHECK-LABEL: loop.kernel @product_0
// CHECK-SAME:    symbols ["n0"] {
// CHECK:         loop.tile %{{.*}} to 1000, %{{.*}} to 32, reduce %{{.*}} to "32 * n0"
// CHECK-SAME:      <nr = 32, mc = 60, nc = 0, kc = 0 of 0>
// CHECK-NOT:     @product_1
loop.kernel @product_0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 64 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 64 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 64 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 2048] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @product_1(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 96 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 60, nc = 32, kc = 96 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 96 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 3072] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// Small products stay apart.
//
// CHECK:         loop.kernel @little_0
// CHECK:         loop.kernel @little_1
loop.kernel @little_0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 100, %j to 32, reduce %k to 64 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 64 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 64 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 2048] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @little_1(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 100, %j to 32, reduce %k to 96 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 60, nc = 32, kc = 96 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 96 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 3072] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// What is packed has a known size, so that other sizes are another kernel.
//
// CHECK:         loop.kernel @packed_0
// CHECK:         loop.kernel @packed_1
loop.kernel @packed_0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 64 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 64 of 0, pack = "a"> k_loop (%sum) {
    %x = loop.load %a[%i * 64 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 2048] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @packed_1(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 96 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 96 of 0, pack = "a"> k_loop (%sum) {
    %x = loop.load %a[%i * 96 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 3072] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// The factors of open sizes are numbers too: all that are not small.
//
// CHECK-LABEL: loop.kernel @factors_0
// CHECK-SAME:    symbols ["h", "w", "n0"] attributes {work = "64 * h * n0 * w + 128 * h * n0"} {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to "h" {
// CHECK-NEXT:      loop.for parallel %{{.*}} to "64 * n0 * w + 128 * n0" lanes 8 {
// CHECK-NEXT:        loop.load %{{.*}}[%[[I]] * "64 * n0 * w + 128 * n0" + %{{.*}} + "2 * w"]
// CHECK-NOT:   loop.kernel
// CHECK:         loop.call @factors_0(%{{.*}}) symbols ["a", "b", "2"]
// CHECK-NEXT:    loop.call @factors_0(%{{.*}}) symbols ["b", "a", "3"]
loop.kernel @factors_0(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["h", "w"] attributes {work = "128 * h * w + 256 * h"} {
  loop.for parallel %i to "h" {
    loop.for parallel %j to "128 * w + 256" lanes 8 {
      %x = loop.load %a[%i * "128 * w + 256" + %j + "2 * w"] : memref<?xf32>
      loop.store %x, %b[%i * "128 * w + 256" + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @factors_1(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["h", "w"] attributes {work = "192 * h * w + 384 * h"} {
  loop.for parallel %i to "h" {
    loop.for parallel %j to "192 * w + 384" lanes 8 {
      %x = loop.load %a[%i * "192 * w + 384" + %j + "2 * w"] : memref<?xf32>
      loop.store %x, %b[%i * "192 * w + 384" + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?x?xf32, ["a", "b"]>>] outputs [#loop.tensor<"y" : tensor<?xf32, ["a"]>>]
    symbols [#loop.symbol<"a" from 1 to 99>, #loop.symbol<"b" from 1 to 99>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view outputs 0 : memref<?xf32>
  loop.call @factors_0(%0, %1) symbols ["a", "b"] {source = "first"} : memref<?xf32>, memref<?xf32>
  loop.call @factors_1(%0, %1) symbols ["b", "a"] {source = "second"} : memref<?xf32>, memref<?xf32>
}

// -----

// So do those whose k are several blocks, however many and whether or not the last one
// is smaller: the size of a block is a symbol too. Blocks that are not whole steps of the
// unrolled k-loop stay apart.
//
// CHECK-LABEL: loop.kernel @halves_0
// CHECK-SAME:    symbols ["n0", "n1"] {
// CHECK:         loop.tile %{{.*}} to 1000, %{{.*}} to 32, reduce %{{.*}} to "32 * n0"
// CHECK-SAME:      <nr = 32, mc = 96, nc = 0, kc = 0 of 0, block = "16 * n1">
// CHECK-NOT:     @halves_1
// CHECK:         loop.kernel @halves_2
// CHECK:           reduce %{{.*}} to 700
// CHECK-NOT:     @halves_3
loop.kernel @halves_0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 640 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 320 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 640 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 20480] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @halves_1(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 992 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 496 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 992 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 31744] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @halves_2(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 700 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 350 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 700 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 22400] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @halves_3(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1000, %j to 32, reduce %k to 800 from %zero : f32 by 12, 32, 16
      as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 416 of 0> k_loop (%sum) {
    %x = loop.load %a[%i * 800 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 32 + %j blocked 32 * 25600] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 32 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// Whether sums of two products fit into 16 bits is part of the schedule: kernels that
// differ in it stay apart, and one that is shared says it still.
//
// CHECK:         loop.kernel @fits_0
// CHECK-SAME:      symbols ["n0"]
// CHECK:             #loop.schedule<nr = 16, mc = 48, nc = 16, kc = 1 of 0, pack = "a", pairs = true>
// CHECK-NOT:     loop.kernel @fits_1
// CHECK:         loop.kernel @differs
// CHECK:             #loop.schedule<nr = 16, mc = 48, nc = 16, kc = 1 of 0, pack = "a">
loop.kernel @fits_0(%a: memref<?xui8>, %b: memref<?xsi8>, %c: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  loop.tile %i to 10000, %j to 16, reduce %h to 1, reduce %k to 64 from %zero : i32 by 6, 16, 8
      as #loop.schedule<nr = 16, mc = 48, nc = 16, kc = 1 of 0, pack = "a", pairs = true> k_loop (%sum) {
    %x = loop.load %a[%i * 640 + %h + %k] : memref<?xui8>
    %y = loop.load %b[%h + %k blocked 4 * 64 + %j blocked 16 by 4 * 1024] : memref<?xsi8>
    %product = arith.muli %x, %y : i32
    %next = arith.addi %sum, %product : i32
    loop.yield %next : i32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 16 + %column] : memref<?xi32>
    loop.yield
  }
}
loop.kernel @fits_1(%a: memref<?xui8>, %b: memref<?xsi8>, %c: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  loop.tile %i to 10000, %j to 16, reduce %h to 1, reduce %k to 64 from %zero : i32 by 6, 16, 8
      as #loop.schedule<nr = 16, mc = 48, nc = 16, kc = 1 of 0, pack = "a", pairs = true> k_loop (%sum) {
    %x = loop.load %a[%i * 1280 + %h + %k] : memref<?xui8>
    %y = loop.load %b[%h + %k blocked 4 * 64 + %j blocked 16 by 4 * 1024] : memref<?xsi8>
    %product = arith.muli %x, %y : i32
    %next = arith.addi %sum, %product : i32
    loop.yield %next : i32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 16 + %column] : memref<?xi32>
    loop.yield
  }
}
loop.kernel @differs(%a: memref<?xui8>, %b: memref<?xsi8>, %c: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  loop.tile %i to 10000, %j to 16, reduce %h to 1, reduce %k to 64 from %zero : i32 by 6, 16, 8
      as #loop.schedule<nr = 16, mc = 48, nc = 16, kc = 1 of 0, pack = "a"> k_loop (%sum) {
    %x = loop.load %a[%i * 960 + %h + %k] : memref<?xui8>
    %y = loop.load %b[%h + %k blocked 4 * 64 + %j blocked 16 by 4 * 1024] : memref<?xsi8>
    %product = arith.muli %x, %y : i32
    %next = arith.addi %sum, %product : i32
    loop.yield %next : i32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 16 + %column] : memref<?xi32>
    loop.yield
  }
}

// -----

// Products of a stack with constants keep their k, by which rows are at known distances.
//
// CHECK:         loop.kernel @stack_0
// CHECK:         loop.kernel @stack_1
loop.kernel @stack_0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %s to 16 {
    %zero = arith.constant 0.0 : f32
    loop.tile %i to 1000, %j to 32, reduce %k to 64 from %zero : f32 by 12, 32, 16
        as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 64 of 0> k_loop (%sum) {
      %x = loop.load %a[%s * 64000 + %i * 64 + %k] : memref<?xf32>
      %y = loop.load %b[%s * 2048 + %k * 32 + %j blocked 32 * 32768] : memref<?xf32>
      %next = math.fma %x, %y, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %c[%s * 32000 + %row * 32 + %column] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @stack_1(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %s to 16 {
    %zero = arith.constant 0.0 : f32
    loop.tile %i to 1000, %j to 32, reduce %k to 96 from %zero : f32 by 12, 32, 16
        as #loop.schedule<nr = 32, mc = 96, nc = 32, kc = 96 of 0> k_loop (%sum) {
      %x = loop.load %a[%s * 96000 + %i * 96 + %k] : memref<?xf32>
      %y = loop.load %b[%s * 3072 + %k * 32 + %j blocked 32 * 49152] : memref<?xf32>
      %next = math.fma %x, %y, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %c[%s * 32000 + %row * 32 + %column] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
