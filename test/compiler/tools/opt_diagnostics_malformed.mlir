// RUN: not sr-opt %s --verify-diagnostics 2>&1 | filecheck %s

// A comment that only looks like an expectation would never fail: it is refused.
//
// CHECK: sr-opt: {{.*}}malformed.mlir:7: expected a comment like `expected-error @+1 {{.*}}`, got `expected-warning
func.func @f() {
  // expected-warning {{no warnings here}}
  return
}
