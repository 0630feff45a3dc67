// RUN: sr-opt %s -p parallelize-loops | filecheck %s

// The outermost loop that has enough indices is shared.
//
// CHECK-LABEL: loop.kernel @wide
// CHECK-SAME:    attributes {work = "32000000"}
// CHECK-NEXT:    loop.for parallel %{{.*}} to 2 {
// CHECK-NEXT:      loop.for parallel %{{.*}} to 1000000 split {
loop.kernel @wide(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 2 {
    loop.for parallel %j to 1000000 {
      %x = loop.load %a[%i * 1000000 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 1000000 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Where only a run knows the size, the run decides.
//
// CHECK-LABEL: loop.kernel @symbolic
// CHECK-SAME:    attributes {work = "16 * n"}
// CHECK-NEXT:    loop.for parallel %{{.*}} to "n" split {
loop.kernel @symbolic(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// A small kernel is done before another thread has begun.
//
// CHECK-LABEL: loop.kernel @small
// CHECK-NOT:     split
loop.kernel @small(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 1000 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// What is written first is read later, perhaps by another thread.
//
// CHECK-LABEL: loop.kernel @reads_what_it_wrote
// CHECK-NOT:     split
loop.kernel @reads_what_it_wrote(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 1000000 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %j to 999999 {
    %x = loop.load %b[%j + 1] : memref<?xf32>
    loop.store %x, %b[%j] : memref<?xf32>
    loop.yield
  }
}

// What was written for an index may be read for that index.
//
// CHECK-LABEL: loop.kernel @reads_its_own_row
// CHECK:         loop.for parallel %i to 10000 split {
loop.kernel @reads_its_own_row(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 10000 {
    loop.for parallel %j to 1000 {
      %x = loop.load %a[%i * 1000 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 1000 + %j] : memref<?xf32>
      loop.yield
    }
    loop.for parallel %k to 1000 {
      %x = loop.load %b[%i * 1000 + %k] : memref<?xf32>
      loop.store %x, %b[%i * 1000 + %k] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// The order of the bodies matters.
//
// CHECK-LABEL: loop.kernel @in_order
// CHECK-NOT:     split
loop.kernel @in_order(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for ordered %i to 1000000 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[0] : memref<?xf32>
    loop.yield
  }
}

// One index that is bad ends the kernel before anything is read.
//
// CHECK-LABEL: loop.kernel @checked
// CHECK-NOT:     split
loop.kernel @checked(%n: memref<?xi64>, %b: memref<?xi64>) {
  loop.check_index %n[1000000] below 5 : memref<?xi64>
  loop.for parallel %i to 1000000 {
    %x = loop.load %n[%i] : memref<?xi64>
    loop.store %x, %b[%i] : memref<?xi64>
    loop.yield
  }
}

// What one row uses is waited for: a multiply-add counts as three.
//
// CHECK-LABEL: loop.kernel @one_row(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>)
// CHECK-SAME:    attributes {work = "786432"}
// CHECK:         loop.tile %i to 1, %j to 1024, {{.*}} split columns step
loop.kernel @one_row(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 1024, reduce %k to 256 from %zero : f32 step (%sum) {
    %x = loop.load %a[%k] : memref<?xf32>
    %y = loop.load %b[%k * 1024 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } finish (%r, %s, %total) {
    loop.store %total, %c[%s] : memref<?xf32>
    loop.yield
  }
}

// Four rows share what is loaded.
//
// CHECK-LABEL: loop.kernel @four_rows
// CHECK-NOT:     split
loop.kernel @four_rows(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 1024, reduce %k to 64 from %zero : f32 step (%sum) {
    %x = loop.load %a[%i * 64 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 1024 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } finish (%r, %s, %total) {
    loop.store %total, %c[%r * 1024 + %s] : memref<?xf32>
    loop.yield
  }
}
