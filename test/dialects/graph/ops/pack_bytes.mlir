// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Four bytes are a word.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.pack_bytes %x : tensor<?x3x8xsi8, ["m"]> -> tensor<?x3x2xi32, ["m"]>
func.func @round_trip(%x : tensor<?x3x8xsi8, ["m"]>) {
  %0 = graph.pack_bytes %x : tensor<?x3x8xsi8, ["m"]> -> tensor<?x3x2xi32, ["m"]>
  return
}

// -----

func.func @a_part_of_a_word(%x : tensor<2x6xsi8>) {
  // expected-error {{expected a last axis of whole words of four bytes, got tensor<2x6xsi8>}}
  %0 = graph.pack_bytes %x : tensor<2x6xsi8> -> tensor<2x1xi32>
  return
}

// -----

func.func @bytes_without_signs(%x : tensor<2x8xui8>) {
  // expected-error {{expected elements of si8, got tensor<2x8xui8>}}
  %0 = graph.pack_bytes %x : tensor<2x8xui8> -> tensor<2x2xi32>
  return
}
