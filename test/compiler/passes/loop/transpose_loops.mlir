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

// What is beside a loop, here an index that is looked up, stays outside of the loops
// that change places.
//
// CHECK-LABEL: loop.kernel @beside
// CHECK:         loop.for parallel %{{.*}} to 80 {
// CHECK-NEXT:      loop.load
// CHECK-NEXT:      loop.clamp_index
// AVX2-NEXT:       loop.for parallel %{{.*}} to 40 transposed 8 {
// AVX2-NEXT:         loop.for parallel %{{.*}} to 64 lanes 8 {
// AVX512-NEXT:     loop.for parallel %{{.*}} to 40 transposed 16 {
// AVX512-NEXT:       loop.for parallel %{{.*}} to 64 lanes 16 {
loop.kernel @beside(%index: memref<?xi64>, %a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 80 {
    %at = loop.load %index[%i] : memref<?xi64>
    %row = loop.clamp_index %at below 40 : i64
    loop.for parallel %j to 40 {
      loop.for parallel %k to 64 {
        %x = loop.load %a[%row * 2560 + %j * 64 + %k] : memref<?xf32>
        %y = loop.load %b[%i * 40 + %j + %k * 3200] : memref<?xf32>
        %z = arith.addf %x, %y : f32
        loop.store %z, %c[%i * 2560 + %j * 64 + %k] : memref<?xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
}
