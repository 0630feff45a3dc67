// REQUIRES: native-host
// RUN: sr-opt %s -o %t.mlir
// RUN: sr-run %t.mlir --no-cache | filecheck %s
// RUN: not sr-run %t.mlir --size m=7 2>&1 | filecheck %s --check-prefix=SYMBOL

// A line for each output, whatever the inputs at random are.
//
// CHECK:      zeros: float32[1, 3]  min 0  mean 0  max 0
// CHECK-NEXT: truths: bool[1, 3]
// CHECK-NOT:  float

// SYMBOL: sr-run: expected a symbol of the model (n) and a number, got m=7
func.func @main(%x : tensor<?x3xf32, ["n"]>)
    -> (tensor<?x3xf32, ["n"]>, tensor<?x3xi1, ["n"]>)
    attributes {graph.output_names = ["zeros", "truths"]} {
  %0 = graph.sub %x, %x
    : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  %1 = graph.eq %x, %x
    : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["n"]> -> tensor<?x3xi1, ["n"]>
  return %0, %1 : tensor<?x3xf32, ["n"]>, tensor<?x3xi1, ["n"]>
}
