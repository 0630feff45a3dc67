// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A step gives a row for each row of the batch; the last state is that of the last.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         %{{.*}}, %{{.*}} = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
func.func @round_trip(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// Any number of steps, of any number of rows.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         %{{.*}}, %{{.*}} = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<?x?x5xf32, ["steps", "batch"]>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<?x6xf32, ["batch"]> -> tensor<?x?x6xf32, ["steps", "batch"]>, tensor<?x6xf32, ["batch"]>
func.func @symbols(%a0 : tensor<?x?x5xf32, ["steps", "batch"]>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<?x6xf32, ["batch"]>) {
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<?x?x5xf32, ["steps", "batch"]>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<?x6xf32, ["batch"]> -> tensor<?x?x6xf32, ["steps", "batch"]>, tensor<?x6xf32, ["batch"]>
  return
}

// -----

// Rows may end before the input does.
//
// CHECK-LABEL: func.func @lengths
// CHECK:         %{{.*}}, %{{.*}} = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["hard_sigmoid 0.2 0.5"], backward = true, clip = 1.000000e+00 : f64, given = ["lengths"]} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>, tensor<2xi32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
func.func @lengths(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>, %a6 : tensor<2xi32>) {
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["hard_sigmoid 0.2 0.5"], backward = true, clip = 1.000000e+00 : f64, given = ["lengths"]} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>, tensor<2xi32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// Every operand has its place.
func.func @an_operand_is_missing(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>) {
  // expected-error {{expected operands input, weight, recurrent_weight, bias, recurrent_bias, state, got 5}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A plain layer has no peepholes.
func.func @no_such_operand(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>, %a6 : tensor<3x6xf32>) {
  // expected-error {{expected some of lengths to be given, got peepholes}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["tanh"], backward = false, given = ["peepholes"]} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>, tensor<3x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// There is a function for each gate.
func.func @functions_are_counted(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected 1 functions, got}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh", "tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A function is known.
func.func @no_such_function(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected a function of tanh, sigmoid, }}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["sine"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A function has all its numbers.
func.func @numbers_are_missing(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected 1 numbers after leaky_relu, got 'leaky_relu'}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["leaky_relu"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// Zero would leave nothing.
func.func @clip_of_zero(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected a clip above zero, got 0.0}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false, clip = 0.000000e+00 : f64} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// The functions are those of real numbers.
func.func @integers(%a0 : tensor<4x2x5xi64>, %a1 : tensor<1x6x5xi64>, %a2 : tensor<1x6x6xi64>, %a3 : tensor<1x6xi64>, %a4 : tensor<1x6xi64>, %a5 : tensor<2x6xi64>) {
  // expected-error {{expected float elements, got tensor<4x2x5xi64>}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<4x2x5xi64>, tensor<1x6x5xi64>, tensor<1x6x6xi64>, tensor<1x6xi64>, tensor<1x6xi64>, tensor<2x6xi64> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// The input has steps and rows.
func.func @input_of_two_axes(%a0 : tensor<2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected an input of TxBxI and a recurrent weight of GxHxP, got tensor<2x5xf32>}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// All operands have the elements of the input.
func.func @elements_differ(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf64>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected bias of tensor<1x6xf32>, got tensor<1x6xf64>}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf64>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A weight has a column for each number of the input.
func.func @weight_clashes(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x4xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>) {
  // expected-error {{expected weight of tensor<1x6x5xf32>, got tensor<1x6x4xf32>}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x4xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A state has a row for each row of the batch.
func.func @state_clashes(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<3x6xf32>) {
  // expected-error {{expected state of tensor<2x6xf32>, got tensor<3x6xf32>}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5 {functions = ["tanh"], backward = false} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<3x6xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}

// -----

// A length counts.
func.func @lengths_are_integers(%a0 : tensor<4x2x5xf32>, %a1 : tensor<1x6x5xf32>, %a2 : tensor<1x6x6xf32>, %a3 : tensor<1x6xf32>, %a4 : tensor<1x6xf32>, %a5 : tensor<2x6xf32>, %a6 : tensor<2xf32>) {
  // expected-error {{expected integer elements, got tensor<2xf32>}}
  %0, %1 = graph.rnn %a0, %a1, %a2, %a3, %a4, %a5, %a6 {functions = ["tanh"], backward = false, given = ["lengths"]} : tensor<4x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<2x6xf32>, tensor<2xf32> -> tensor<4x2x6xf32>, tensor<2x6xf32>
  return
}
