// RUN: sr-opt %s -p assign-layouts | filecheck %s

// A chain of convolutions is computed with its channels last. It is put in this order
// where it begins, and back where it ends; weights come with it.
//
// CHECK-LABEL: func.func @chain
// CHECK-DAG:     %[[X:.*]] = graph.permute %x {order = array<i64: 0, 2, 3, 1>} : tensor<?x64x8x8xf32, ["batch"]> -> tensor<?x8x8x64xf32, ["batch"]>
// CHECK-DAG:     %[[V:.*]] = graph.permute %v {order = array<i64: 2, 3, 1, 0>} : tensor<32x64x3x3xf32> -> tensor<3x3x64x32xf32>
// CHECK:         %[[FIRST:.*]] = graph.conv %[[X]], %[[V]] {{{.*}}, channels_last}
// CHECK-NEXT:    %[[RELU:.*]] = graph.relu %[[FIRST]] : tensor<?x6x6x32xf32, ["batch"]>
// CHECK-NEXT:    %[[W:.*]] = graph.permute %w {order = array<i64: 2, 3, 1, 0>}
// CHECK-NEXT:    %[[SECOND:.*]] = graph.conv %[[RELU]], %[[W]] {{{.*}}, channels_last}
// CHECK-NEXT:    %[[OUT:.*]] = graph.permute %[[SECOND]] {order = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT:    return %[[OUT]]
func.func @chain(%x : tensor<?x64x8x8xf32, ["batch"]>) -> tensor<?x64x4x4xf32, ["batch"]> {
  %v = graph.constant dense<0.5> : tensor<32x64x3x3xf32>
  %w = graph.constant dense<0.5> : tensor<64x32x3x3xf32>
  %1 = graph.conv %x, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<?x64x8x8xf32, ["batch"]>, tensor<32x64x3x3xf32> -> tensor<?x32x6x6xf32, ["batch"]>
  %2 = graph.relu %1 : tensor<?x32x6x6xf32, ["batch"]> -> tensor<?x32x6x6xf32, ["batch"]>
  %3 = graph.conv %2, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<?x32x6x6xf32, ["batch"]>, tensor<64x32x3x3xf32> -> tensor<?x64x4x4xf32, ["batch"]>
  return %3 : tensor<?x64x4x4xf32, ["batch"]>
}

// What comes after is carried along: axes among its properties change, what is
// broadcast is put in order as well. Where all but one axis have one element, the order
// is undone by a view.
//
// CHECK-LABEL: func.func @carried
// CHECK:         %[[CONV:.*]] = graph.conv
// CHECK-NEXT:    %[[BIAS:.*]] = graph.reshape %b {shape = ["1", "1", "1", "64"]} : tensor<64x1x1xf32> -> tensor<1x1x1x64xf32>
// CHECK-NEXT:    %[[SUM:.*]] = graph.add %[[CONV]], %[[BIAS]]
// CHECK-NEXT:    %[[BOTH:.*]] = graph.concat %[[SUM]], %[[CONV]] {axis = 3 : i64}
// CHECK-NEXT:    %[[WIDER:.*]] = graph.pad %[[BOTH]] {low = array<i64: 0, 1, 2, 0>, high = array<i64: 0, 0, 0, 0>
// CHECK-NEXT:    %[[POOL:.*]] = graph.max_pool %[[WIDER]] {{{.*}}, channels_last}
// CHECK-NEXT:    %[[TOTAL:.*]] = graph.sum %[[POOL]] {axes = array<i64: 1, 2>, keepdims = true} : tensor<1x5x6x128xf32> -> tensor<1x1x1x128xf32>
// CHECK-NEXT:    %[[OUT:.*]] = graph.reshape %[[TOTAL]] {shape = ["1", "128"]}
// CHECK-NEXT:    return %[[OUT]]
func.func @carried(%x : tensor<1x64x4x4xf32>, %b : tensor<64x1x1xf32>) -> tensor<1x128xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x1x1xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x4x4xf32>, tensor<64x64x1x1xf32> -> tensor<1x64x4x4xf32>
  %2 = graph.add %1, %b : tensor<1x64x4x4xf32>, tensor<64x1x1xf32> -> tensor<1x64x4x4xf32>
  %3 = graph.concat %2, %1 {axis = 1 : i64} : tensor<1x64x4x4xf32>, tensor<1x64x4x4xf32> -> tensor<1x128x4x4xf32>
  %4 = graph.pad %3 {low = array<i64: 0, 0, 1, 2>, high = array<i64: 0, 0, 0, 0>, value = 0.0 : f64} : tensor<1x128x4x4xf32> -> tensor<1x128x5x6xf32>
  %5 = graph.max_pool %4 {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>} : tensor<1x128x5x6xf32> -> tensor<1x128x5x6xf32>
  %6 = graph.sum %5 {axes = array<i64: 2, 3>, keepdims = true} : tensor<1x128x5x6xf32> -> tensor<1x128x1x1xf32>
  %7 = graph.reshape %6 {shape = ["1", "128"]} : tensor<1x128x1x1xf32> -> tensor<1x128xf32>
  return %7 : tensor<1x128xf32>
}

