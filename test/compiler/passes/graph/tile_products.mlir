// RUN: sr-opt %s -p tile-products,dce | filecheck %s

// Scores of 8 MB: a loop over what is stacked, and in it one over blocks of rows. The mask
// of each of the two is the same for all heads, that of each score the same for all.
//
// CHECK-LABEL: func.func @attention
// CHECK-NOT:     tensor<2x4x512x512xf32>
// CHECK:         graph.loop %{{.*}} {trips = "2"
// CHECK:           graph.loop %{{.*}} {trips = "4"
// CHECK-NOT:         graph.loop
// CHECK:             graph.matmul %{{.*}} : tensor<512x64xf32>, tensor<64x512xf32>
// CHECK:             graph.add %{{.*}} : tensor<512x512xf32>, tensor<1x512xf32>
// CHECK:             graph.add %{{.*}} : tensor<512x512xf32>, tensor<512x512xf32>
// CHECK:             graph.sum %{{.*}} {axes = array<i64: 1>, keepdims = true}
// CHECK:             graph.div
// CHECK:             graph.matmul %{{.*}} : tensor<512x512xf32>, tensor<512x64xf32>
func.func @attention(%q: tensor<2x4x512x64xf32>, %k: tensor<2x4x64x512xf32>, %v: tensor<2x4x512x64xf32>, %m: tensor<2x1x1x512xf32>, %c: tensor<512x512xf32>) -> tensor<2x4x512x64xf32> {
  %0 = graph.matmul %q, %k : tensor<2x4x512x64xf32>, tensor<2x4x64x512xf32> -> tensor<2x4x512x512xf32>
  %1 = graph.add %0, %m : tensor<2x4x512x512xf32>, tensor<2x1x1x512xf32> -> tensor<2x4x512x512xf32>
  %2 = graph.add %1, %c : tensor<2x4x512x512xf32>, tensor<512x512xf32> -> tensor<2x4x512x512xf32>
  %3 = graph.exp %2 : tensor<2x4x512x512xf32> -> tensor<2x4x512x512xf32>
  %4 = graph.sum %3 {axes = array<i64: 3>, keepdims = true} : tensor<2x4x512x512xf32> -> tensor<2x4x512x1xf32>
  %5 = graph.div %3, %4 : tensor<2x4x512x512xf32>, tensor<2x4x512x1xf32> -> tensor<2x4x512x512xf32>
  %6 = graph.matmul %5, %v : tensor<2x4x512x512xf32>, tensor<2x4x512x64xf32> -> tensor<2x4x512x64xf32>
  return %6 : tensor<2x4x512x64xf32>
}

// A block of rows has a megabyte; what is per row is split with the rows.
//
// CHECK-LABEL: func.func @blocks_of_rows
// CHECK:         %[[Q:.*]] = graph.reshape %q {shape = ["8", "128", "64"]}
// CHECK:         %[[M:.*]] = graph.reshape %m {shape = ["8", "128", "1"]}
// CHECK:         %[[L:.*]] = graph.loop {{.*}}trips = "8", carried = 0 : i64, scanned = 2
// CHECK:           graph.matmul %{{.*}} : tensor<128x64xf32>, tensor<64x2048xf32>
// CHECK:           graph.mul %{{.*}} : tensor<128x2048xf32>, tensor<128x1xf32>
// CHECK:         graph.reshape %[[L]] {shape = ["1024", "64"]}
func.func @blocks_of_rows(%q: tensor<1024x64xf32>, %k: tensor<64x2048xf32>, %v: tensor<2048x64xf32>, %m: tensor<1024x1xf32>) -> tensor<1024x64xf32> {
  %0 = graph.matmul %q, %k : tensor<1024x64xf32>, tensor<64x2048xf32> -> tensor<1024x2048xf32>
  %1 = graph.mul %0, %m : tensor<1024x2048xf32>, tensor<1024x1xf32> -> tensor<1024x2048xf32>
  %2 = graph.matmul %1, %v : tensor<1024x2048xf32>, tensor<2048x64xf32> -> tensor<1024x64xf32>
  return %2 : tensor<1024x64xf32>
}

// The products read more than is between them.
//
// CHECK-LABEL: func.func @perceptron
// CHECK-NOT:     graph.loop
func.func @perceptron(%x: tensor<512x1024xf32>, %a: tensor<1024x2048xf32>, %b: tensor<2048x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.matmul %x, %a : tensor<512x1024xf32>, tensor<1024x2048xf32> -> tensor<512x2048xf32>
  %1 = graph.relu %0 : tensor<512x2048xf32> -> tensor<512x2048xf32>
  %2 = graph.matmul %1, %b : tensor<512x2048xf32>, tensor<2048x1024xf32> -> tensor<512x1024xf32>
  return %2 : tensor<512x1024xf32>
}

// Scores that fit.
//
// CHECK-LABEL: func.func @small
// CHECK-NOT:     graph.loop
func.func @small(%q: tensor<256x64xf32>, %k: tensor<64x512xf32>, %v: tensor<512x64xf32>) -> tensor<256x64xf32> {
  %0 = graph.matmul %q, %k : tensor<256x64xf32>, tensor<64x512xf32> -> tensor<256x512xf32>
  %1 = graph.matmul %0, %v : tensor<256x512xf32>, tensor<512x64xf32> -> tensor<256x64xf32>
  return %1 : tensor<256x64xf32>
}

// Scores that are wanted themselves.
//
// CHECK-LABEL: func.func @wanted
// CHECK-NOT:     graph.loop
func.func @wanted(%q: tensor<1024x64xf32>, %k: tensor<64x2048xf32>, %v: tensor<2048x64xf32>) -> (tensor<1024x64xf32>, tensor<1024x2048xf32>) {
  %0 = graph.matmul %q, %k : tensor<1024x64xf32>, tensor<64x2048xf32> -> tensor<1024x2048xf32>
  %1 = graph.matmul %0, %v : tensor<1024x2048xf32>, tensor<2048x64xf32> -> tensor<1024x64xf32>
  return %1, %0 : tensor<1024x64xf32>, tensor<1024x2048xf32>
}

// A sum over columns needs all rows.
//
// CHECK-LABEL: func.func @columns
// CHECK-NOT:     graph.loop
func.func @columns(%q: tensor<1024x64xf32>, %k: tensor<64x2048xf32>, %v: tensor<2048x64xf32>) -> tensor<1024x64xf32> {
  %0 = graph.matmul %q, %k : tensor<1024x64xf32>, tensor<64x2048xf32> -> tensor<1024x2048xf32>
  %1 = graph.sum %0 {axes = array<i64: 0>, keepdims = true} : tensor<1024x2048xf32> -> tensor<1x2048xf32>
  %2 = graph.div %0, %1 : tensor<1024x2048xf32>, tensor<1x2048xf32> -> tensor<1024x2048xf32>
  %3 = graph.matmul %2, %v : tensor<1024x2048xf32>, tensor<2048x64xf32> -> tensor<1024x64xf32>
  return %3 : tensor<1024x64xf32>
}
