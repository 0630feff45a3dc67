// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Elements are taken forwards, backwards, or every few.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.slice %x {starts = ["0", "1"], sizes = ["2", "2"], steps = array<i64: 1, 2>} : tensor<2x5xf32> -> tensor<2x2xf32>
// CHECK:         graph.slice %x {starts = ["1", "4"], sizes = ["1", "5"], steps = array<i64: 1, -1>} : tensor<2x5xf32> -> tensor<1x5xf32>
func.func @round_trip(%x : tensor<2x5xf32>) {
  %0 = graph.slice %x {starts = ["0", "1"], sizes = ["2", "2"], steps = array<i64: 1, 2>} : tensor<2x5xf32> -> tensor<2x2xf32>
  %1 = graph.slice %x {starts = ["1", "4"], sizes = ["1", "5"], steps = array<i64: 1, -1>} : tensor<2x5xf32> -> tensor<1x5xf32>
  return
}

// -----

// Where a slice begins and ends may depend on symbols.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.slice %x {starts = ["length - 2"], sizes = ["2"], steps = array<i64: 1>} : tensor<?xf32, ["length"]> -> tensor<2xf32>
// CHECK:         graph.slice %x {starts = ["1"], sizes = ["length - 1"], steps = array<i64: 1>} : tensor<?xf32, ["length"]> -> tensor<?xf32, ["length - 1"]>
func.func @symbols(%x : tensor<?xf32, ["length"]>) {
  %0 = graph.slice %x {starts = ["length - 2"], sizes = ["2"], steps = array<i64: 1>} : tensor<?xf32, ["length"]> -> tensor<2xf32>
  %1 = graph.slice %x {starts = ["1"], sizes = ["length - 1"], steps = array<i64: 1>} : tensor<?xf32, ["length"]> -> tensor<?xf32, ["length - 1"]>
  return
}

// -----

// There is one start, size and step for each axis.
func.func @too_few_starts(%x : tensor<2x5xf32>) {
  // expected-error {{expected a start, size and step for each axis of tensor<2x5xf32>, got ('1',), ('2',) and (1,)}}
  %0 = graph.slice %x {starts = ["1"], sizes = ["2"], steps = array<i64: 1>} : tensor<2x5xf32> -> tensor<2x2xf32>
  return
}

// -----

// The last element is one of the operand's.
func.func @beyond_the_end(%x : tensor<5xf32>) {
  // expected-error {{expected elements inside tensor<5xf32>, got starts ('4',), sizes ('2',) and steps (1,)}}
  %0 = graph.slice %x {starts = ["4"], sizes = ["2"], steps = array<i64: 1>} : tensor<5xf32> -> tensor<2xf32>
  return
}

// -----

// The first element is one of the operand's.
func.func @before_the_beginning(%x : tensor<5xf32>) {
  // expected-error {{expected elements inside tensor<5xf32>, got starts ('1',), sizes ('3',) and steps (-1,)}}
  %0 = graph.slice %x {starts = ["1"], sizes = ["3"], steps = array<i64: -1>} : tensor<5xf32> -> tensor<3xf32>
  return
}

// -----

// One past the last element is out of range whatever the symbol is.
func.func @beyond_any_end(%x : tensor<?xf32, ["length"]>) {
  // expected-error {{expected elements inside tensor<?xf32, ["length"]>, got starts ('length',), sizes ('1',) and steps (1,)}}
  %0 = graph.slice %x {starts = ["length"], sizes = ["1"], steps = array<i64: 1>} : tensor<?xf32, ["length"]> -> tensor<1xf32>
  return
}
