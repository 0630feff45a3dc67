// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Each axis grows by what is put before and after it.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.pad %x {low = array<i64: 0, 1>, high = array<i64: 2, 1>, value = 0.000000e+00 : f64} : tensor<3x5xf32> -> tensor<5x7xf32>
func.func @round_trip(%x : tensor<3x5xf32>) {
  %0 = graph.pad %x {low = array<i64: 0, 1>, high = array<i64: 2, 1>, value = 0.000000e+00 : f64} : tensor<3x5xf32> -> tensor<5x7xf32>
  return
}

// -----

// An axis of any size grows too.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.pad %x {low = array<i64: 1>, high = array<i64: 2>, value = 0.000000e+00 : f64} : tensor<?xf32, ["length"]> -> tensor<?xf32, ["length + 3"]>
func.func @symbols(%x : tensor<?xf32, ["length"]>) {
  %0 = graph.pad %x {low = array<i64: 1>, high = array<i64: 2>, value = 0.000000e+00 : f64} : tensor<?xf32, ["length"]> -> tensor<?xf32, ["length + 3"]>
  return
}

// -----

// There are two counts for each axis.
func.func @too_few_counts(%x : tensor<3x5xf32>) {
  // expected-error {{expected two counts for each axis of tensor<3x5xf32>, got (0, 1) and (2,)}}
  %0 = graph.pad %x {low = array<i64: 0, 1>, high = array<i64: 2>, value = 0.000000e+00 : f64} : tensor<3x5xf32> -> tensor<5x6xf32>
  return
}

// -----

// To take elements away is a slice.
func.func @nothing_is_cut_off(%x : tensor<3xf32>) {
  // expected-error {{expected two counts for each axis of tensor<3xf32>, got (-1,) and (0,)}}
  %0 = graph.pad %x {low = array<i64: -1>, high = array<i64: 0>, value = 0.000000e+00 : f64} : tensor<3xf32> -> tensor<2xf32>
  return
}
