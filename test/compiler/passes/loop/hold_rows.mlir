// RUN: sr-opt %s -p hold-rows | filecheck %s

// Each element is loaded once, what the second loop keeps the third one takes, and each
// element is stored once; sums go from the first element to the last.
//
// CHECK-LABEL: loop.kernel @softmax
// CHECK-NEXT:    loop.for parallel %i to "n" lanes 8 {
// CHECK-NEXT:      %low = arith.constant
// CHECK-NEXT:      %[[X:.*]] = loop.load %a[%i * 2]
// CHECK-NEXT:      %[[M:.*]] = arith.maximumf %[[X]], %low
// CHECK-NEXT:      %[[Y:.*]] = loop.load %a[%i * 2 + 1]
// CHECK-NEXT:      %[[N:.*]] = arith.maximumf %[[Y]], %[[M]]
// CHECK-NEXT:      %zero = arith.constant
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[X]], %[[N]]
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[D]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %zero, %[[E]]
// CHECK-NEXT:      %[[F:.*]] = arith.subf %[[Y]], %[[N]]
// CHECK-NEXT:      %[[G:.*]] = math.exp %[[F]]
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[S]], %[[G]]
// CHECK-NEXT:      %[[P:.*]] = arith.divf %[[E]], %[[T]]
// CHECK-NEXT:      loop.store %[[P]], %c[%i * 2]
// CHECK-NEXT:      %[[Q:.*]] = arith.divf %[[G]], %[[T]]
// CHECK-NEXT:      loop.store %[[Q]], %c[%i * 2 + 1]
// CHECK-NEXT:      loop.yield
loop.kernel @softmax(%a: memref<?xf32>, %c: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" lanes 8 {
    %low = arith.constant 0xff800000 : f32
    %max = loop.for reduce(max) %j to 2 (%far = %low : f32) {
      %x = loop.load %a[%i * 2 + %j] : memref<?xf32>
      %m = arith.maximumf %x, %far : f32
      loop.yield %m : f32
    }
    %zero = arith.constant 0.0 : f32
    %sum = loop.for reduce(add) %k to 2 partials 8 (%so = %zero : f32) {
      %y = loop.load %a[%i * 2 + %k] : memref<?xf32>
      %d = arith.subf %y, %max : f32
      %e = math.exp %d : f32
      %s = arith.addf %so, %e : f32
      loop.store %e, %c[%i * 2 + %k] : memref<?xf32>
      loop.yield %s : f32
    }
    loop.for parallel %l to 2 {
      %z = loop.load %c[%i * 2 + %l] : memref<?xf32>
      %p = arith.divf %z, %sum : f32
      loop.store %p, %c[%i * 2 + %l] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Rows that are vectors, one loop alone, and rows of memory that is shared stay.
//
// CHECK-LABEL: loop.kernel @one_loop
// CHECK-COUNT-2: loop.for
loop.kernel @one_loop(%a: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 lanes 8 {
    loop.for parallel %j to 2 {
      %x = loop.load %a[%i * 2 + %j] : memref<?xf32>
      loop.store %x, %c[%i * 2 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// CHECK-LABEL: loop.kernel @shared
// CHECK-COUNT-3: loop.for
loop.kernel @shared(%a: memref<?xf32>, %c: memref<?xf32>) attributes {may_share = array<i64: 0>} {
  loop.for parallel %i to 64 lanes 8 {
    loop.for parallel %j to 2 {
      %x = loop.load %a[%i * 2 + %j] : memref<?xf32>
      loop.store %x, %c[%i * 2 + %j] : memref<?xf32>
      loop.yield
    }
    loop.for parallel %k to 2 {
      %y = loop.load %c[%i * 2 + %k] : memref<?xf32>
      loop.store %y, %c[%i * 2 + %k] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// What is stored is read elsewhere than where it is stored.
//
// CHECK-LABEL: loop.kernel @elsewhere
// CHECK-COUNT-3: loop.for
loop.kernel @elsewhere(%a: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 lanes 8 {
    loop.for parallel %j to 2 {
      %x = loop.load %a[%i * 2 + %j] : memref<?xf32>
      loop.store %x, %c[%i * 2 + %j] : memref<?xf32>
      loop.yield
    }
    loop.for parallel %k to 2 {
      %y = loop.load %c[%i * 2 + %k + 2] : memref<?xf32>
      loop.store %y, %c[%i * 2 + %k] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Sums of as many elements as there are partial results are added by halves.
//
// CHECK-LABEL: loop.kernel @partial
// CHECK-COUNT-3: loop.for
loop.kernel @partial(%a: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 lanes 4 {
    %zero = arith.constant 0.0 : f32
    %sum = loop.for reduce(add) %k to 4 partials 4 (%so = %zero : f32) {
      %y = loop.load %a[%i * 4 + %k] : memref<?xf32>
      %s = arith.addf %so, %y : f32
      loop.yield %s : f32
    }
    loop.for parallel %l to 4 {
      %z = loop.load %a[%i * 4 + %l] : memref<?xf32>
      %p = arith.divf %z, %sum : f32
      loop.store %p, %c[%i * 4 + %l] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// What rows are combined to is stored as a vector.
//
// CHECK-LABEL: loop.kernel @combined
// CHECK-NOT:     loop.for reduce
// CHECK:         loop.store %{{.*}}, %c[%i]
loop.kernel @combined(%a: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 lanes 8 {
    %zero = arith.constant 0.0 : f32
    %sum = loop.for reduce(add) %k to 4 partials 8 (%so = %zero : f32) {
      %y = loop.load %a[%i * 4 + %k] : memref<?xf32>
      %s = arith.addf %so, %y : f32
      loop.yield %s : f32
    }
    loop.store %sum, %c[%i] : memref<?xf32>
    loop.yield
  }
}
