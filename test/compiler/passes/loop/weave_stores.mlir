// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},weave-stores' | filecheck %s
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},weave-stores,vectorize-loops' | filecheck %s --check-prefix=LANES

// Two loops store what the other leaves out: the real and the imaginary parts of numbers.
//
// CHECK-LABEL: loop.kernel @parts
// CHECK:         loop.for parallel %i to 64 {
// CHECK-NEXT:      %x = loop.load %a[%i]
// CHECK-NEXT:      loop.store %x, %c[%i * 2]
// CHECK-NEXT:      %y = loop.load %b[%i]
// CHECK-NEXT:      loop.store %y, %c[%i * 2 + 1]
// CHECK-NEXT:      loop.yield
// CHECK-NOT:     loop.for
// LANES-LABEL: loop.kernel @parts
// LANES:         loop.for parallel %i to 64 lanes 8 vectors 4 {
loop.kernel @parts(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %c[%i * 2] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 64 {
    %y = loop.load %b[%j] : memref<?xf32>
    loop.store %y, %c[%j * 2 + 1] : memref<?xf32>
    loop.yield
  }
}

// Loops of an open size are joined, too, and all loops of a nest.
//
// CHECK-LABEL: loop.kernel @nests
// CHECK:         loop.for parallel %i to "n" {
// CHECK-NEXT:      loop.for parallel %j to 8 {
// CHECK:             loop.store %x, %c[%i * 24 + %j * 3 + 1]
// CHECK:             loop.store %y, %c[%i * 24 + %j * 3]
// CHECK:             loop.store %z, %c[%i * 24 + %j * 3 + 2]
// CHECK-NOT:     loop.for
loop.kernel @nests(%a: memref<?xf32>, %c: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    loop.for parallel %j to 8 {
      %x = loop.load %a[%i * 8 + %j] : memref<?xf32>
      loop.store %x, %c[%i * 24 + %j * 3 + 1] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
  loop.for parallel %k to "n" {
    loop.for parallel %l to 8 {
      %y = loop.load %a[%k * 8 + %l + 1] : memref<?xf32>
      loop.store %y, %c[%k * 24 + %l * 3] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
  loop.for parallel %m to "n" {
    loop.for parallel %o to 8 {
      %z = loop.load %a[%m * 8 + %o + 2] : memref<?xf32>
      loop.store %z, %c[%m * 24 + %o * 3 + 2] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// What one of two loops stores, the other may load: they stay where memory may be shared.
//
// CHECK-LABEL: loop.kernel @shared
// CHECK-COUNT-2: loop.for
loop.kernel @shared(%a: memref<?xf32>, %c: memref<?xf32>) attributes {may_share = array<i64: 0>} {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %c[%i * 2] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 64 {
    %y = loop.load %a[%j + 64] : memref<?xf32>
    loop.store %y, %c[%j * 2 + 1] : memref<?xf32>
    loop.yield
  }
}

// The second of these reads what the first stores.
//
// CHECK-LABEL: loop.kernel @read_again
// CHECK-COUNT-2: loop.for
loop.kernel @read_again(%a: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %c[%i * 2] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 64 {
    %y = loop.load %c[%j * -2 + 126] : memref<?xf32>
    loop.store %y, %c[%j * 2 + 1] : memref<?xf32>
    loop.yield
  }
}

// Loops of other sizes, and stores that leave elements out, stay.
//
// CHECK-LABEL: loop.kernel @others
// CHECK-COUNT-4: loop.for
loop.kernel @others(%a: memref<?xf32>, %c: memref<?xf32>, %d: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %c[%i * 2] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 63 {
    %y = loop.load %a[%j] : memref<?xf32>
    loop.store %y, %c[%j * 2 + 1] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %k to 64 {
    %z = loop.load %a[%k] : memref<?xf32>
    loop.store %z, %d[%k * 3] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %l to 64 {
    %w = loop.load %a[%l] : memref<?xf32>
    loop.store %w, %d[%l * 3 + 1] : memref<?xf32>
    loop.yield
  }
}

// A row whose elements are repeated: what is read lies along the loop around.
//
// CHECK-LABEL: loop.kernel @repeated
// CHECK:         loop.for parallel %i to 56 {
// CHECK-NEXT:      %0 = loop.load %a[%i]
// CHECK-NEXT:      loop.store %0, %b[%i * 2]
// CHECK-NEXT:      %1 = loop.load %a[%i]
// CHECK-NEXT:      loop.store %1, %b[%i * 2 + 1]
// CHECK-NEXT:      loop.yield
// LANES-LABEL: loop.kernel @repeated
// LANES:         loop.for parallel %i to 56 lanes 8 vectors 4 {
loop.kernel @repeated(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 56 {
    loop.for parallel %j to 2 {
      %x = loop.load %a[%i] : memref<?xf32>
      loop.store %x, %b[%i * 2 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Elements that are read side by side by the short loop are moved by it.
//
// CHECK-LABEL: loop.kernel @columns
// CHECK-COUNT-2: loop.for
loop.kernel @columns(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 56 {
    loop.for parallel %j to 4 {
      %x = loop.load %a[%i * 100 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 4 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Loops that read the same are joined, wherever they store: each element is loaded once.
//
// CHECK-LABEL: loop.kernel @halves
// CHECK:         loop.for parallel %i to 32 {
// CHECK-NEXT:      %x = loop.load %a[%i + 32]
// CHECK-NEXT:      loop.store %x, %c[%i]
// CHECK-NEXT:      %y = loop.load %a[%i]
// CHECK-NEXT:      loop.store %y, %c[%i + 32]
// CHECK-NOT:     loop.for
loop.kernel @halves(%a: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 32 {
    %x = loop.load %a[%i + 32] : memref<?xf32>
    loop.store %x, %c[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 32 {
    %y = loop.load %a[%j] : memref<?xf32>
    loop.store %y, %c[%j + 32] : memref<?xf32>
    loop.yield
  }
}

// Others stay: they read other memory, or have only a number in common.
//
// CHECK-LABEL: loop.kernel @apart
// CHECK-COUNT-3: loop.for
loop.kernel @apart(%a: memref<?xf32>, %b: memref<?xf32>, %s: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 32 {
    %x = loop.load %a[%i] : memref<?xf32>
    %t = loop.load %s[0] : memref<?xf32>
    %0 = arith.mulf %x, %t : f32
    loop.store %0, %c[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 32 {
    %y = loop.load %b[%j] : memref<?xf32>
    %u = loop.load %s[0] : memref<?xf32>
    %1 = arith.mulf %y, %u : f32
    loop.store %1, %c[%j + 32] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %k to 16 {
    %z = loop.load %b[%k] : memref<?xf32>
    loop.store %z, %c[%k + 64] : memref<?xf32>
    loop.yield
  }
}
