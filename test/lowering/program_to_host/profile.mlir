// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3}' -t host | filecheck %s

// A profiled program looks at the clock when it begins, and after each kernel, if the run
// has a profile.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         %[[PROFILE:.*]] = host.load %p0[168] : i64
// CHECK-NEXT:    %[[HAS:.*]] = arith.cmpi ne, %[[PROFILE]], %c0 : i64
// CHECK-NEXT:    scf.if %[[HAS]] {
// CHECK-NEXT:      func.call @sr_begin(%[[PROFILE]]) : (i64) -> ()
// CHECK-NEXT:    }
// CHECK:         host.kernel @k(%{{.*}}) in %p0 number 0
// CHECK-NEXT:    scf.if %[[HAS]] {
// CHECK-NEXT:      func.call @sr_lap(%[[PROFILE]], %c0) : (i64, i64) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    host.kernel @k(%{{.*}}) in %p0 number 1
// CHECK-NEXT:    scf.if %[[HAS]] {
// CHECK-NEXT:      func.call @sr_lap(%[[PROFILE]], %c1) : (i64, i64) -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %c0 : i64
loop.program @calls inputs [#loop.tensor<"x" : tensor<4xf32>>] attributes {loop.profiled} {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) {
}

// -----

// A kernel that is not run has no time.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:           func.call @sr_begin
// CHECK:         %[[DIFFER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    scf.if %[[DIFFER]] {
// CHECK-NEXT:      host.kernel @k
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        func.call @sr_lap(%{{.*}}, %c0)
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %c0 : i64
loop.program @copies inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    donations [#loop.donation<input = 0, output = 0>] attributes {loop.profiled} {
  %x = loop.view inputs 0 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %y) symbols [] unless_same : memref<?xf32>, memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xf32>) {
}

// -----

// A program that is not profiled does not look at the clock.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK-NOT:     sr_begin
// CHECK-NOT:     sr_lap
// CHECK:         func.return
loop.program @plain inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) {
}

// -----

// What a handler of a signal takes is no kernel's: the time begins anew after it.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         func.call @sr_lap(%{{.*}}, %c0)
// CHECK:         func.call @sr_spend
// CHECK:           host.leave %c5
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %[[HAS:.*]] {
// CHECK-NEXT:      func.call @sr_begin
// CHECK:         host.kernel @k(%{{.*}}) in %p0 number 1
loop.program @long inputs [#loop.tensor<"x" : tensor<4xf32>>] work "8388608" attributes {loop.profiled} {
  %x = loop.view inputs 0 : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
  loop.call @k(%x) symbols [] : memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>) {
  loop.for parallel %i to 4194304 {
    loop.yield
  }
}
