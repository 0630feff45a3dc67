// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Walks in groups, each with its number of steps.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.descend %x, %f, %l, %n, %s {walks = array<i64: 2, 3>, steps = array<i64: 1, 4>} : tensor<?x4xf32, ["n"]>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<5xi32> -> tensor<?x5xi32, ["n"]>
func.func @round_trip(%x : tensor<?x4xf32, ["n"]>, %f : tensor<9xi32>, %l : tensor<9xf32>, %n : tensor<9x2xi32>, %s : tensor<5xi32>) {
  %0 = graph.descend %x, %f, %l, %n, %s {walks = array<i64: 2, 3>, steps = array<i64: 1, 4>} : tensor<?x4xf32, ["n"]>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<5xi32> -> tensor<?x5xi32, ["n"]>
  return
}

// -----

// Numbers of all places have one type, and limits that of the rows.
func.func @types(%x : tensor<7x4xf32>, %f : tensor<9xi32>, %l : tensor<9xf64>, %n : tensor<9x2xi32>, %s : tensor<5xi32>) {
  // expected-error {{expected limits as the rows tensor<7x4xf32> and places as tensor<9xi32>, got tensor<9xf64>, tensor<9x2xi32> and tensor<5xi32>}}
  %0 = graph.descend %x, %f, %l, %n, %s {walks = array<i64: 5>, steps = array<i64: 1>} : tensor<7x4xf32>, tensor<9xi32>, tensor<9xf64>, tensor<9x2xi32>, tensor<5xi32> -> tensor<7x5xi32>
  return
}

// -----

// Each group has a number of steps.
func.func @groups(%x : tensor<7x4xf32>, %f : tensor<9xi32>, %l : tensor<9xf32>, %n : tensor<9x2xi32>, %s : tensor<5xi32>) {
  // expected-error {{expected steps of each group of walks, got (2, 3) and (1,)}}
  %0 = graph.descend %x, %f, %l, %n, %s {walks = array<i64: 2, 3>, steps = array<i64: 1>} : tensor<7x4xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<5xi32> -> tensor<7x5xi32>
  return
}

// -----

// Each walk has a start.
func.func @starts(%x : tensor<7x4xf32>, %f : tensor<9xi32>, %l : tensor<9xf32>, %n : tensor<9x2xi32>, %s : tensor<5xi32>) {
  // expected-error {{expected rows, a feature, a limit and 1 to 3 next places for each place, and 4 starts, got tensor<7x4xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32> and tensor<5xi32>}}
  %0 = graph.descend %x, %f, %l, %n, %s {walks = array<i64: 4>, steps = array<i64: 1>} : tensor<7x4xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<5xi32> -> tensor<7x4xi32>
  return
}

// -----

// Every place has a limit.
func.func @places(%x : tensor<7x4xf32>, %f : tensor<9xi32>, %l : tensor<8xf32>, %n : tensor<9x2xi32>, %s : tensor<5xi32>) {
  // expected-error {{expected rows, a feature, a limit and 1 to 3 next places for each place, and 5 starts, got tensor<7x4xf32>, tensor<9xi32>, tensor<8xf32>, tensor<9x2xi32> and tensor<5xi32>}}
  %0 = graph.descend %x, %f, %l, %n, %s {walks = array<i64: 5>, steps = array<i64: 1>} : tensor<7x4xf32>, tensor<9xi32>, tensor<8xf32>, tensor<9x2xi32>, tensor<5xi32> -> tensor<7x5xi32>
  return
}