// Permutations of the model cancel: what a transformer makes of patches is a view.
//
// CHECK-LABEL: func.func @patches
// CHECK:         %[[CONV:.*]] = graph.conv %{{.*}} -> tensor<1x2x2x64xf32>
// CHECK-NEXT:    %[[FLAT:.*]] = graph.reshape %[[CONV]] {shape = ["1", "4", "64"]}
// CHECK-NEXT:    %[[OUT:.*]] = graph.permute %[[FLAT]] {order = array<i64: 0, 1, 2>}
// CHECK-NEXT:    return %[[OUT]]
func.func @patches(%x : tensor<1x3x8x8xf32>) -> tensor<1x4x64xf32> {
  %w = graph.constant dense<0.5> : tensor<64x3x4x4xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 4, 4>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x8x8xf32>, tensor<64x3x4x4xf32> -> tensor<1x64x2x2xf32>
  %2 = graph.reshape %1 {shape = ["1", "64", "4"]} : tensor<1x64x2x2xf32> -> tensor<1x64x4xf32>
  %3 = graph.permute %2 {order = array<i64: 0, 2, 1>} : tensor<1x64x4xf32> -> tensor<1x4x64xf32>
  return %3 : tensor<1x4x64xf32>
}

// Padding before the first convolution grows what it pads: that is put in order before.
//
// CHECK-LABEL: func.func @led_back
// CHECK:         %[[X:.*]] = graph.permute %x
// CHECK-NEXT:    %[[WIDE:.*]] = graph.pad %[[X]] {low = array<i64: 0, 1, 1, 0>
// CHECK-NEXT:    %[[W:.*]] = graph.permute %w
// CHECK-NEXT:    graph.conv %[[WIDE]], %[[W]]
func.func @led_back(%x : tensor<1x16x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %w = graph.constant dense<0.5> : tensor<32x16x3x3xf32>
  %1 = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : tensor<1x16x8x8xf32> -> tensor<1x16x10x10xf32>
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x16x10x10xf32>, tensor<32x16x3x3xf32> -> tensor<1x32x8x8xf32>
  return %2 : tensor<1x32x8x8xf32>
}

// Few output channels do not fill a vector: their convolution stays as it is.
//
// CHECK-LABEL: func.func @few_channels
// CHECK:         %[[OUT:.*]] = graph.conv %x, %w {{{.*}}, groups = 1 : i64} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
// CHECK-NEXT:    return %[[OUT]]
func.func @few_channels(%x : tensor<1x3x8x8xf32>) -> tensor<1x4x6x6xf32> {
  %w = graph.constant dense<0.5> : tensor<4x3x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
  return %1 : tensor<1x4x6x6xf32>
}

// What would have more put in order for it than is in order already stays: here a value
// that is broadcast to a larger one.
//
// CHECK-LABEL: func.func @larger_operand_stays
// CHECK:         %[[CONV:.*]] = graph.conv %{{.*}}, channels_last}
// CHECK-NEXT:    %[[BACK:.*]] = graph.permute %[[CONV]] {order = array<i64: 0, 3, 1, 2>} : tensor<1x1x4x128xf32> -> tensor<1x128x1x4xf32>
// CHECK-NEXT:    %[[OUT:.*]] = graph.add %[[BACK]], %y
// CHECK-NEXT:    return %[[OUT]]
func.func @larger_operand_stays(%x : tensor<1x128x1x4xf32>, %y : tensor<1x128x9x4xf32>) -> tensor<1x128x9x4xf32> {
  %w = graph.constant dense<0.5> : tensor<128x128x1x1xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x128x1x4xf32>, tensor<128x128x1x1xf32> -> tensor<1x128x1x4xf32>
  %2 = graph.add %1, %y : tensor<1x128x1x4xf32>, tensor<1x128x9x4xf32> -> tensor<1x128x9x4xf32>
  return %2 : tensor<1x128x9x4xf32>
}

