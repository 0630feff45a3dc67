// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Lists of calls, which may be empty.
//
// CHECK-LABEL: loop.program @main
// CHECK-SAME:    plan <"naive", steps = 7, bytes = 0, lower_bound = 0, branches = {{\[\[}}1, 5, 2, 3], [1, 5, 4, 4]]>
// CHECK:         loop.parallel {
// CHECK-NEXT:      loop.call @f(%0) symbols [] : memref<?xf32>
// CHECK-NEXT:    } {
// CHECK-NEXT:    ^bb0:
// CHECK-NEXT:    }
loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>] plan <"naive", steps = 7, bytes = 0, lower_bound = 0, branches = [[1, 5, 2, 3], [1, 5, 4, 4]]> {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.parallel {
    loop.call @f(%0) symbols [] : memref<?xf32>
  } {
  }
}

// -----

loop.program @alone {
  // expected-error {{expected two lists of calls or more, got 1}}
  loop.parallel {
  }
}

// -----

// expected-error {{expected four steps of a branch, got [1, 5]}}
loop.program @short plan <"naive", steps = 7, bytes = 0, lower_bound = 0, branches = [[1, 5]]> {
}
