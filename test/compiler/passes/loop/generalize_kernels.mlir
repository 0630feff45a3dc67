// RUN: sr-opt %s -p generalize-kernels --split-input-file | filecheck %s

// Each size is a symbol of its own, whether it is a number or has symbols; a call gives
// it a value. The structure alone says what a kernel is called, so both are one.
//
// CHECK:       loop.kernel @scale_[[H:[0-9a-f]+]](%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>)
// CHECK-SAME:    symbols ["n0", "n1", "n2", "n3", "n4"] {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to "n0" {
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to "n1" {
// CHECK-NEXT:        %[[X:.*]] = loop.load %{{.*}}[%[[I]] * "n2" + %[[J]]]
// CHECK-NEXT:        loop.store %[[X]], %{{.*}}[%[[I]] * "n3" + %[[J]] * 2 + "n4"]
// CHECK-NOT:   loop.kernel
// CHECK:       loop.call @scale_[[H]](%{{.*}}) symbols ["100", "192", "192", "384", "7"] :
// CHECK-NEXT:  loop.call @scale_[[H]](%{{.*}}) symbols ["b", "3 * b + 1", "3 * b + 1", "6", "6"] :
loop.kernel @scale_0(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 100 {
    loop.for parallel %j to 192 {
      %x = loop.load %a[%i * 192 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 384 + %j * 2 + 7] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @double_1(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["s0", "s1"] {
  loop.for parallel %i to "s0" {
    loop.for parallel %j to "s1" {
      %x = loop.load %a[%i * "s1" + %j] : memref<?xf32>
      loop.store %x, %b[%i * 6 + %j * 2 + 6] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?x4xf32, ["b"]>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    symbols [#loop.symbol<"b">] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view outputs 0 : memref<?xf32>
  loop.call @scale_0(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call @double_1(%0, %1) symbols ["b", "3 * b + 1"] : memref<?xf32>, memref<?xf32>
}

// -----

// Windows and the width of a panel decide how code is written, and stay; that of an image
// does not.
//
// CHECK-LABEL: loop.kernel @conv_
// CHECK:         loop.tile %[[I:.*]] to "n0", %[[J:.*]] to "n1", reduce %[[W:.*]] to 3, reduce %[[K:.*]] to "n2"
// CHECK-NEXT:      loop.load %{{.*}}[%[[W]] * "n3" + %[[K]] + %[[I]] blocked "n5" by "n6" * "n4"]
// CHECK-NEXT:      loop.load %{{.*}}[%[[W]] * "n7" + %[[K]] * 32 + %[[J]] blocked 32 * "n8"]
// CHECK:         loop.store %{{.*}}, %{{.*}}[%{{.*}} * "n9" + %{{.*}}]
loop.kernel @conv_0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.000000e+00 : f32
  loop.tile %i to 64, %j to 32, reduce %w to 3, reduce %k to 48 from %zero : f32 k_loop (%s) {
    %x = loop.load %a[%w * 160 + %k + %i blocked 8 by 16 * 160] : memref<?xf32>
    %y = loop.load %b[%w * 1536 + %k * 32 + %j blocked 32 * 4608] : memref<?xf32>
    %z = math.fma %x, %y, %s : f32
    loop.yield %z : f32
  } epilogue (%p, %q, %r) {
    loop.store %r, %c[%p * 32 + %q] : memref<?xf32>
    loop.yield
  }
}
loop.program @main
    inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view outputs 0 : memref<?xf32>
  loop.call @conv_0(%0, %0, %1) symbols [] : memref<?xf32>, memref<?xf32>, memref<?xf32>
}

// -----

// So does the least size of all, and the window of a sum; an index is checked against
// sizes that a call gives.
//
// CHECK-LABEL: loop.kernel @take_
// CHECK:         loop.check_index %{{.*}}["n0"] below "n1"
// CHECK:         loop.for parallel %{{.*}} to "n2" {
// CHECK:           loop.for reduce(add) %{{.*}} to 3
loop.kernel @take_0(%i: memref<?xi64>, %a: memref<?xf32>, %b: memref<?xf32>) symbols ["s0"] {
  loop.check_index %i[12] below "s0" : memref<?xi64>
  loop.for parallel %j to 12 {
    %zero = arith.constant 0.000000e+00 : f32
    %sum = loop.for reduce(add) %w to 3 (%s = %zero : f32) {
      %x = loop.load %a[%j + %w] : memref<?xf32>
      %t = arith.addf %s, %x : f32
      loop.yield %t : f32
    }
    loop.store %sum, %b[%j] : memref<?xf32>
    loop.yield
  }
}

// -----

// How many elements a row has, and how many of them come first, are sizes of a call too.
//
// CHECK-LABEL: loop.kernel @argsort_
// CHECK:         loop.for parallel %[[I:.*]] to "n0" {
// CHECK-NEXT:      loop.argsort %{{.*}}[%[[I]] * "n3"] first "n2" of "n1" descending : memref<?xi64> key (%[[K:.*]]) {
// CHECK-NEXT:        loop.load %{{.*}}[%[[I]] * "n4" + %[[K]]]
loop.kernel @argsort_0(%x: memref<?xf32>, %y: memref<?xi64>) {
  loop.for parallel %i to 64 {
    loop.argsort %y[%i * 7] first 7 of 200 descending : memref<?xi64> key (%k) {
      %a = loop.load %x[%i * 200 + %k] : memref<?xf32>
      loop.yield %a : f32
    }
    loop.yield
  }
}