// A single convolution with little to sum up is done before its result is permuted.
//
// CHECK-LABEL: func.func @too_short
// CHECK:         %[[OUT:.*]] = graph.conv %x, %w
// CHECK-NEXT:    return %[[OUT]]
func.func @too_short(%x : tensor<?x16x8x8xf32, ["batch"]>) -> tensor<?x64x8x8xf32, ["batch"]> {
  %w = graph.constant dense<0.5> : tensor<64x16x1x1xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<?x16x8x8xf32, ["batch"]>, tensor<64x16x1x1xf32> -> tensor<?x64x8x8xf32, ["batch"]>
  return %1 : tensor<?x64x8x8xf32, ["batch"]>
}

// An order does not go back through a change of the number of axes.
//
// CHECK-LABEL: func.func @other_rank
// CHECK:         %[[WIDE:.*]] = graph.reshape %x
// CHECK-NEXT:    %[[X:.*]] = graph.permute %[[WIDE]] {order = array<i64: 0, 2, 3, 1>}
// CHECK:         graph.conv %[[X]]
func.func @other_rank(%x : tensor<1x4x16xf32>) -> tensor<1x64xf32> {
  %w = graph.constant dense<0.5> : tensor<64x4x4x4xf32>
  %1 = graph.reshape %x {shape = ["1", "4", "4", "4"]} : tensor<1x4x16xf32> -> tensor<1x4x4x4xf32>
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x4x4x4xf32>, tensor<64x4x4x4xf32> -> tensor<1x64x1x1xf32>
  %3 = graph.reshape %2 {shape = ["1", "64"]} : tensor<1x64x1x1xf32> -> tensor<1x64xf32>
  return %3 : tensor<1x64xf32>
}

// Weights are put in order while compiling, however many they are.
//
// CHECK-LABEL: func.func @weights_are_free
// CHECK:         %[[X:.*]] = graph.permute %x {order = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT:    %[[W:.*]] = graph.permute %w {order = array<i64: 2, 3, 1, 0>}
// CHECK-NEXT:    graph.conv %[[X]], %[[W]]
func.func @weights_are_free(%x : tensor<1x256x2x2xf32>) -> tensor<1x256x2x2xf32> {
  %w = graph.weight "w" : tensor<256x256x1x1xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x256x2x2xf32>, tensor<256x256x1x1xf32> -> tensor<1x256x2x2xf32>
  return %1 : tensor<1x256x2x2xf32>
}

