// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What is said of every op, by the example of some.

// Names that the op does not define are attributes, and are kept.
//
// CHECK-LABEL: func.func @attributes
// CHECK:         graph.relu %x {note = "kept"} : tensor<4xf32> -> tensor<4xf32>
func.func @attributes(%x : tensor<4xf32>) {
  %0 = graph.relu %x {note = "kept"} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// A dimension is the same in whatever way it is written.
//
// CHECK-LABEL: func.func @one_form_of_dimensions
// CHECK:         graph.concat %x, %x, %y {axis = 0 : i64} : tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>, tensor<1xf32> -> tensor<?xf32, ["2 * n + 1"]>
// CHECK:         graph.reshape %{{.*}} {shape = ["1 + n + n"]} : tensor<?xf32, ["2 * n + 1"]> -> tensor<?xf32, ["2 * n + 1"]>
func.func @one_form_of_dimensions(%x : tensor<?xf32, ["n"]>, %y : tensor<1xf32>) {
  %0 = graph.concat %x, %x, %y {axis = 0 : i64} : tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>, tensor<1xf32> -> tensor<?xf32, ["2 * n + 1"]>
  %1 = graph.reshape %0 {shape = ["1 + n + n"]} : tensor<?xf32, ["2 * n + 1"]> -> tensor<?xf32, ["2 * n + 1"]>
  return
}

// -----

// The result is what the op infers.
func.func @result_type_is_inferred(%x : tensor<4xf32>) {
  // expected-error {{expected result type tensor<4xf32>, got tensor<5xf32>}}
  %0 = graph.relu %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

// An unknown size without a name would equal nothing.
func.func @symbol_without_name(%x : tensor<?xf32>) {
  // expected-error {{expected a name for every ?, got tensor<?xf32>}}
  %0 = graph.relu %x : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @too_many_names(%x : tensor<?x3xf32, ["m", "n"]>) {
  // expected-error {{expected a name for every ?, got tensor<?x3xf32, ["m", "n"]>}}
  %0 = graph.relu %x : tensor<?x3xf32, ["m", "n"]> -> tensor<?x3xf32, ["m", "n"]>
  return
}

// -----

// A name is a dimension.
func.func @no_dimension(%x : tensor<?xf32, ["n +"]>) {
  // expected-error {{dimension 'n +': expected a number or a symbol, got the end}}
  %0 = graph.relu %x : tensor<?xf32, ["n +"]> -> tensor<?xf32, ["n +"]>
  return
}

// -----

// The compiler computes with five element types.
func.func @no_such_element(%x : tensor<4xtf32>) {
  // expected-error {{expected elements of f32, f64, i32, i64, i1, si8, ui8, si16, ui16, ui32, ui64, f16, bf16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, si4, ui4, si2, ui2, got tensor<4xtf32>}}
  %0 = graph.relu %x : tensor<4xtf32> -> tensor<4xtf32>
  return
}

// -----

func.func @no_tensor(%x : f32) {
  // expected-error {{f32 should be of base attribute tensor}}
  %0 = graph.relu %x : f32 -> f32
  return
}

// -----

func.func @operand_missing(%x : tensor<4xf32>) {
  // expected-error {{Expected 2 operands, but got 1}}
  %0 = graph.add %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @property_missing(%x : tensor<4xf32>) {
  // expected-error {{property 'axis' expected in operation 'graph.softmax'}}
  %0 = graph.softmax %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @property_of_another_type(%x : tensor<4xf32>) {
  // expected-error {{"last" should be of base attribute integer}}
  %0 = graph.softmax %x {axis = "last"} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Floats of 16 bits are computed with as others are.
//
// CHECK-LABEL: func.func @halves
// CHECK:         graph.relu %{{.*}} : tensor<4xbf16> -> tensor<4xbf16>
// CHECK:         graph.relu %{{.*}} : tensor<4xf16> -> tensor<4xf16>
func.func @halves(%x : tensor<4xf16>) {
  %0 = graph.weight "w" : tensor<4xbf16>
  %1 = graph.relu %0 : tensor<4xbf16> -> tensor<4xbf16>
  %2 = graph.relu %x : tensor<4xf16> -> tensor<4xf16>
  return
}

// -----

// Narrower ones are moved, and converted.
//
// CHECK-LABEL: func.func @stored
// CHECK:         graph.permute %x {order = array<i64: 1, 0>} : tensor<2x3xf8E4M3FN> -> tensor<3x2xf8E4M3FN>
// CHECK:         graph.reshape %y {shape = ["6"]} : tensor<2x3xsi4> -> tensor<6xsi4>
func.func @stored(%x : tensor<2x3xf8E4M3FN>, %y : tensor<2x3xsi4>) {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<2x3xf8E4M3FN> -> tensor<3x2xf8E4M3FN>
  %1 = graph.reshape %y {shape = ["6"]} : tensor<2x3xsi4> -> tensor<6xsi4>
  return
}

// -----

func.func @stored_elements(%x : tensor<4xf8E5M2>) {
  // expected-error {{expected elements that are computed with, got tensor<4xf8E5M2>: convert it}}
  %0 = graph.relu %x : tensor<4xf8E5M2> -> tensor<4xf8E5M2>
  return
}

// -----

func.func @stored_integers(%x : tensor<4xui2>) {
  // expected-error {{expected elements that are computed with, got tensor<4xui2>: convert it}}
  %0 = graph.add %x, %x : tensor<4xui2>, tensor<4xui2> -> tensor<4xui2>
  return
}

// -----

// An op that moves such elements has its properties looked at first.
func.func @misplaced(%x : tensor<2x3xf8E4M3FN>) {
  // expected-error {{expected every axis of tensor<2x3xf32> once, got (3, 0)}}
  %0 = graph.permute %x {order = array<i64: 3, 0>} : tensor<2x3xf8E4M3FN> -> tensor<3x2xf8E4M3FN>
  return
}
