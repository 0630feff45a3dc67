// RUN: not sr-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// What was expected and what came is told for every section at once, by file and line.

// CHECK: opt_diagnostics_differ.mlir:7: expected error "never comes", got none
func.func @missing() {
  // expected-error {{never comes}}
  return
}

// -----

// CHECK: opt_diagnostics_differ.mlir:15: expected error "another", got "{{.*}}function output types
func.func @another(%x : f32) -> f64 {
  // expected-error {{another}}
  return %x : f32
}

// -----

// CHECK: opt_diagnostics_differ.mlir:23: expected error "registered", got "{{.*}}not registered{{.*}}" on line 24
func.func @another_line(%x : f32) -> f32 {
  // expected-error {{registered}}
  %0 = no.such_op %x : f32
  return %0 : f32
}
