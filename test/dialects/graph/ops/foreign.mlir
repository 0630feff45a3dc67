// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The node is kept as it is, and the types of its results as dimensions and elements.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.foreign %x {framework = "onnx.reference", op = "Det", node = "Cgp=", requires = ["my.ops:Det"], shapes = ["n"], ranks = array<i64: 1>, elements = [f32], numbers = []} : tensor<?x3x3xf32, ["n"]> -> tensor<?xf32, ["n"]>
// CHECK:         graph.foreign %x {framework = "torch", op = "my.two.default", node = "{}", requires = [], shapes = ["2 * n", "4"], ranks = array<i64: 0, 2>, elements = [i64, i1], numbers = ["n"]} : tensor<?x3x3xf32, ["n"]> -> tensor<i64>, tensor<?x4xi1, ["2 * n"]>
func.func @round_trip(%x : tensor<?x3x3xf32, ["n"]>) {
  %0 = graph.foreign %x {framework = "onnx.reference", op = "Det", node = "Cgp=", requires = ["my.ops:Det"], shapes = ["n"], ranks = array<i64: 1>, elements = [f32], numbers = []} : tensor<?x3x3xf32, ["n"]> -> tensor<?xf32, ["n"]>
  %1, %2 = graph.foreign %x {framework = "torch", op = "my.two.default", node = "{}", requires = [], shapes = ["2 * n", "4"], ranks = array<i64: 0, 2>, elements = [i64, i1], numbers = ["n"]} : tensor<?x3x3xf32, ["n"]> -> tensor<i64>, tensor<?x4xi1, ["2 * n"]>
  return
}

// -----

// Each result has a rank, and the dimensions are those of all results.
func.func @ranks(%x : tensor<2xf32>) {
  // expected-error {{expected a rank for each of 1 results, which add up to 2 dimensions, got [1]}}
  %0 = graph.foreign %x {framework = "torch", op = "my.one", node = "{}", requires = [], shapes = ["2", "3"], ranks = array<i64: 1>, elements = [f32], numbers = []} : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// Elements are of a type that calls can have.
func.func @elements(%x : tensor<2xf32>) {
  // expected-error {{got bf16}}
  %0 = graph.foreign %x {framework = "torch", op = "my.one", node = "{}", requires = [], shapes = ["2"], ranks = array<i64: 1>, elements = [bf16], numbers = []} : tensor<2xf32> -> tensor<2xbf16>
  return
}
