// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},unroll-loops' | filecheck %s
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},unroll-loops' -t llvm | filecheck %s --check-prefix=LLVM

// Of two sizes that vary one may be zero while the other is long: nothing is run then.
//
// CHECK-LABEL: loop.kernel @two_sizes
// CHECK-SAME:    attributes {leaves_if_idle}
// LLVM-LABEL:  ; kernel @two_sizes
// LLVM:          icmp eq i64 %symbol.n, 0
// LLVM:          ret void
// LLVM:          ret void
loop.kernel @two_sizes(%a: memref<?xf32>) symbols ["n", "m"] {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to "n" {
    loop.for parallel %j to "m" {
      loop.store %zero, %a[%i * "m" + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// So may a size beside a number of iterations that take more than seconds.
//
// CHECK-LABEL: loop.kernel @many_iterations
// CHECK-SAME:    attributes {leaves_if_idle}
loop.kernel @many_iterations(%a: memref<?xf32>) symbols ["n"] {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 17179869184 {
    loop.for parallel %j to "n" {
      loop.store %zero, %a[%i * "n" + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Fewer iterations take no time, and one size alone is zero only where its loop is.
//
// CHECK-LABEL: loop.kernel @few_iterations
// CHECK-NOT:     leaves_if_idle
// LLVM-LABEL:  ; kernel @few_iterations
// LLVM-NOT:      icmp eq i64 %symbol.n, 0
// LLVM:          ret void
loop.kernel @few_iterations(%a: memref<?xf32>) symbols ["n"] {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 1000 {
    loop.for parallel %j to "n" {
      loop.store %zero, %a[%i * "n" + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Where no size varies, nothing is checked when the kernel runs.
//
// CHECK-LABEL: loop.kernel @known_sizes
// CHECK-NOT:     leaves_if_idle
loop.kernel @known_sizes(%a: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 17179869184 {
    loop.for parallel %j to 0 {
      loop.store %zero, %a[%i] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
