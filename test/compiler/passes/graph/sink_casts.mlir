// RUN: sr-opt %s -p sink-casts | filecheck %s

// What only moves elements moves narrow ones; each user then widens them itself.
//
// CHECK-LABEL: func.func @moved
// CHECK-NEXT:    %[[TURNED:.*]] = graph.permute %x {order = array<i64: 1, 0>} : tensor<3x5xsi8> -> tensor<5x3xsi8>
// CHECK-NEXT:    %[[FIRST:.*]] = graph.cast %[[TURNED]] {to = i32} : tensor<5x3xsi8> -> tensor<5x3xi32>
// CHECK-NEXT:    %[[WIDE:.*]] = graph.pad %x {{.*}} : tensor<3x5xsi8> -> tensor<3x6xsi8>
// CHECK-NEXT:    %[[SECOND:.*]] = graph.cast %[[WIDE]] {to = i32} : tensor<3x6xsi8> -> tensor<3x6xi32>
// CHECK-NEXT:    return %[[FIRST]], %[[SECOND]]
func.func @moved(%x: tensor<3x5xsi8>) -> (tensor<5x3xi32>, tensor<3x6xi32>) {
  %1 = graph.cast %x {to = i32} : tensor<3x5xsi8> -> tensor<3x5xi32>
  %2 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<3x5xi32> -> tensor<5x3xi32>
  %3 = graph.pad %1 {low = array<i64: 0, 1>, high = array<i64: 0, 0>, value = 0.0 : f64} : tensor<3x5xi32> -> tensor<3x6xi32>
  return %2, %3 : tensor<5x3xi32>, tensor<3x6xi32>
}

// A cast goes behind a chain, and behind an op that takes several.
//
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    graph.reshape %x {{.*}} : tensor<3x5xui8> -> tensor<15xui8>
// CHECK-NEXT:    graph.concat {{.*}} : tensor<15xui8>, tensor<15xui8> -> tensor<30xui8>
// CHECK-NEXT:    graph.cast
// CHECK-NEXT:    return
func.func @chain(%x: tensor<3x5xui8>, %y: tensor<15xui8>) -> tensor<30xi32> {
  %1 = graph.cast %x {to = i32} : tensor<3x5xui8> -> tensor<3x5xi32>
  %2 = graph.cast %y {to = i32} : tensor<15xui8> -> tensor<15xi32>
  %3 = graph.reshape %1 {shape = ["15"]} : tensor<3x5xi32> -> tensor<15xi32>
  %4 = graph.concat %3, %2 {axis = 0 : i64} : tensor<15xi32>, tensor<15xi32> -> tensor<30xi32>
  return %4 : tensor<30xi32>
}

// Two users get a cast each.
//
// CHECK-LABEL: func.func @each
// CHECK-NEXT:    %[[A:.*]] = graph.cast %x
// CHECK-NEXT:    %[[B:.*]] = graph.cast %x
// CHECK-NEXT:    graph.abs %[[A]]
// CHECK-NEXT:    graph.relu %[[B]]
func.func @each(%x: tensor<4xsi8>) -> (tensor<4xi32>, tensor<4xi32>) {
  %1 = graph.cast %x {to = i32} : tensor<4xsi8> -> tensor<4xi32>
  %2 = graph.abs %1 : tensor<4xi32> -> tensor<4xi32>
  %3 = graph.relu %1 : tensor<4xi32> -> tensor<4xi32>
  return %2, %3 : tensor<4xi32>, tensor<4xi32>
}

// A padding with a number that a byte has not stays wide.
//
// CHECK-LABEL: func.func @wide_padding
// CHECK-NEXT:    graph.cast
// CHECK-NEXT:    graph.pad {{.*}} : tensor<5xi32> -> tensor<6xi32>
// CHECK-NEXT:    return
func.func @wide_padding(%x: tensor<5xsi8>) -> tensor<6xi32> {
  %1 = graph.cast %x {to = i32} : tensor<5xsi8> -> tensor<5xi32>
  %2 = graph.pad %1 {low = array<i64: 1>, high = array<i64: 0>, value = 300.0 : f64} : tensor<5xi32> -> tensor<6xi32>
  return %2 : tensor<6xi32>
}

// What computes of elements computes of wide ones: a sum of bytes is none.
//
// CHECK-LABEL: func.func @computed
// CHECK-NEXT:    graph.cast
// CHECK-NEXT:    graph.sum
// CHECK-NEXT:    return
func.func @computed(%x: tensor<3x5xsi8>) -> tensor<3xi32> {
  %1 = graph.cast %x {to = i32} : tensor<3x5xsi8> -> tensor<3x5xi32>
  %2 = graph.sum %1 {axes = array<i64: 1>, keepdims = false} : tensor<3x5xi32> -> tensor<3xi32>
  return %2 : tensor<3xi32>
}

// A load of a byte is no f32, and no i64: such a cast computes.
//
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    graph.cast
// CHECK-NEXT:    graph.permute {{.*}} : tensor<3x5xf32> -> tensor<5x3xf32>
func.func @other(%x: tensor<3x5xsi8>) -> tensor<5x3xf32> {
  %1 = graph.cast %x {to = f32} : tensor<3x5xsi8> -> tensor<3x5xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<3x5xf32> -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}
