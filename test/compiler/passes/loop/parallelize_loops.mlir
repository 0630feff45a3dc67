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

// An open batch may be of one row, so threads share what is inside; a loop that has few
// indices they do not share then.
//
// CHECK-LABEL: loop.kernel @batch
// CHECK-NEXT:    loop.for parallel %{{.*}} to "n" {
// CHECK-NEXT:      loop.for parallel %{{.*}} to 100 split {
// CHECK-LABEL: loop.kernel @batch_of_few
// CHECK-NEXT:    loop.for parallel %{{.*}} to "n" split {
// CHECK-NEXT:      loop.for parallel %{{.*}} to 7 {
loop.kernel @batch(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    loop.for parallel %j to 100 {
      %x = loop.load %a[%i * 100 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 200 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
loop.kernel @batch_of_few(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    loop.for parallel %j to 7 {
      %x = loop.load %a[%i * 7 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 20 + %j] : memref<?xf32>
      loop.yield
    }
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
// CHECK:         loop.tile %i to 1, %j to 1024, {{.*}} split columns k_loop
loop.kernel @one_row(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 1024, reduce %k to 256 from %zero : f32 k_loop (%sum) {
    %x = loop.load %a[%k] : memref<?xf32>
    %y = loop.load %b[%k * 1024 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%r, %s, %accumulator) {
    loop.store %accumulator, %c[%s] : memref<?xf32>
    loop.yield
  }
}

// Of 17 tiles of rows and 16 panels of columns, the panels make equal parts for two threads and for
// four; of 30 tiles and 4 panels there are too few panels for more.
//
// CHECK-LABEL: loop.kernel @equal_parts
// CHECK:         loop.tile {{.*}} split columns k_loop
// CHECK-LABEL: loop.kernel @few_parts
// CHECK:         loop.tile {{.*}} split rows k_loop
loop.kernel @equal_parts(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 196, %j to 512, reduce %k to 512 from %zero : f32 by 12, 32, 16 k_loop (%sum) {
    %x = loop.load %a[%i * 512 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 512 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 512 + %column] : memref<?xf32>
    loop.yield
  }
}

loop.kernel @few_parts(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 360, %j to 128, reduce %k to 512 from %zero : f32 by 12, 32, 16 k_loop (%sum) {
    %x = loop.load %a[%i * 512 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 128 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %c[%row * 128 + %column] : memref<?xf32>
    loop.yield
  }
}

// Each accumulator of a tile is finished with what was at its own place.
//
// CHECK-LABEL: loop.kernel @finish_in_place
// CHECK:         loop.tile {{.*}} split rows k_loop
loop.kernel @finish_in_place(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 2000, %j to 100, reduce %k to 100 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 100 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 100 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    %before = loop.load %y[%row * 100 + %column] : memref<?xf32>
    %result = arith.addf %accumulator, %before : f32
    loop.store %result, %y[%row * 100 + %column] : memref<?xf32>
    loop.yield
  }
}

// Four rows share what is loaded.
//
// CHECK-LABEL: loop.kernel @four_rows
// CHECK-NOT:     split
loop.kernel @four_rows(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 1024, reduce %k to 64 from %zero : f32 k_loop (%sum) {
    %x = loop.load %a[%i * 64 + %k] : memref<?xf32>
    %y = loop.load %b[%k * 1024 + %j] : memref<?xf32>
    %next = math.fma %x, %y, %sum : f32
    loop.yield %next : f32
  } epilogue (%r, %s, %accumulator) {
    loop.store %accumulator, %c[%r * 1024 + %s] : memref<?xf32>
    loop.yield
  }
}

// It may be in panels, as the rows of an image with a margin are.
//
// CHECK-LABEL: loop.kernel @finish_in_panels
// CHECK:         loop.tile {{.*}} split rows k_loop
loop.kernel @finish_in_panels(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 2000, %j to 100, reduce %k to 100 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 100 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 100 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    %before = loop.load %y[%column + %row blocked 40 by 100 * 4200] : memref<?xf32>
    %result = arith.addf %accumulator, %before : f32
    loop.store %result, %y[%column + %row blocked 40 by 100 * 4200] : memref<?xf32>
    loop.yield
  }
}

// It reads what another thread may have finished already.
//
// CHECK-LABEL: loop.kernel @steps_in_place
// CHECK-NOT:     split
loop.kernel @steps_in_place(%w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 2000, %j to 100, reduce %k to 100 from %zero : f32 k_loop (%sum) {
    %a = loop.load %y[%i * 100 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 100 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 100 + %column] : memref<?xf32>
    loop.yield
  }
}

// Each row that is sorted is one thread's, and more work than an element that is moved.
//
// CHECK-LABEL: loop.kernel @rows_in_order
// CHECK-SAME:      work = "4096000"
// CHECK:         loop.for parallel %{{.*}} to 1000 split {
loop.kernel @rows_in_order(%x: memref<?xf32>, %y: memref<?xi64>) {
  loop.for parallel %i to 1000 {
    loop.argsort %y[%i * 7] first 7 of 200 : memref<?xi64> key (%k) {
      %a = loop.load %x[%i * 200 + %k] : memref<?xf32>
      loop.yield %a : f32
    }
    loop.yield
  }
}
