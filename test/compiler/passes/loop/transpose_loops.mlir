// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},vectorize-loops,transpose-loops' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},vectorize-loops,transpose-loops' | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: not sr-opt %s -p transpose-loops 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// What the lanes along %j read apart lies along %i.
//
// CHECK-LABEL: loop.kernel @transpose
// AVX2:          loop.for parallel %i to 64 transposed 8 {
// AVX2-NEXT:       loop.for parallel %j to 128 lanes 8 {
// AVX512:        loop.for parallel %i to 64 transposed 16 {
// AVX512-NEXT:     loop.for parallel %j to 128 lanes 16 {
loop.kernel @transpose(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      loop.store %x, %b[%i * 128 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// A loop between the two goes around both.
//
// CHECK-LABEL: loop.kernel @reverse
// CHECK-NEXT:    loop.for parallel %k to 100 {
// AVX2-NEXT:       loop.for parallel %i to "n" transposed 8 {
// AVX2-NEXT:         loop.for parallel %j to 128 lanes 8 {
// AVX2-NEXT:            loop.load
loop.kernel @reverse(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    loop.for parallel %k to 100 {
      loop.for parallel %j to 128 {
        %x = loop.load %a[%j * "100 * n" + %k * "n" + %i] : memref<?xf32>
        loop.store %x, %b[%i * 12800 + %k * 128 + %j] : memref<?xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
}

// A square has no more lanes than there are bodies, and no more than half of the
// registers, of which there are 16 or 32.
//
// CHECK-LABEL: loop.kernel @few
// CHECK:         loop.for parallel %i to 7 transposed 4 {
// CHECK-NEXT:      loop.for parallel %j to 128 lanes 4 {
loop.kernel @few(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 7 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 7 + %i] : memref<?xf32>
      loop.store %x, %b[%i * 128 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// CHECK-LABEL: loop.kernel @bytes
// AVX2:          loop.for parallel %i to 64 transposed 8 {
// AVX512:        loop.for parallel %i to 64 transposed 16 {
loop.kernel @bytes(%a: memref<?xsi8>, %b: memref<?xsi8>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 64 + %i] : memref<?xsi8>
      loop.store %x, %b[%i * 128 + %j] : memref<?xsi8>
      loop.yield
    }
    loop.yield
  }
}

// Three bodies are too few.
//
// CHECK-LABEL: loop.kernel @three
// CHECK-NOT:     transposed
loop.kernel @three(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 3 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 3 + %i] : memref<?xf32>
      loop.store %x, %b[%i * 128 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Here no loop goes from an element to the one beside it.
//
// CHECK-LABEL: loop.kernel @apart
// CHECK-NOT:     transposed
loop.kernel @apart(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 128 + %i * 2] : memref<?xf32>
      loop.store %x, %b[%i * 128 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// A body that computes much, or a sum, stays as it is.
//
// CHECK-LABEL: loop.kernel @much
// CHECK-NOT:     transposed
loop.kernel @much(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      %y = math.exp %x : f32
      loop.store %y, %b[%i * 128 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// CHECK-LABEL: loop.kernel @sum
// CHECK-NOT:     transposed
loop.kernel @sum(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %j to 128 {
    %sum = loop.for reduce(add) %i to 64 (%so_far = %zero : f32) {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%j] : memref<?xf32>
    loop.yield
  }
}
