// RUN: sr-opt %s -p 'set-target{cpu=x86-64},vectorize-loops' | filecheck %s --check-prefixes=CHECK,SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},vectorize-loops' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},vectorize-loops' | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: not sr-opt %s -p vectorize-loops 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// A vector of the target holds four, eight or sixteen elements of 32 bits. A short body is
// over before memory is there, so that several vectors run in one step.
//
// CHECK-LABEL: loop.kernel @copy
// SSE:           loop.for parallel %i to 64 lanes 4 vectors 4 {
// AVX2:          loop.for parallel %i to 64 lanes 8 vectors 4 {
// AVX512:        loop.for parallel %i to 64 lanes 16 vectors 4 {
loop.kernel @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// The widest element that is computed with decides.
//
// CHECK-LABEL: loop.kernel @widen
// AVX2:          loop.for parallel %i to 64 lanes 4 vectors 4 {
loop.kernel @widen(%a: memref<?xf32>, %b: memref<?xf64>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = arith.extf %x : f32 to f64
    loop.store %y, %b[%i] : memref<?xf64>
    loop.yield
  }
}

// A boolean in memory is a byte.
//
// CHECK-LABEL: loop.kernel @booleans
// AVX2:          loop.for parallel %i to 64 lanes 32 {
loop.kernel @booleans(%a: memref<?xi1>, %b: memref<?xi1>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xi1>
    loop.store %x, %b[%i] : memref<?xi1>
    loop.yield
  }
}

