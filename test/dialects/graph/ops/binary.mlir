// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Shapes broadcast as in numpy, from the last axis on.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.sub %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.mul %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.div %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.maximum %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.minimum %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK:         graph.pow %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
func.func @round_trip(%a : tensor<2x3xf32>, %b : tensor<3xf32>) {
  %0 = graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %1 = graph.sub %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %2 = graph.mul %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %3 = graph.div %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %4 = graph.maximum %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %5 = graph.minimum %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %6 = graph.pow %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

// A symbol broadcasts with itself and with one.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.add %a, %a : tensor<?x1xf32, ["m"]>, tensor<?x1xf32, ["m"]> -> tensor<?x1xf32, ["m"]>
// CHECK:         graph.add %a, %b : tensor<?x1xf32, ["m"]>, tensor<1x?xf32, ["n"]> -> tensor<?x?xf32, ["m", "n"]>
func.func @symbols(%a : tensor<?x1xf32, ["m"]>, %b : tensor<1x?xf32, ["n"]>) {
  %0 = graph.add %a, %a : tensor<?x1xf32, ["m"]>, tensor<?x1xf32, ["m"]> -> tensor<?x1xf32, ["m"]>
  %1 = graph.add %a, %b : tensor<?x1xf32, ["m"]>, tensor<1x?xf32, ["n"]> -> tensor<?x?xf32, ["m", "n"]>
  return
}

// -----

// Sums, products, the greater and the lesser are there for booleans too.
//
// CHECK-LABEL: func.func @booleans
// CHECK:         graph.add %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
// CHECK:         graph.mul %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
// CHECK:         graph.maximum %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
// CHECK:         graph.minimum %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
func.func @booleans(%a : tensor<4xi1>, %b : tensor<i1>) {
  %0 = graph.add %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  %1 = graph.mul %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  %2 = graph.maximum %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  %3 = graph.minimum %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  return
}

// -----

// Booleans have no inverse.
func.func @booleans_have_no_difference(%a : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.sub %a, %a : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return
}

// -----

// A power is one of numbers.
func.func @booleans_have_no_power(%a : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.pow %a, %a : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return
}

// -----

// Nothing is converted unasked.
func.func @dtypes_clash(%a : tensor<4xf32>, %b : tensor<4xf64>) {
  // expected-error {{expected operands of one dtype, got tensor<4xf32> and tensor<4xf64>}}
  %0 = graph.add %a, %b : tensor<4xf32>, tensor<4xf64> -> tensor<4xf64>
  return
}

// -----

// Two sizes agree when they are equal or one of them is one.
func.func @shapes_clash(%a : tensor<4xf32>, %b : tensor<5xf32>) {
  // expected-error {{expected operands that broadcast, got tensor<4xf32> and tensor<5xf32>}}
  %0 = graph.mul %a, %b : tensor<4xf32>, tensor<5xf32> -> tensor<4xf32>
  return
}

// -----

// Two symbols broadcast when the model runs, or the run is refused.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         -> tensor<?xf32, ["broadcast(m, n)"]>
func.func @symbols(%a : tensor<?xf32, ["m"]>, %b : tensor<?xf32, ["n"]>) {
  %0 = graph.div %a, %b : tensor<?xf32, ["m"]>, tensor<?xf32, ["n"]> -> tensor<?xf32, ["broadcast(m, n)"]>
  return
}

// -----

// A symbol is this number or one when the model runs.
//
// CHECK-LABEL: func.func @symbol_and_number
// CHECK:         -> tensor<4xf32>
func.func @symbol_and_number(%a : tensor<?xf32, ["n"]>, %b : tensor<4xf32>) {
  %0 = graph.maximum %a, %b : tensor<?xf32, ["n"]>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// Sizes of one symbol are equal, as a batch is not one beside itself.
//
// CHECK-LABEL: func.func @one_symbol
// CHECK:         -> tensor<?xf32, ["n"]>
func.func @one_symbol(%a : tensor<?xf32, ["2 * floordiv(n, 2)"]>, %b : tensor<?xf32, ["n"]>) {
  %0 = graph.add %a, %b : tensor<?xf32, ["2 * floordiv(n, 2)"]>, tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return
}

// -----

// These sizes are never equal.
func.func @symbols_clash(%a : tensor<?xf32, ["n"]>, %b : tensor<?xf32, ["n + 1"]>) {
  // expected-error {{expected operands that broadcast, got tensor<?xf32, ["n"]> and tensor<?xf32, ["n + 1"]>}}
  %0 = graph.div %a, %b : tensor<?xf32, ["n"]>, tensor<?xf32, ["n + 1"]> -> tensor<?xf32, ["n"]>
  return
}
