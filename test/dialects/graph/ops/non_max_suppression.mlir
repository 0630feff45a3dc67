// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A count, a number for each box that is chosen, and room for the boxes of a class.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.non_max_suppression %boxes, %scores, %limit, %overlap, %threshold {most = "3", center = false, strict = true} : tensor<2x5x4xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<24xi64>
// CHECK:         graph.non_max_suppression %boxes, %scores, %limit, %overlap, %threshold {most = "0", center = true, strict = false} : tensor<2x5x4xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<6xi64>
func.func @round_trip(%boxes : tensor<2x5x4xf32>, %scores : tensor<2x3x5xf32>, %limit : tensor<i64>, %overlap : tensor<f32>, %threshold : tensor<f32>) {
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %threshold {most = "3", center = false, strict = true} : tensor<2x5x4xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<24xi64>
  %1 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %threshold {most = "0", center = true, strict = false} : tensor<2x5x4xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<6xi64>
  return
}

// -----

// Any size may be open; images and boxes that are named twice are assumed to be as many.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         -> tensor<?xi64, ["b * c * n + n + 1"]>
// CHECK:         -> tensor<?xi64, ["b * c * n + n + 1"]>
func.func @symbols(%boxes : tensor<?x?x4xf64, ["b", "n"]>, %scores : tensor<?x?x?xf64, ["b", "c", "n"]>, %others : tensor<?x?x?xf64, ["d", "c", "m"]>, %limit : tensor<i64>, %overlap : tensor<f64>) {
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %overlap {most = "n", center = false, strict = true} : tensor<?x?x4xf64, ["b", "n"]>, tensor<?x?x?xf64, ["b", "c", "n"]>, tensor<i64>, tensor<f64>, tensor<f64> -> tensor<?xi64, ["b * c * n + n + 1"]>
  %1 = graph.non_max_suppression %boxes, %others, %limit, %overlap, %overlap {most = "n", center = false, strict = true} : tensor<?x?x4xf64, ["b", "n"]>, tensor<?x?x?xf64, ["d", "c", "m"]>, tensor<i64>, tensor<f64>, tensor<f64> -> tensor<?xi64, ["b * c * n + n + 1"]>
  return
}

// -----

// A box is four numbers.
func.func @boxes_of_five(%boxes : tensor<2x5x5xf32>, %scores : tensor<2x3x5xf32>, %limit : tensor<i64>, %overlap : tensor<f32>) {
  // expected-error {{expected boxes BxNx4 and scores BxCxN, got tensor<2x5x5xf32> and tensor<2x3x5xf32>}}
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %overlap {most = "3", center = false, strict = true} : tensor<2x5x5xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<24xi64>
  return
}

// -----

// Each box has a score of each class.
func.func @a_score_more(%boxes : tensor<2x5x4xf32>, %scores : tensor<2x3x6xf32>, %limit : tensor<i64>, %overlap : tensor<f32>) {
  // expected-error {{expected boxes BxNx4 and scores BxCxN, got tensor<2x5x4xf32> and tensor<2x3x6xf32>}}
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %overlap {most = "3", center = false, strict = true} : tensor<2x5x4xf32>, tensor<2x3x6xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<24xi64>
  return
}

// -----

// Thresholds have the type of the scores.
func.func @another_threshold(%boxes : tensor<2x5x4xf32>, %scores : tensor<2x3x5xf32>, %limit : tensor<i64>, %overlap : tensor<f64>) {
  // expected-error {{expected a limit tensor<i64> and thresholds tensor<f32>, got tensor<i64>, tensor<f64> and tensor<f64>}}
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %overlap, %overlap {most = "3", center = false, strict = true} : tensor<2x5x4xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f64>, tensor<f64> -> tensor<24xi64>
  return
}

// -----

// Scores have an order.
func.func @whole_numbers(%boxes : tensor<2x5x4xi64>, %scores : tensor<2x3x5xi64>, %limit : tensor<i64>) {
  // expected-error {{expected float elements, got tensor<2x5x4xi64>}}
  %0 = graph.non_max_suppression %boxes, %scores, %limit, %limit, %limit {most = "3", center = false, strict = true} : tensor<2x5x4xi64>, tensor<2x3x5xi64>, tensor<i64>, tensor<i64>, tensor<i64> -> tensor<24xi64>
  return
}