// Three bodies fill no vector of eight, but one of two.
//
// CHECK-LABEL: loop.kernel @few_bodies
// AVX2:          loop.for parallel %i to 3 lanes 2 {
loop.kernel @few_bodies(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 3 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// A number of bodies that is not known is taken for a large one.
//
// CHECK-LABEL: loop.kernel @symbols
// AVX2:          loop.for parallel %i to "n" lanes 8 vectors 4 {
loop.kernel @symbols(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Elements that lie side by side along the outer loop make that one the vector.
//
// CHECK-LABEL: loop.kernel @outer_loop
// AVX2:          loop.for parallel %i to 64 lanes 8 {
// AVX2-NEXT:       loop.for parallel %j to 32 {
loop.kernel @outer_loop(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 32 {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      loop.store %x, %b[%j * 64 + %i] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Where loads and stores disagree, stores weigh more.
//
// CHECK-LABEL: loop.kernel @transpose
// AVX2:          loop.for parallel %i to 64 lanes 8 {
// AVX2-NEXT:       loop.for parallel %j to 32 {
loop.kernel @transpose(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 32 {
      %x = loop.load %a[%i * 32 + %j] : memref<?xf32>
      loop.store %x, %b[%j * 64 + %i] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// A sum along what lies in a row has an accumulator for each lane, and of several vectors, since
// each waits for the one before it; so many that the order in which it is added up does
// not depend on how long it is.
//
// CHECK-LABEL: loop.kernel @sum_of_rows
// AVX2:          loop.for parallel %i to 64 {
// AVX2:            loop.for reduce(add) %j to 2048 lanes 8 vectors 4 partials 8 (
loop.kernel @sum_of_rows(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 64 {
    %sum = loop.for reduce(add) %j to 2048 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 2048 + %j] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Three elements fill no vector, so that rows are lanes: as elements are, which are three
// apart, picked from vectors.
//
// CHECK-LABEL: loop.kernel @sum_of_short_rows
// SSE:           loop.for parallel %i to 64 lanes 4 {
// AVX2:          loop.for parallel %i to 64 lanes 8 {
// AVX512:        loop.for parallel %i to 64 lanes 16 {
// CHECK-NEXT:      loop.for reduce(add) %j to 3 partials {{[0-9]+}} (
loop.kernel @sum_of_short_rows(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 64 {
    %sum = loop.for reduce(add) %j to 3 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 3 + %j] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Elements a few apart, also backwards, are picked from vectors; those further apart are written
// lane by lane, which gains nothing but by what is stored.
//
// CHECK-LABEL: loop.kernel @every_other
// AVX2:          loop.for parallel %{{.*}} to 64 lanes 8 vectors 4 {
// AVX2:          loop.for parallel %{{.*}} to 64 lanes 8 vectors 4 {
// AVX2:          loop.for parallel %{{.*}} to 64 lanes 8 {
loop.kernel @every_other(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i * 2] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i * -1 + 63] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i * 9] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Lanes that are apart have no masks, so that bodies left over would be run one by one: of 24 in
// vectors of sixteen there would be eight.
//
// CHECK-LABEL: loop.kernel @none_left
// AVX2:          loop.for parallel %i to 24 lanes 8
// AVX512:        loop.for parallel %i to 24 lanes 8
loop.kernel @none_left(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 24 {
    %x = loop.load %a[%i * 2] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// The body of a math function is long: several vectors are worth it while the numbers that
// it needs stay in registers.
//
// CHECK-LABEL: loop.kernel @long_sum
// AVX2:            loop.for reduce(add) %j to 64 lanes 8 vectors 4 partials 8 (
loop.kernel @long_sum(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = loop.for reduce(add) %j to 64 (%so_far = %zero : f32) {
    %x = loop.load %a[%j] : memref<?xf32>
    %y = math.exp %x : f32
    %next = arith.addf %so_far, %y : f32
    loop.yield %next : f32
  }
  loop.store %sum, %b[0] : memref<?xf32>
}

// CHECK-LABEL: loop.kernel @longer_sum
// AVX2:            loop.for reduce(add) %j to 64 lanes 8 partials 8 (
// AVX512:          loop.for reduce(add) %j to 64 lanes 16 vectors 4 partials 16 (
loop.kernel @longer_sum(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = loop.for reduce(add) %j to 64 (%so_far = %zero : f32) {
    %x = loop.load %a[%j] : memref<?xf32>
    %y = math.erf %x : f32
    %next = arith.addf %so_far, %y : f32
    loop.yield %next : f32
  }
  loop.store %sum, %b[0] : memref<?xf32>
}

// Of loops that come one after the other in a row each has vectors. What is loaded once a
// row counts for less than what is loaded in each of them.
//
// CHECK-LABEL: loop.kernel @stages
// AVX2:          loop.for parallel %i to 64 {
// AVX2:            loop.for reduce(add) %j to 32 lanes 8 vectors 4 partials 8 (
// AVX2:            loop.for parallel %k to 32 lanes 8 vectors 4 {
loop.kernel @stages(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 64 {
    %b_row = loop.load %b[%i] : memref<?xf32>
    %c_row = loop.load %c[%i] : memref<?xf32>
    %factor = arith.mulf %b_row, %c_row : f32
    loop.store %factor, %c[%i] : memref<?xf32>
    %sum = loop.for reduce(add) %j to 32 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 32 + %j] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    %accumulator = arith.mulf %sum, %factor : f32
    loop.for parallel %k to 32 {
      %x = loop.load %a[%i * 32 + %k] : memref<?xf32>
      %y = arith.subf %x, %accumulator : f32
      loop.store %y, %out[%i * 32 + %k] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Where rows lie side by side they are the vector of all of them.
//
// CHECK-LABEL: loop.kernel @stages_side_by_side
// AVX2:          loop.for parallel %i to 64 lanes 8 {
// AVX2:            loop.for reduce(add) %j to 32 partials 8 (
// AVX2:            loop.for parallel %k to 32 {
loop.kernel @stages_side_by_side(%a: memref<?xf32>, %out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 64 {
    %sum = loop.for reduce(add) %j to 32 (%so_far = %zero : f32) {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.for parallel %k to 32 {
      %x = loop.load %a[%k * 64 + %i] : memref<?xf32>
      %y = arith.subf %x, %sum : f32
      loop.store %y, %out[%k * 64 + %i] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Sums of columns are computed side by side, each in its own order.
//
// CHECK-LABEL: loop.kernel @sum_of_columns
// AVX2:          loop.for parallel %i to 64 lanes 8 {
// AVX2:            loop.for reduce(add) %j to 32 partials 8 (
loop.kernel @sum_of_columns(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 64 {
    %sum = loop.for reduce(add) %j to 32 (%so_far = %zero : f32) {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// A row that is looked up lies in one piece along the inner loop.
//
// CHECK-LABEL: loop.kernel @rows_looked_up
// AVX2:          loop.for parallel %i to 64 {
// AVX2:            loop.for parallel %j to 16 lanes 8 {
loop.kernel @rows_looked_up(%indices: memref<?xi64>, %a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %number = loop.load %indices[%i] : memref<?xi64>
    %row = arith.index_cast %number : i64 to index
    loop.for parallel %j to 16 {
      %x = loop.load %a[%row * 16 + %j] : memref<?xf32>
      loop.store %x, %b[%i * 16 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// A row that is looked up is changed in one piece along the inner loop, which no two of
// its bodies meet in; the outer one may come to a row again.
//
// CHECK-LABEL: loop.kernel @rows_added_up
// AVX2:          loop.for ordered %i to 64 {
// AVX2:            loop.for parallel %j to 16 lanes 8 {
loop.kernel @rows_added_up(%indices: memref<?xi64>, %a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for ordered %i to 64 {
    %number = loop.load %indices[%i] : memref<?xi64>
    %row = arith.index_cast %number : i64 to index
    loop.for parallel %j to 16 {
      %x = loop.load %a[%i * 16 + %j] : memref<?xf32>
      %y = loop.load %b[%j + %row * 16] : memref<?xf32>
      %z = arith.addf %y, %x : f32
      loop.store %z, %b[%j + %row * 16] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Bodies that may meet never run side by side.
//
// CHECK-LABEL: loop.kernel @ordered_bodies
// AVX2:          loop.for ordered %i to 64 {
loop.kernel @ordered_bodies(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for ordered %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Elements that lie apart are not worth a vector.
//
// CHECK-LABEL: loop.kernel @elements_lie_apart
// AVX2:          loop.for parallel %i to 64 {
loop.kernel @elements_lie_apart(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i * 2] : memref<?xf32>
    loop.store %x, %b[%i * 2] : memref<?xf32>
    loop.yield
  }
}

// A tile is vectors already, and so nothing around it is.
//
// CHECK-LABEL: loop.kernel @tile_is_vectors
// AVX2:          loop.for parallel %b to 16 {
loop.kernel @tile_is_vectors(%out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %b to 16 {
    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 k_loop (%sum) {
      loop.yield %sum : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %out[%row * 1024 + %column * 16 + %b] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Rows are sorted one by one, though their keys lie side by side across them.
//
// CHECK-LABEL: loop.kernel @rows_in_order
// AVX2:          loop.for parallel %i to 64 {
loop.kernel @rows_in_order(%x: memref<?xf32>, %y: memref<?xi64>) {
  loop.for parallel %i to 64 {
    loop.argsort %y[%i] first 1 of 200 : memref<?xi64> key (%k) {
      %a = loop.load %x[%k * 64 + %i] : memref<?xf32>
      loop.yield %a : f32
    }
    loop.yield
  }
}

// Bodies that store to one address do not run side by side, as where a tensor without elements,
// whose strides are 0, is scattered into: none of them runs, but each is written.
//
// CHECK-LABEL: loop.kernel @into_nothing
// CHECK:           loop.for parallel %i to 4 {
loop.kernel @into_nothing(%a: memref<?xf32>, %b: memref<?xi64>, %c: memref<?xf32>) {
  loop.for ordered %k to 5 {
    loop.for parallel %i to 4 {
      %x = loop.load %a[%k * 4 + %i] : memref<?xf32>
      %y = loop.load %b[%k] : memref<?xi64>
      %z = loop.clamp_index %y below 0 : i64
      loop.store %x, %c[%z] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Walks run side by side, each step of which waits for the one before to be looked up.
//
// CHECK-LABEL: loop.kernel @walks
// CHECK:         loop.for parallel %row to 64 {
// AVX2:            loop.for parallel %i to 16 lanes 8
// CHECK:             loop.for ordered %k to 4 (
loop.kernel @walks(%a: memref<?xi32>, %b: memref<?xi32>) {
  loop.for parallel %row to 64 {
    loop.for parallel %i to 16 {
      %start = loop.load %a[%i] : memref<?xi32>
      %end = loop.for ordered %k to 4 (%at = %start : i32) {
        %place = loop.clamp_index %at below 9 : i32
        %next = loop.load %a[%place] : memref<?xi32>
        loop.yield %next : i32
      }
      loop.store %end, %b[%row * 16 + %i] : memref<?xi32>
      loop.yield
    }
    loop.yield
  }
}

// A sum in order waits for no memory, so its elements decide.
//
// CHECK-LABEL: loop.kernel @no_walk
// CHECK:         loop.for parallel %i to 16 {
loop.kernel @no_walk(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 16 {
    %zero = arith.constant 0.0 : f32
    %end = loop.for ordered %k to 4 (%sum = %zero : f32) {
      %x = loop.load %a[%i * 40 + %k] : memref<?xf32>
      %next = arith.addf %sum, %x : f32
      loop.yield %next : f32
    }
    loop.store %end, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// What becomes of short rows is computed for as many rows as each has lanes; a loop over rows
// that are long, whose number is small, or which store other elements is as it was.
//
// CHECK-LABEL: loop.kernel @rows
// AVX2:          loop.for parallel %i to "n" lanes 8 {
// AVX512:        loop.for parallel %i to "n" lanes 16 {
// AVX2:            loop.for reduce(add) %k to 51 lanes 8 vectors 4 partials 8
// AVX512:          loop.for reduce(add) %k to 51 lanes 16 vectors 4 partials 16
// CHECK:         loop.for parallel %{{.*}} to 3 {
// CHECK:         loop.for parallel %{{.*}} to "n" {
loop.kernel @rows(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to "n" {
    %sum = loop.for reduce(add) %k to 51 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 51 + %k] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    %y = math.exp %sum : f32
    loop.store %y, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %i to 3 {
    %sum = loop.for reduce(add) %k to 51 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 51 + %k] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %i to "n" {
    %sum = loop.for reduce(add) %k to 5100 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 5100 + %k] : memref<?xf32>
      %next = arith.addf %so_far, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Lanes that are there stay, whatever the target.
//
// CHECK-LABEL: loop.kernel @chosen
// CHECK:         loop.for parallel %i to 64 {
// CHECK:           loop.for reduce(add) %k to 51 lanes 2 partials 2 (
loop.kernel @chosen(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 64 {
    %sum = loop.for reduce(add) %k to 51 lanes 2 partials 2 (%s = %zero : f32) {
      %x = loop.load %a[%i * 51 + %k] : memref<?xf32>
      %next = arith.addf %s, %x : f32
      loop.yield %next : f32
    }
    loop.store %sum, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// What is computed in the loops inside decides where accesses say little: a normalization
// over channels that lie apart, whose result has them side by side, is computed for several
// places at once, and not along the channels in its last loop alone.
//
// CHECK-LABEL: loop.kernel @normalized
// SSE:           loop.for parallel %i to 4096 lanes 4 {
// AVX2:          loop.for parallel %i to 4096 lanes 8 {
// AVX512:        loop.for parallel %i to 4096 lanes 16 {
// CHECK:           loop.for reduce(add) %k to 48 partials
// CHECK:           loop.for reduce(add) %l to 48 partials
// CHECK:           loop.for parallel %m to 48 {
loop.kernel @normalized(%a: memref<?xf32>, %w: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 4096 {
    %sum = loop.for reduce(add) %k to 48 (%s = %zero : f32) {
      %x = loop.load %a[%i + %k * 4096] : memref<?xf32>
      %next = arith.addf %s, %x : f32
      loop.yield %next : f32
    }
    %squares = loop.for reduce(add) %l to 48 (%t = %zero : f32) {
      %y = loop.load %a[%i + %l * 4096] : memref<?xf32>
      %apart = arith.subf %y, %sum : f32
      %square = arith.mulf %apart, %apart : f32
      %more = arith.addf %t, %square : f32
      loop.yield %more : f32
    }
    loop.for parallel %m to 48 {
      %z = loop.load %a[%i + %m * 4096] : memref<?xf32>
      %weight = loop.load %w[%m] : memref<?xf32>
      %even = arith.subf %z, %sum : f32
      %scaled = arith.mulf %even, %squares : f32
      %result = arith.mulf %scaled, %weight : f32
      loop.store %result, %b[%i * 48 + %m] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Rows that are shorter than a vector, but of functions, are computed side by side.
//
// CHECK-LABEL: loop.kernel @short_rows
// AVX2:          loop.for reduce(max) %k to 10 lanes 8 vectors 4 (
// AVX512:        loop.for parallel %i to 4096 lanes 16 {
// AVX512-NEXT:     loop.for reduce(max) %k to 10 (
loop.kernel @short_rows(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 4096 {
    %most = loop.for reduce(max) %k to 10 (%s = %zero : f32) {
      %x = loop.load %a[%i * 10 + %k] : memref<?xf32>
      %exp = math.exp %x : f32
      %next = arith.maximumf %s, %exp : f32
      loop.yield %next : f32
    }
    loop.store %most, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// A load that does not move with a loop inside is outside of it, and counts there: rows that are transposed go
// along what is stored, whatever is added to each of them.
//
// CHECK-LABEL: loop.kernel @transposed_rows
// AVX2:          loop.for parallel %i to 64 {
// AVX2:            loop.for parallel %j to 128 lanes 8
loop.kernel @transposed_rows(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 128 {
      %x = loop.load %a[%j * 64 + %i] : memref<?xf32>
      %y = loop.load %b[%i] : memref<?xf32>
      %z = arith.addf %x, %y : f32
      loop.store %z, %c[%i * 128 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Rows that registers hold are lanes, whatever is done to them.
//
// CHECK-LABEL: loop.kernel @held_rows
// SSE-NEXT:      loop.for parallel %i to "n" lanes 4 {
// AVX2-NEXT:     loop.for parallel %i to "n" lanes 8 {
// AVX512-NEXT:   loop.for parallel %i to "n" lanes 16 {
// CHECK:           loop.for reduce(add) %j to 3 partials
// CHECK:           loop.for parallel %k to 3 {
loop.kernel @held_rows(%a: memref<?xf32>, %c: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "n" {
    %zero = arith.constant 0.0 : f32
    %sum = loop.for reduce(add) %j to 3 (%so = %zero : f32) {
      %x = loop.load %a[%i * 3 + %j] : memref<?xf32>
      %s = arith.addf %so, %x : f32
      loop.yield %s : f32
    }
    loop.for parallel %k to 3 {
      %y = loop.load %a[%i * 3 + %k] : memref<?xf32>
      %d = arith.subf %y, %sum : f32
      loop.store %d, %c[%i * 3 + %k] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
