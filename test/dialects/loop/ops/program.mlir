// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A program is views of memory, and calls of kernels on them, in order.
//
// CHECK-LABEL: loop.program @main {inputs = [tensor<4xf32>], outputs = [tensor<4xf32>]} {
// CHECK-NEXT:    %[[IN:.*]] = loop.view inputs 0 : memref<?xf32>
// CHECK-NEXT:    %[[WEIGHT:.*]] = loop.view constants 256 : memref<?xf32>
// CHECK-NEXT:    %[[BETWEEN:.*]] = loop.view activations 3 at 4096 : memref<?xi64>
// CHECK-NEXT:    %[[OUT:.*]] = loop.view outputs 0 : memref<?xf32>
// CHECK-NEXT:    loop.call @add(%[[IN]], %[[WEIGHT]], %[[OUT]]) symbols [] : memref<?xf32>, memref<?xf32>, memref<?xf32>
// CHECK-NEXT:    loop.call_out 0(%[[IN]], %[[BETWEEN]]) {op = "argmax"} : memref<?xf32>, memref<?xi64>
loop.program @main {inputs = [tensor<4xf32>], outputs = [tensor<4xf32>]} {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view constants 256 : memref<?xf32>
  %2 = loop.view activations 3 at 4096 : memref<?xi64>
  %3 = loop.view outputs 0 : memref<?xf32>
  loop.call @add(%0, %1, %3) symbols [] : memref<?xf32>, memref<?xf32>, memref<?xf32>
  loop.call_out 0 (%0, %2) {op = "argmax"} : memref<?xf32>, memref<?xi64>
}
loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
}

// -----

// A place that depends on symbols is looked up, and calls pass the symbols on.
//
// CHECK-LABEL: loop.program @symbols
// CHECK:         %[[BETWEEN:.*]] = loop.view activations 0 at ? : memref<?xf32>
// CHECK:         loop.call @fill(%[[BETWEEN]]) symbols ["batch", "2 * seq"] : memref<?xf32>
loop.program @symbols {} {
  %0 = loop.view activations 0 at ? : memref<?xf32>
  loop.call @fill(%0) symbols ["batch", "2 * seq"] : memref<?xf32>
}
loop.kernel @fill(%a: memref<?xf32>) symbols ["n", "m"] {
}

// -----

// A view is of memory.
loop.program @view_of_a_number {} {
  %0 = loop.view inputs 0 : f32
  // expected-error @below {{expected a memref, got f32}}
}

// -----

// So is what a kernel works on.
loop.program @call_on_a_number {} {
  %0 = arith.constant 1.0 : f32
  // expected-error {{f32 should be of base attribute memref}}
  loop.call @fill(%0) symbols [] : f32
}
