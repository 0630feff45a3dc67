// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The body runs once for every index from zero; in lanes, several run side by side.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.for parallel %i to 64 {
// CHECK-NEXT:      loop.for parallel %j to 32 lanes 8 {
// CHECK-NEXT:        loop.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      loop.yield
// CHECK-NEXT:    }
loop.kernel @round_trip() {
  loop.for parallel %i to 64 {
    loop.for parallel %j to 32 lanes 8 {
      loop.yield
    }
    loop.yield
  }
}

// -----

// What is combined is carried from body to body, from a first value on.
//
// CHECK-LABEL: loop.kernel @reduction
// CHECK:         %{{.*}} = loop.for reduce(add) %{{.*}} to 64 (%[[SUM:.*]] = %zero : f32) {
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %[[SUM]], %{{.*}} : f32
// CHECK-NEXT:      loop.yield %[[NEXT]] : f32
// CHECK:         loop.for reduce(mul)
// CHECK:         loop.for reduce(max)
// CHECK:         loop.for reduce(min) %{{.*}} to 64 lanes 8 vectors 4 (
loop.kernel @reduction() {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %sum = loop.for reduce(add) %i to 64 (%so_far = %zero : f32) {
    %next = arith.addf %so_far, %one : f32
    loop.yield %next : f32
  }
  %product = loop.for reduce(mul) %i to 64 (%so_far = %one : f32) {
    loop.yield %so_far : f32
  }
  %greatest = loop.for reduce(max) %i to 64 (%so_far = %one : f32) {
    loop.yield %so_far : f32
  }
  %least = loop.for reduce(min) %i to 64 lanes 8 vectors 4 (%so_far = %one : f32) {
    loop.yield %so_far : f32
  }
}

// -----

// A sum whose order tells has partial sums, in lanes or not.
//
// CHECK-LABEL: loop.kernel @partials
// CHECK:         loop.for reduce(add) %i to 64 lanes 8 vectors 4 partials 8 (
// CHECK:         loop.for reduce(add) %{{.*}} to 64 partials 8 (
loop.kernel @partials() {
  %zero = arith.constant 0.0 : f32
  %sum = loop.for reduce(add) %i to 64 lanes 8 vectors 4 partials 8 (%so_far = %zero : f32) {
    loop.yield %so_far : f32
  }
  %same = loop.for reduce(add) %i to 64 partials 8 (%so_far = %zero : f32) {
    loop.yield %so_far : f32
  }
}

// -----

// Lanes of a vector have a partial sum each.
loop.kernel @partials_of_other_lanes() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a reduction of 8 lanes or none beside as many partials, got reduce of 4}}
  %sum = loop.for reduce(add) %i to 64 lanes 4 partials 8 (%so_far = %zero : f32) {
    loop.yield %so_far : f32
  }
}

// -----

// Only what reduces has partial results.
loop.kernel @partials_of_nothing() {
  // expected-error {{expected a reduction of 8 lanes or none beside as many partials, got parallel of 1}}
  loop.for parallel %i to 64 partials 8 {
    loop.yield
  }
}

// -----

// Several vectors at a time are those of lanes.
//
// CHECK: expected vectors of lanes, got 4 of none
loop.kernel @vectors_without_lanes() {
  loop.for parallel %i to 64 vectors 4 {
    loop.yield
  }
}

// -----

// In an ordered loop it may be anything, since nothing is put between the bodies.
//
// CHECK-LABEL: loop.kernel @ordered
// CHECK:         %{{.*}} = loop.for ordered %i to 64 (%so_far = %zero : f32) {
// CHECK:         loop.for ordered %{{.*}} to 64 {
loop.kernel @ordered(%a: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %last = loop.for ordered %i to 64 (%so_far = %zero : f32) {
    %x = loop.load %a[%i] : memref<?xf32>
    %next = arith.subf %x, %so_far : f32
    loop.store %next, %a[%i] : memref<?xf32>
    loop.yield %next : f32
  }
  loop.for ordered %i to 64 {
    loop.yield
  }
}

// -----

// A bound may depend on the symbols of the kernel.
//
// CHECK-LABEL: loop.kernel @symbols
// CHECK:         loop.for parallel %i to "4 * n + 1" {
loop.kernel @symbols() symbols ["n"] {
  loop.for parallel %i to "1 + 4 * n" {
    loop.yield
  }
}

// -----

// What comes in order does not come side by side.
loop.kernel @ordered_lanes() {
  // expected-error {{expected an ordered loop without lanes or accumulators}}
  loop.for ordered %i to 64 lanes 8 {
    loop.yield
  }
}

// -----

// There is no other kind of loop.
loop.kernel @no_such_kind() {
  // expected-error @below {{Expected 'reduce'}}
  loop.for serial %i to 64 {
    loop.yield
  }
}

