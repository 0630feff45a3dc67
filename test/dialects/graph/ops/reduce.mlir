// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Axes that are reduced go, or their size becomes one.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.sum %x {axes = array<i64: 1>, keepdims = true} : tensor<2x3x5xf32> -> tensor<2x1x5xf32>
// CHECK:         graph.prod %x {axes = array<i64: 0, 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<3xf32>
// CHECK:         graph.reduce_max %x {axes = array<i64: 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<2x3xf32>
// CHECK:         graph.reduce_min %x {axes = array<i64: 0, 1, 2>, keepdims = true} : tensor<2x3x5xf32> -> tensor<1x1x1xf32>
// CHECK:         graph.mean %x {axes = array<i64: 0, 1, 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<f32>
func.func @round_trip(%x : tensor<2x3x5xf32>) {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = true} : tensor<2x3x5xf32> -> tensor<2x1x5xf32>
  %1 = graph.prod %x {axes = array<i64: 0, 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<3xf32>
  %2 = graph.reduce_max %x {axes = array<i64: 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<2x3xf32>
  %3 = graph.reduce_min %x {axes = array<i64: 0, 1, 2>, keepdims = true} : tensor<2x3x5xf32> -> tensor<1x1x1xf32>
  %4 = graph.mean %x {axes = array<i64: 0, 1, 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<f32>
  return
}

// -----

// The other axes stay, whatever their size.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<?x?xf32, ["batch", "time"]> -> tensor<?xf32, ["batch"]>
func.func @symbols(%x : tensor<?x?xf32, ["batch", "time"]>) {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<?x?xf32, ["batch", "time"]> -> tensor<?xf32, ["batch"]>
  return
}

// -----

// The greatest and the least are there for booleans too: whether any, whether all.
//
// CHECK-LABEL: func.func @booleans
// CHECK:         graph.reduce_max %x {axes = array<i64: 0>, keepdims = false} : tensor<4xi1> -> tensor<i1>
// CHECK:         graph.reduce_min %x {axes = array<i64: 0>, keepdims = false} : tensor<4xi1> -> tensor<i1>
func.func @booleans(%x : tensor<4xi1>) {
  %0 = graph.reduce_max %x {axes = array<i64: 0>, keepdims = false} : tensor<4xi1> -> tensor<i1>
  %1 = graph.reduce_min %x {axes = array<i64: 0>, keepdims = false} : tensor<4xi1> -> tensor<i1>
  return
}

// -----

// Nothing adds up to zero, and the least that there is may stand for the greatest.
//
// CHECK-LABEL: func.func @no_elements
// CHECK:         graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<2x0xf32> -> tensor<2xf32>
// CHECK:         graph.reduce_max %x {axes = array<i64: 1>, keepdims = false, or_identity} : tensor<2x0xf32> -> tensor<2xf32>
func.func @no_elements(%x : tensor<2x0xf32>) {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<2x0xf32> -> tensor<2xf32>
  %1 = graph.reduce_max %x {axes = array<i64: 1>, keepdims = false, or_identity} : tensor<2x0xf32> -> tensor<2xf32>
  return
}

// -----

// Of no elements none is the greatest.
func.func @nothing_is_greatest(%x : tensor<2x0xf32>) {
  // expected-error {{expected elements to reduce, got tensor<2x0xf32>}}
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keepdims = false} : tensor<2x0xf32> -> tensor<2xf32>
  return
}

// -----

// A boolean is not a number.
func.func @booleans_have_no_sum(%x : tensor<4xi1>) {
  // expected-error {{expected number elements, got tensor<4xi1>}}
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false} : tensor<4xi1> -> tensor<i1>
  return
}

// -----

// A mean has a fraction.
func.func @integers_have_no_mean(%x : tensor<4xi32>) {
  // expected-error {{expected float elements, got tensor<4xi32>}}
  %0 = graph.mean %x {axes = array<i64: 0>, keepdims = false} : tensor<4xi32> -> tensor<i32>
  return
}

// -----

// The axes are the operand's.
func.func @axis_out_of_range(%x : tensor<2x3xf32>) {
  // expected-error {{expected an axis from -2 to 1, got 2}}
  %0 = graph.sum %x {axes = array<i64: 2>, keepdims = false} : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// There is one way to write a reduction.
func.func @axes_from_the_end(%x : tensor<2x3xf32>) {
  // expected-error {{expected axes counted from the front in rising order, got (-1,)}}
  %0 = graph.prod %x {axes = array<i64: -1>, keepdims = false} : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

// An axis is reduced once.
func.func @axis_twice(%x : tensor<2x3xf32>) {
  // expected-error {{expected axes counted from the front in rising order, got (1, 1)}}
  %0 = graph.reduce_min %x {axes = array<i64: 1, 1>, keepdims = false} : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

// Bytes are summed in i32 where the op says so.
//
// CHECK-LABEL: func.func @bytes
// CHECK:         graph.sum %x {axes = array<i64: 0>, keepdims = false, to = i32} : tensor<2x3xui8> -> tensor<3xi32>
func.func @bytes(%x : tensor<2x3xui8>) {
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false, to = i32} : tensor<2x3xui8> -> tensor<3xi32>
  return
}

// -----

// A load of an f32 widens nothing.
func.func @wider_sums_of_floats(%x : tensor<2x3xf32>) {
  // expected-error {{expected bytes for sums of f64, got tensor<2x3xf32>}}
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false, to = f64} : tensor<2x3xf32> -> tensor<3xf64>
  return
}