// A chain that computes too little stays in its order, but adds up as it would in the
// other: how much it computes depends on sizes. An op outside of chains is left alone.
//
// CHECK-LABEL: func.func @too_little
// CHECK:         %[[CONV:.*]] = graph.conv %x, %w {{{.*}}, taps_first} : tensor<1x4x8x8xf32>
// CHECK-NEXT:    %[[LAST:.*]] = graph.conv %[[CONV]], %v {{{.*}}, taps_first} : tensor<1x8x6x6xf32>
// CHECK:         graph.conv %x, %u {strides = array<i64: 1, 1>, {{[^}]*}}groups = 1 : i64} : tensor<1x4x8x8xf32>
// CHECK:         graph.conv %x, %t {{{.*}}, taps_first} : tensor<1x4x8x8xf32>
func.func @too_little(%x : tensor<1x4x8x8xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x4x6x6xf32>, tensor<1x8x7x7xf32>) {
  %w = graph.constant dense<0.5> : tensor<8x4x3x3xf32>
  %v = graph.constant dense<0.5> : tensor<2x8x3x3xf32>
  %u = graph.constant dense<0.5> : tensor<4x4x3x3xf32>
  %t = graph.constant dense<0.5> : tensor<8x4x2x2xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  %2 = graph.conv %1, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x6x6xf32>, tensor<2x8x3x3xf32> -> tensor<1x2x4x4xf32>
  %3 = graph.conv %x, %u {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32> -> tensor<1x4x6x6xf32>
  %4 = graph.conv %x, %t {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x4x8x8xf32>, tensor<8x4x2x2xf32> -> tensor<1x8x7x7xf32>
  return %2, %3, %4 : tensor<1x2x4x4xf32>, tensor<1x4x6x6xf32>, tensor<1x8x7x7xf32>
}

// A sum whose elements would come in another order, or be another row, is computed in
// the order of the model.
//
// CHECK-LABEL: func.func @sums
// CHECK:         %[[CONV:.*]] = graph.conv
// CHECK-NEXT:    %[[BACK:.*]] = graph.permute %[[CONV]] {order = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT:    graph.sum %[[CONV]] {axes = array<i64: 1, 2>
// CHECK-NEXT:    graph.sum %[[BACK]] {axes = array<i64: 1, 2, 3>
// CHECK-NEXT:    graph.sum %[[BACK]] {axes = array<i64: 0, 2, 3>
// CHECK-NEXT:    graph.reduce_max %[[CONV]] {axes = array<i64: 1, 2, 3>
func.func @sums(%x : tensor<2x64x8x8xf32>) -> (tensor<2x64xf32>, tensor<2xf32>, tensor<64xf32>, tensor<2xf32>) {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x64x8x8xf32>, tensor<64x64x3x3xf32> -> tensor<2x64x6x6xf32>
  %2 = graph.sum %1 {axes = array<i64: 2, 3>, keepdims = false} : tensor<2x64x6x6xf32> -> tensor<2x64xf32>
  %3 = graph.sum %1 {axes = array<i64: 1, 2, 3>, keepdims = false} : tensor<2x64x6x6xf32> -> tensor<2xf32>
  %4 = graph.sum %1 {axes = array<i64: 0, 2, 3>, keepdims = false} : tensor<2x64x6x6xf32> -> tensor<64xf32>
  %5 = graph.reduce_max %1 {axes = array<i64: 1, 2, 3>, keepdims = false} : tensor<2x64x6x6xf32> -> tensor<2xf32>
  return %2, %3, %4, %5 : tensor<2x64xf32>, tensor<2xf32>, tensor<64xf32>, tensor<2xf32>
}

// A permutation of the model costs nothing more where it is undone, as here, or becomes
// another: convolutions between norms over channels at the end.
//
// CHECK-LABEL: func.func @permuted_before
// CHECK:         %[[Y:.*]] = graph.permute %x {order = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT:    %[[X:.*]] = graph.permute %[[Y]] {order = array<i64: 0, 2, 3, 1>}
// CHECK:         %[[CONV:.*]] = graph.conv %[[X]], %{{.*}}, channels_last} : tensor<1x8x8x16xf32>
// CHECK-NEXT:    graph.permute %[[CONV]] {order = array<i64: 0, 1, 2, 3>}
func.func @permuted_before(%x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x32xf32> {
  %w = graph.constant dense<0.5> : tensor<32x16x2x2xf32>
  %1 = graph.permute %x {order = array<i64: 0, 3, 1, 2>} : tensor<1x8x8x16xf32> -> tensor<1x16x8x8xf32>
  %2 = graph.conv %1, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x16x8x8xf32>, tensor<32x16x2x2xf32> -> tensor<1x32x4x4xf32>
  %3 = graph.permute %2 {order = array<i64: 0, 2, 3, 1>} : tensor<1x32x4x4xf32> -> tensor<1x4x4x32xf32>
  return %3 : tensor<1x4x4x32xf32>
}

// A permutation of the model's own before a chain, here of what interleaves channels, becomes
// one with that of the chain, also behind a reshape and ops on elements.
//
// CHECK-LABEL: func.func @interleaved
// CHECK:         %[[TURNED:.*]] = graph.permute %{{.*}} {order = array<i64: 0, 1, 4, 2, 5, 3>} : tensor<1x64x2x2x8x8xf32>
// CHECK-NEXT:    %[[ONE:.*]] = graph.permute %[[TURNED]] {order = array<i64: 0, 2, 3, 4, 5, 1>} : tensor<1x64x8x2x8x2xf32>
// CHECK-NEXT:    %[[IMAGE:.*]] = graph.reshape %[[ONE]] {shape = ["1", "16", "16", "64"]}
// CHECK-NEXT:    %[[BIAS:.*]] = graph.reshape %b {shape = ["1", "1", "1", "64"]}
// CHECK-NEXT:    %[[SUM:.*]] = graph.add %[[IMAGE]], %[[BIAS]]
// CHECK-NEXT:    %[[TANH:.*]] = graph.tanh %[[SUM]]
// CHECK:         graph.conv %[[TANH]], %{{.*}} {{{.*}}, channels_last}
func.func @interleaved(%x : tensor<1x256x8x8xf32>, %b : tensor<64x1x1xf32>) -> tensor<1x64x14x14xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %1 = graph.reshape %x {shape = ["1", "64", "2", "2", "8", "8"]} : tensor<1x256x8x8xf32> -> tensor<1x64x2x2x8x8xf32>
  %2 = graph.permute %1 {order = array<i64: 0, 1, 4, 2, 5, 3>} : tensor<1x64x2x2x8x8xf32> -> tensor<1x64x8x2x8x2xf32>
  %3 = graph.reshape %2 {shape = ["1", "64", "16", "16"]} : tensor<1x64x8x2x8x2xf32> -> tensor<1x64x16x16xf32>
  %4 = graph.add %3, %b : tensor<1x64x16x16xf32>, tensor<64x1x1xf32> -> tensor<1x64x16x16xf32>
  %5 = graph.tanh %4 : tensor<1x64x16x16xf32> -> tensor<1x64x16x16xf32>
  %6 = graph.conv %5, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x16x16xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x14x14xf32>
  return %6 : tensor<1x64x14x14xf32>
}

// Where another op reads a value on the way, or the permutation's result, it stays.
//
// CHECK-LABEL: func.func @read_besides
// CHECK:         %[[TURNED:.*]] = graph.permute %x {order = array<i64: 0, 1, 3, 2>}
// CHECK-NEXT:    %[[NEG:.*]] = graph.neg %[[TURNED]] : tensor<1x64x16x16xf32>
// CHECK-NEXT:    %[[LAST:.*]] = graph.permute %[[NEG]] {order = array<i64: 0, 2, 3, 1>}
// CHECK:         graph.conv %[[LAST]]
func.func @read_besides(%x : tensor<1x64x16x16xf32>) -> (tensor<1x64x14x14xf32>, tensor<1x64x16x16xf32>) {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %1 = graph.permute %x {order = array<i64: 0, 1, 3, 2>} : tensor<1x64x16x16xf32> -> tensor<1x64x16x16xf32>
  %2 = graph.neg %1 : tensor<1x64x16x16xf32> -> tensor<1x64x16x16xf32>
  %3 = graph.conv %2, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x16x16xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x14x14xf32>
  return %3, %1 : tensor<1x64x14x14xf32>, tensor<1x64x16x16xf32>
}

// A sum of what the model permutes alike is computed without the permutations, so that the
// trunk of residual blocks stays in the order of the blocks between the convolutions.
//
// CHECK-LABEL: func.func @trunk
// CHECK:         %[[FIRST:.*]] = graph.conv %{{.*}}, channels_last} : tensor<1x8x8x64xf32>
// CHECK:         %[[TANH:.*]] = graph.tanh %{{.*}} : tensor<1x8x8x64xf32>
// CHECK:         %[[SUM:.*]] = graph.add %{{.*}}, %{{.*}} : tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>
// CHECK:         graph.conv %[[SUM]], %{{.*}}, channels_last} : tensor<1x8x8x64xf32>
func.func @trunk(%x : tensor<1x8x8x64xf32>) -> tensor<1x6x6x64xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %0 = graph.permute %x {order = array<i64: 0, 3, 1, 2>} : tensor<1x8x8x64xf32> -> tensor<1x64x8x8xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x8x8xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x8x8xf32>
  %2 = graph.permute %1 {order = array<i64: 0, 2, 3, 1>} : tensor<1x64x8x8xf32> -> tensor<1x8x8x64xf32>
  %3 = graph.tanh %2 : tensor<1x8x8x64xf32> -> tensor<1x8x8x64xf32>
  %4 = graph.permute %3 {order = array<i64: 0, 3, 1, 2>} : tensor<1x8x8x64xf32> -> tensor<1x64x8x8xf32>
  %5 = graph.add %0, %4 : tensor<1x64x8x8xf32>, tensor<1x64x8x8xf32> -> tensor<1x64x8x8xf32>
  %6 = graph.conv %5, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x64x8x8xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x6x6xf32>
  %7 = graph.add %6, %6 : tensor<1x64x6x6xf32>, tensor<1x64x6x6xf32> -> tensor<1x64x6x6xf32>
  %8 = graph.permute %7 {order = array<i64: 0, 2, 3, 1>} : tensor<1x64x6x6xf32> -> tensor<1x6x6x64xf32>
  return %8 : tensor<1x6x6x64xf32>
}

// An op may add leading axes to what is computed in another order, or is permuted.
//
// CHECK-LABEL: func.func @more_axes
// CHECK:         %[[CONV:.*]] = graph.conv {{.*}}, channels_last}
// CHECK-NEXT:    %[[IMAGE:.*]] = graph.reshape %[[CONV]] {shape = ["1", "2", "6", "6", "64"]}
// CHECK-NEXT:    %[[IMAGES:.*]] = graph.expand %[[IMAGE]] {shape = ["3", "2", "6", "6", "64"]}
// CHECK-NEXT:    %[[TANH:.*]] = graph.tanh %[[IMAGES]]
// CHECK-NEXT:    graph.permute %[[TANH]] {order = array<i64: 0, 1, 4, 2, 3>}
// CHECK-NEXT:    return
func.func @more_axes(%x : tensor<2x64x8x8xf32>) -> tensor<3x2x64x6x6xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x64x8x8xf32>, tensor<64x64x3x3xf32> -> tensor<2x64x6x6xf32>
  %2 = graph.expand %1 {shape = ["3", "2", "64", "6", "6"]} : tensor<2x64x6x6xf32> -> tensor<3x2x64x6x6xf32>
  %3 = graph.tanh %2 : tensor<3x2x64x6x6xf32> -> tensor<3x2x64x6x6xf32>
  return %3 : tensor<3x2x64x6x6xf32>
}

