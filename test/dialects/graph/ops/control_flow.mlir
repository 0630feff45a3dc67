// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Both regions take what comes after the condition.
//
// CHECK-LABEL: func.func @choice
// CHECK:         %[[R:.*]] = graph.if %c, %x : tensor<i1>, tensor<3xf32> -> tensor<3xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<3xf32>):
// CHECK-NEXT:      %[[B:.*]] = graph.neg %[[A]]
// CHECK-NEXT:      graph.yield %[[B]] : tensor<3xf32>
// CHECK-NEXT:    } {
// CHECK-NEXT:    ^bb0(%[[C:.*]]: tensor<3xf32>):
// CHECK-NEXT:      graph.yield %[[C]] : tensor<3xf32>
// CHECK-NEXT:    }
func.func @choice(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.if %c, %x : tensor<i1>, tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  } {
  ^bb0(%a: tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

// A loop carries values, sees elements of others, and stacks what it yields besides.
//
// CHECK-LABEL: func.func @scan
// CHECK:         graph.loop %h, %xs, %w {trips = "seq", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 1, 0>}
// CHECK-SAME:    -> tensor<3xf32>, tensor<?x3xf32, ["seq"]> {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>):
func.func @scan(%h: tensor<3xf32>, %xs: tensor<?x3xf32, ["seq"]>, %w: tensor<3xf32>) {
  %0, %1 = graph.loop %h, %xs, %w {trips = "seq", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 1, 0>} : tensor<3xf32>, tensor<?x3xf32, ["seq"]>, tensor<3xf32> -> tensor<3xf32>, tensor<?x3xf32, ["seq"]> {
  ^bb0(%a: tensor<3xf32>, %x: tensor<3xf32>, %b: tensor<3xf32>):
    %2 = graph.mul %x, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %3 = graph.add %a, %2 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %3, %2 : tensor<3xf32>, tensor<3xf32>
  }
  return
}

// -----

// With a condition it yields first whether to go on.
//
// CHECK-LABEL: func.func @while
// CHECK:         graph.loop %c, %n {trips = "9223372036854775807", carried = 1 : i64, scanned = 0 : i64, conditional = true, backward = array<i64>} : tensor<i1>, tensor<i64> -> tensor<i64> {
func.func @while(%c: tensor<i1>, %n: tensor<i64>) {
  %0 = graph.loop %c, %n {trips = "9223372036854775807", carried = 1 : i64, scanned = 0 : i64, conditional = true, backward = array<i64>} : tensor<i1>, tensor<i64> -> tensor<i64> {
  ^bb0(%i: tensor<i64>):
    %1 = graph.add %i, %i : tensor<i64>, tensor<i64> -> tensor<i64>
    %2 = graph.gt %1, %i : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %2, %1 : tensor<i1>, tensor<i64>
  }
  return
}

// -----

// A condition is one boolean.
func.func @condition_of_numbers(%c: tensor<f32>) {
  // expected-error {{expected a condition tensor<i1>, got tensor<f32>}}
  %0 = graph.if %c : tensor<f32> -> tensor<f32> {
    %1 = graph.constant dense<1.0> : tensor<f32>
    graph.yield %1 : tensor<f32>
  } {
    %1 = graph.constant dense<1.0> : tensor<f32>
    graph.yield %1 : tensor<f32>
  }
  return
}

// -----

// Both regions yield the same types.
func.func @branches_differ(%c: tensor<i1>) {
  // expected-error {{expected to yield tensor<f32>, got tensor<i64>}}
  %0 = graph.if %c : tensor<i1> -> tensor<f32> {
    %1 = graph.constant dense<1.0> : tensor<f32>
    graph.yield %1 : tensor<f32>
  } {
    %1 = graph.constant dense<1> : tensor<i64>
    graph.yield %1 : tensor<i64>
  }
  return
}

// -----

// What is carried keeps its type.
func.func @carried_changes(%x: tensor<3xf32>) {
  // expected-error {{expected results tensor<3xf32>, got tensor<6xf32>}}
  %0 = graph.loop %x {trips = "2", carried = 1 : i64, scanned = 0 : i64, conditional = false, backward = array<i64>} : tensor<3xf32> -> tensor<6xf32> {
  ^bb0(%a: tensor<3xf32>):
    %1 = graph.concat %a, %a {axis = 0 : i64} : tensor<3xf32>, tensor<3xf32> -> tensor<6xf32>
    graph.yield %1 : tensor<6xf32>
  }
  return
}

// -----

// There is an element for each trip.
func.func @too_few_elements(%x: tensor<3xf32>) {
  // expected-error {{expected 5 elements to scan, got tensor<3xf32>}}
  %0 = graph.loop %x {trips = "5", carried = 0 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0, 0>} : tensor<3xf32> -> tensor<5xf32> {
  ^bb0(%a: tensor<f32>):
    graph.yield %a : tensor<f32>
  }
  return
}

// -----

// A region sees nothing else of outside.
func.func @sees_outside(%c: tensor<i1>, %x: tensor<3xf32>) {
  // expected-error {{expected region arguments tensor<3xf32>, got }}
  %0 = graph.if %c, %x : tensor<i1>, tensor<3xf32> -> tensor<f32> {
    %1 = graph.constant dense<1.0> : tensor<f32>
    graph.yield %1 : tensor<f32>
  } {
    %1 = graph.constant dense<1.0> : tensor<f32>
    graph.yield %1 : tensor<f32>
  }
  return
}
