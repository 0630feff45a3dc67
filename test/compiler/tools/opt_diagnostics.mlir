// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// An error of the verifier knows no line: a comment anywhere in its section names it, and
// nothing is printed for that section.
//
// CHECK-NOT: @wrong_result
func.func @wrong_result(%x : f32) -> f64 {
  // expected-error {{to have the same types as the function output types}}
  return %x : f32
}

// -----

// An error of the parser has to be where its comment says.
func.func @on_the_line(%x : f32) -> f32 {
  %0 = no.such_op %x : f32 // expected-error {{not registered}}
  return %0 : f32
}

// -----

func.func @one_line_below(%x : f32) -> f32 {
  // expected-error @+1 {{not registered}}
  %0 = no.such_op %x : f32
  return %0 : f32
}

// -----

func.func @two_lines_above(%x : f32) -> f32 {
  %0 = no.such_op %x : f32

  // expected-error @-2 {{not registered}}
  return %0 : f32
}

// -----

// Two comments may name parts of one error.
func.func @below(%x : f32) -> f32 {
  // expected-error @below {{Operation no.such_op}}
  // expected-error @below {{not registered}}
  %0 = no.such_op %x : f32
  return %0 : f32
}

// -----

func.func @above(%x : f32) -> f32 {
  %0 = no.such_op %x : f32
  // expected-error @above {{Operation no.such_op}}
  // expected-error @above {{not registered}}
  return %0 : f32
}

// -----

// A section without comments that fails is shown by its error.
//
// CHECK: to have the same types as the function output types
func.func @shown(%x : f32) -> f64 {
  return %x : f32
}

// -----

// One that succeeds is shown by its IR.
//
// CHECK: func.func @fine
func.func @fine() {
  return
}