// -----

// Elements are combined in one of four ways, each of which has an identity.
loop.kernel @no_such_combiner() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a reduction by add, mul, max, min, got mean}}
  %mean = loop.for reduce(mean) %i to 64 (%so_far = %zero : f32) {
    loop.yield %so_far : f32
  }
}

// -----

// A loop that reduces carries something.
loop.kernel @reduces_nothing() {
  // expected-error {{expected values to combine just where one reduces}}
  loop.for reduce(add) %i to 64 () {
    loop.yield
  }
}

// -----

// A parallel loop carries nothing, for there is no order to carry it in.
loop.kernel @parallel_bodies_carry_nothing(%a: memref<?xf32>) {
  // expected-error {{expected a yield of ()}}
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.yield %x : f32
  }
}

// -----

// What is carried keeps its type.
loop.kernel @carries_another_type() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected a yield of}}
  %sum = loop.for reduce(add) %i to 64 (%so_far = %zero : f32) {
    %one = arith.constant 1.0 : f64
    loop.yield %one : f64
  }
}

// -----

// Lanes are masked where no sum goes through them.
loop.kernel @masked_sum() {
  %zero = arith.constant 0.0 : f32
  // expected-error {{expected masked lanes without accumulators}}
  %sum = loop.for reduce(add) %i to 64 lanes 8 masked (%so_far = %zero : f32) {
    loop.yield %so_far : f32
  }
}

// -----

// What is unrolled has accumulators of its own.
loop.kernel @unrolled_without_partials(%a: memref<?xf32>) {
  // expected-error {{expected partials to unroll, got 4 of none}}
  loop.for parallel %i to 64 unroll 4 {
    loop.yield
  }
}

// -----

// As many bodies as lanes run at once where a loop is transposed.
//
// CHECK-LABEL: loop.kernel @transposed
// CHECK:         loop.for parallel %i to 64 transposed 8 split {
// CHECK-NEXT:      loop.for parallel %j to 32 lanes 8 {
loop.kernel @transposed() {
  loop.for parallel %i to 64 transposed 8 split {
    loop.for parallel %j to 32 lanes 8 {
      loop.yield
    }
    loop.yield
  }
}

// -----

loop.kernel @transposes_nothing() {
  // expected-error {{expected to transpose around one loop of lanes}}
  loop.for parallel %i to 64 transposed 8 {
    loop.yield
  }
}

// -----

loop.kernel @transposes_others() {
  // expected-error {{expected squares of parallel loops whose side is a power of two, got 8 of parallel around 4 of parallel}}
  loop.for parallel %i to 64 transposed 8 {
    loop.for parallel %j to 32 lanes 4 {
      loop.yield
    }
    loop.yield
  }
}

// -----

loop.kernel @transposes_three() {
  // expected-error {{expected squares of parallel loops whose side is a power of two, got 3 of parallel around 3 of parallel}}
  loop.for parallel %i to 64 transposed 3 {
    loop.for parallel %j to 32 lanes 3 {
      loop.yield
    }
    loop.yield
  }
}

// -----

loop.kernel @transposes_in_order() {
  // expected-error {{expected squares of parallel loops whose side is a power of two, got 8 of ordered around 8 of parallel}}
  loop.for ordered %i to 64 transposed 8 {
    loop.for parallel %j to 32 lanes 8 {
      loop.yield
    }
    loop.yield
  }
}

// -----

// Lanes inside of lanes are those of a row.
loop.kernel @lanes_of_no_row() {
  // expected-error {{expected a reduction of 8 lanes in each of as many, got parallel of 8}}
  loop.for parallel %i to 64 lanes 8 {
    loop.for parallel %j to 32 lanes 8 {
      loop.yield
    }
    loop.yield
  }
}

// -----

// The body ends in a yield.
loop.kernel @no_yield(%a: memref<?xf32>) {
  // expected-error {{loop.load terminates block in single-block region but is not a terminator}}
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
  }
}

// -----

// It is a yield of loops.
loop.kernel @another_yield() {
  // expected-error {{expected a body that ends in loop.yield}}
  loop.for parallel %i to 64 {
    "graph.yield"() : () -> ()
  }
}

// -----

// The body takes an index.
loop.kernel @body_of_a_number() {
  // expected-error {{expected a body of index}}
  "loop.for"() <{bound = "64"}> ({
  ^bb0(%i: i64):
    loop.yield
  }) : () -> ()
}

// -----

// A bound is a dimension.
loop.kernel @no_dimension() symbols ["n"] {
  // expected-error @below {{dimension '2 *': expected a number or a symbol, got the end}}
  loop.for parallel %i to "2 *" {
    loop.yield
  }
}
