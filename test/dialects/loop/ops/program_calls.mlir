// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Views are numbered as the program lists its memory, and calls work on them in order.
//
// CHECK-LABEL: loop.program @main
// CHECK:         %[[IN:.*]] = loop.view inputs 0 : memref<?xf32>
// CHECK-NEXT:    %[[WEIGHT:.*]] = loop.view constants 1 : memref<?xf32>
// CHECK-NEXT:    %[[BETWEEN:.*]] = loop.view activations 0 : memref<?xi64>
// CHECK-NEXT:    %[[OUT:.*]] = loop.view outputs 0 : memref<?xf32>
// CHECK-NEXT:    loop.call @add(%[[IN]], %[[WEIGHT]], %[[OUT]]) symbols ["batch", "2 * seq"] : memref<?xf32>, memref<?xf32>, memref<?xf32>
// CHECK-NEXT:    loop.call_out 0(%[[IN]], %[[BETWEEN]]) {op = "argmax", inputs = [tensor<4xf32>], outputs = [tensor<i64>]} : memref<?xf32>, memref<?xi64>
loop.program @main
    inputs [#loop.tensor<"x" : tensor<?x?xf32, ["batch", "seq"]>>] outputs [#loop.tensor<"y" : tensor<4xf32>>]
    symbols [#loop.symbol<"batch">, #loop.symbol<"seq">]
    constants [#loop.constant<"v", offset = 0, size = 256>, #loop.constant<"w", offset = 256, size = 16>]
    slots [#loop.slot<size = "8", offset = 0, live = 1 to 1>] plan <"naive", steps = 2, bytes = 64, lower_bound = 64> {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view constants 1 : memref<?xf32>
  %2 = loop.view activations 0 : memref<?xi64>
  %3 = loop.view outputs 0 : memref<?xf32>
  loop.call @add(%0, %1, %3) symbols ["batch", "2 * seq"] : memref<?xf32>, memref<?xf32>, memref<?xf32>
  loop.call_out 0 (%0, %2) {op = "argmax", inputs = [tensor<4xf32>], outputs = [tensor<i64>]} : memref<?xf32>, memref<?xi64>
}
loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) symbols ["n", "m"] {
}

// -----

// A view may begin some elements after its memory.
//
// CHECK-LABEL: loop.program @parts
// CHECK:         loop.view inputs 0 from 4 : memref<?xf32>
// CHECK-NEXT:    loop.view inputs 0 from "4 * batch - 4" : memref<?xf32>
loop.program @parts
    inputs [#loop.tensor<"x" : tensor<?x4xf32, ["batch"]>>] symbols [#loop.symbol<"batch">] {
  %0 = loop.view inputs 0 from 4 : memref<?xf32>
  %1 = loop.view inputs 0 from "4 * batch - 4" : memref<?xf32>
}

// -----

// Where it begins depends on sizes that there are.
//
// expected-error {{expected symbols of batch, got seq in 4 * seq}}
loop.program @part_of_unknown
    inputs [#loop.tensor<"x" : tensor<?x4xf32, ["batch"]>>] symbols [#loop.symbol<"batch">] {
  %0 = loop.view inputs 0 from "4 * seq" : memref<?xf32>
}

// -----

// A kernel may be in another module.
//
// CHECK-LABEL: loop.program @elsewhere
// CHECK:         loop.call @far() symbols []
loop.program @elsewhere {
  loop.call @far() symbols [] :
}

// -----

loop.program @view_of_a_number {
  %0 = loop.view inputs 0 : f32
  // expected-error @below {{expected a memref, got f32}}
}

// -----

// expected-error {{expected a region of inputs, constants, activations, outputs, got registers}}
loop.program @view_of_no_region {
  %0 = loop.view registers 0 : memref<?xf32>
}

// -----

// expected-error {{expected one of 1 inputs, got number 1}}
loop.program @view_of_nothing inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 1 : memref<?xf32>
}

// -----

// expected-error {{expected elements of f32 in outputs 0, got i64}}
loop.program @view_of_other_elements outputs [#loop.tensor<"y" : tensor<4xf32>>] {
  %0 = loop.view outputs 0 : memref<?xi64>
}

// -----

loop.program @call_on_a_number {
  %0 = arith.constant 1.0 : f32
  // expected-error {{f32 should be of base attribute memref}}
  loop.call @fill(%0) symbols [] : f32
}

// -----

// expected-error {{expected buffers memref<?xf32>, memref<?xf32> for @add, got memref<?xf32>}}
loop.program @call_with_too_few_buffers inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call @add(%0) symbols [] : memref<?xf32>
}
loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>) {
}

// -----

// expected-error {{expected 1 symbols for @fill, got 0}}
loop.program @call_with_too_few_symbols inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call @fill(%0) symbols [] : memref<?xf32>
}
loop.kernel @fill(%a: memref<?xf32>) symbols ["n"] {
}

// -----

// expected-error {{expected fallback op 0, in order, got 1}}
loop.program @fallback_out_of_order inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call_out 1 (%0) {op = "argmax", inputs = [tensor<4xf32>], outputs = []} : memref<?xf32>
}

// -----

// expected-error {{expected buffers memref<?xf32>, memref<?xi64>, got memref<?xf32>}}
loop.program @fallback_without_its_output inputs [#loop.tensor<"x" : tensor<4xf32>>] {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.call_out 0 (%0) {op = "argmax", inputs = [tensor<4xf32>], outputs = [tensor<i64>]} : memref<?xf32>
}
