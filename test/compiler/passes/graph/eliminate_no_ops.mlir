// RUN: sr-opt %s -p eliminate-no-ops | filecheck %s

// Ops that only pass their operand on are gone, and their users read the operand.
//
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    return %[[R]]
func.func @chain(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.concat %0 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.relu %1 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// No op is named in the pass: each of these moves every element to where it was.
//
// CHECK-LABEL: func.func @every_kind
// CHECK-NEXT:    return %x
func.func @every_kind(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %x {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.slice %0 {starts = ["0", "0"], sizes = ["2", "3"], steps = array<i64: 1, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.permute %1 {order = array<i64: 0, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.expand %2 {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.pad %3 {low = array<i64: 0, 0>, high = array<i64: 0, 0>, value = 0.0 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// A slice of all that there is, however much that is.
//
// CHECK-LABEL: func.func @symbols
// CHECK-NEXT:    return %x
func.func @symbols(%x : tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.slice %x {starts = ["0"], sizes = ["n"], steps = array<i64: 1>} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %0 : tensor<?xf32, ["n"]>
}

// One element is in order forwards and backwards.
//
// CHECK-LABEL: func.func @one_element
// CHECK-NEXT:    return %x
func.func @one_element(%x : tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.slice %x {starts = ["0", "0"], sizes = ["1", "1"], steps = array<i64: 1, -1>} : tensor<1x1xf32> -> tensor<1x1xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<1x1xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// The type is the same, but the elements change places.
//
// CHECK-LABEL: func.func @elements_change_places
// CHECK:         graph.slice
// CHECK:         graph.permute
func.func @elements_change_places(%x : tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = graph.slice %x {starts = ["0", "2"], sizes = ["3", "3"], steps = array<i64: 1, -1>} : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<3x3xf32> -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// The elements stay in place, but their type or the shape around them changes.
//
// CHECK-LABEL: func.func @type_changes
// CHECK:         graph.cast
// CHECK:         graph.reshape
func.func @type_changes(%x : tensor<2x3xf32>) -> tensor<6xf64> {
  %0 = graph.cast %x {to = f64} : tensor<2x3xf32> -> tensor<2x3xf64>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf64> -> tensor<6xf64>
  return %1 : tensor<6xf64>
}

// The shape stays, but something is computed.
//
// CHECK-LABEL: func.func @elements_change
// CHECK:         graph.neg
func.func @elements_change(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A sum of one element is not always that element: that of -0.0 is 0.0.
//
// CHECK-LABEL: func.func @reduces_one_element
// CHECK:         graph.sum
func.func @reduces_one_element(%x : tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = true} : tensor<3x1xf32> -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// Somebody asked for memory that nothing else shares.
//
// CHECK-LABEL: func.func @copy_is_meant
// CHECK:         graph.copy
func.func @copy_is_meant(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.copy %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