// What is broadcast has fewer axes than the order of the other factor, and no order is led back
// through the reshape that made it.
//
// CHECK-LABEL: func.func @fewer_axes
// CHECK:         %[[FACTOR:.*]] = graph.reshape %{{.*}} {shape = ["32", "1"]}
// CHECK-NEXT:    %[[PRODUCT:.*]] = graph.mul %{{.*}}, %[[FACTOR]]
// CHECK-NEXT:    graph.sum %[[PRODUCT]] {axes = array<i64: 0>, keepdims = true}
func.func @fewer_axes(%x : tensor<32x7xf32>, %w : tensor<32x1xf32>) -> tensor<7x1xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<32x7xf32> -> tensor<7x32xf32>
  %1 = graph.reshape %w {shape = ["32"]} : tensor<32x1xf32> -> tensor<32xf32>
  %2 = graph.mul %0, %1 : tensor<7x32xf32>, tensor<32xf32> -> tensor<7x32xf32>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = true} : tensor<7x32xf32> -> tensor<7x1xf32>
  return %3 : tensor<7x1xf32>
}

// A convolution of one channel has its own sum either way, so that it is led back to.
//
// CHECK-LABEL: func.func @one_channel
// CHECK:         %[[X:.*]] = graph.{{reshape|permute}} %x {{.*}} -> tensor<1x?x?x1xf32, ["h", "w"]>
// CHECK:         %[[FIRST:.*]] = graph.conv %[[X]], {{.*}}, channels_last} {{.*}} -> tensor<1x?x?x32xf32, ["h - 2", "w - 2"]>
// CHECK-NEXT:    %[[RELU:.*]] = graph.relu %[[FIRST]]
// CHECK:         graph.conv %[[RELU]], {{.*}}, channels_last}
func.func @one_channel(%x : tensor<1x1x?x?xf32, ["h", "w"]>) -> tensor<1x64x?x?xf32, ["h - 4", "w - 4"]> {
  %v = graph.constant dense<0.5> : tensor<32x1x3x3xf32>
  %w = graph.constant dense<0.5> : tensor<64x32x3x3xf32>
  %1 = graph.conv %x, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x?x?xf32, ["h", "w"]>, tensor<32x1x3x3xf32> -> tensor<1x32x?x?xf32, ["h - 2", "w - 2"]>
  %2 = graph.relu %1 : tensor<1x32x?x?xf32, ["h - 2", "w - 2"]> -> tensor<1x32x?x?xf32, ["h - 2", "w - 2"]>
  %3 = graph.conv %2, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x32x?x?xf32, ["h - 2", "w - 2"]>, tensor<64x32x3x3xf32> -> tensor<1x64x?x?xf32, ["h - 4", "w - 4"]>
  return %3 : tensor<1x64x?x?xf32, ["h - 4", "w - 4"]>
}
