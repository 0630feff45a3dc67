// RUN: sr-opt %s -p fold-batch-norm | filecheck %s
// RUN: sr-opt %s -p fold-batch-norm,fold-constants | filecheck %s --check-prefix=FOLDED

// Each filter is scaled by the factor of its channel, and what is left is added.
//
// CHECK-LABEL: func.func @convolution
// CHECK-DAG:     %[[W:.*]] = graph.constant dense<2.000000e+00>
// CHECK-DAG:     %[[MEAN:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK:         %[[FACTOR:.*]] = graph.div
// CHECK:         %[[MOVED:.*]] = graph.mul %[[MEAN]], %[[FACTOR]]
// CHECK:         %[[SHIFT:.*]] = graph.sub %{{.*}}, %[[MOVED]]
// CHECK:         %[[FILTERS:.*]] = graph.reshape %[[FACTOR]] {shape = ["2", "1", "1"]}
// CHECK:         %[[SCALED:.*]] = graph.mul %[[W]], %[[FILTERS]]
// CHECK:         %[[CONV:.*]] = graph.conv %x, %[[SCALED]] {strides = array<i64: 1>, padding = array<i64: 1, 1>
// CHECK:         %[[BIAS:.*]] = graph.reshape %[[SHIFT]] {shape = ["2", "1"]}
// CHECK:         %[[OUT:.*]] = graph.add %[[CONV]], %[[BIAS]]
// CHECK:         return %[[OUT]]
//
// All of it but the convolution and the sum is then known.
//
// FOLDED-LABEL: func.func @convolution
// FOLDED-NEXT:    %[[W:.*]] = graph.constant
// FOLDED-NEXT:    %[[CONV:.*]] = graph.conv %x, %[[W]]
// FOLDED-NEXT:    %[[BIAS:.*]] = graph.constant
// FOLDED-NEXT:    %[[OUT:.*]] = graph.add %[[CONV]], %[[BIAS]]
// FOLDED-NEXT:    return %[[OUT]]
func.func @convolution(%x : tensor<1x1x8xf32>) -> tensor<1x2x8xf32> {
  %w = graph.constant dense<2.0> : tensor<2x1x3xf32>
  %scale = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %bias = graph.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %mean = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %variance = graph.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x1x8xf32>, tensor<2x1x3xf32> -> tensor<1x2x8xf32>
  %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance {epsilon = 1.0e-05 : f64} : tensor<1x2x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2x8xf32>
  return %1 : tensor<1x2x8xf32>
}

// A bias in between is scaled as well.
//
// CHECK-LABEL: func.func @bias
// CHECK:         %[[CONV:.*]] = graph.conv
// CHECK:         %[[SHIFT:.*]] = graph.reshape
// CHECK:         %[[FACTOR:.*]] = graph.reshape
// CHECK:         %[[SCALED:.*]] = graph.mul %b, %[[FACTOR]]
// CHECK:         %[[BIAS:.*]] = graph.add %[[SCALED]], %[[SHIFT]]
// CHECK:         %[[OUT:.*]] = graph.add %[[CONV]], %[[BIAS]]
// CHECK:         return %[[OUT]]
func.func @bias(%x : tensor<1x3x8xf32>) -> tensor<1x4x6xf32> {
  %w = graph.weight "w" : tensor<4x3x3xf32>
  %b = graph.weight "b" : tensor<4x1xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  %1 = graph.add %b, %0 : tensor<4x1xf32>, tensor<1x4x6xf32> -> tensor<1x4x6xf32>
  %2 = graph.batch_norm %1, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<1x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4x6xf32>
  return %2 : tensor<1x4x6xf32>
}

// A row of a fully connected layer's weight is a filter too.
//
// CHECK-LABEL: func.func @linear
// CHECK:         %[[ROWS:.*]] = graph.reshape %{{.*}} {shape = ["4", "1"]}
// CHECK:         %[[SCALED:.*]] = graph.mul %w, %[[ROWS]]
// CHECK:         graph.linear %x, %[[SCALED]]
// CHECK-NOT:     graph.batch_norm
func.func @linear(%x : tensor<?x3xf32, ["batch"]>) -> tensor<?x4xf32, ["batch"]> {
  %w = graph.weight "w" : tensor<4x3xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<?x3xf32, ["batch"]>, tensor<4x3xf32> -> tensor<?x4xf32, ["batch"]>
  %1 = graph.batch_norm %0, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<?x4xf32, ["batch"]>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<?x4xf32, ["batch"]>
  return %1 : tensor<?x4xf32, ["batch"]>
}

// The channels of a stack of rows are not the columns of the layer.
//
// CHECK-LABEL: func.func @channels_are_not_columns
// CHECK:         graph.linear %x, %w
// CHECK:         graph.batch_norm
func.func @channels_are_not_columns(%x : tensor<2x4x3xf32>) -> tensor<2x4x4xf32> {
  %w = graph.weight "w" : tensor<4x3xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<2x4x3xf32>, tensor<4x3xf32> -> tensor<2x4x4xf32>
  %1 = graph.batch_norm %0, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<2x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4x4xf32>
  return %1 : tensor<2x4x4xf32>
}

// A weight that comes with the input is not known.
//
// CHECK-LABEL: func.func @weight_is_an_input
// CHECK:         graph.batch_norm
func.func @weight_is_an_input(%x : tensor<2x3xf32>, %w : tensor<4x3xf32>) -> tensor<2x4xf32> {
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  %1 = graph.batch_norm %0, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// Nor are statistics that come with the input.
//
// CHECK-LABEL: func.func @statistics_are_an_input
// CHECK:         graph.batch_norm
func.func @statistics_are_an_input(%x : tensor<2x3xf32>, %c : tensor<4xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" : tensor<4x3xf32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  %1 = graph.batch_norm %0, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// Somebody else needs the layer as it was.
//
// CHECK-LABEL: func.func @layer_has_two_users
// CHECK:         graph.batch_norm
func.func @layer_has_two_users(%x : tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = graph.weight "w" : tensor<4x3xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  %1 = graph.batch_norm %0, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// Or the layer with its bias.
//
// CHECK-LABEL: func.func @sum_has_two_users
// CHECK:         graph.batch_norm
func.func @sum_has_two_users(%x : tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = graph.weight "w" : tensor<4x3xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  %1 = graph.add %0, %c : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  %2 = graph.batch_norm %1, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}

// Something is added to each place, and a filter cannot hold that.
//
// CHECK-LABEL: func.func @bias_differs_by_place
// CHECK:         graph.batch_norm
func.func @bias_differs_by_place(%x : tensor<1x3x8xf32>) -> tensor<1x4x6xf32> {
  %w = graph.weight "w" : tensor<4x3x3xf32>
  %b = graph.weight "b" : tensor<4x6xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  %1 = graph.add %0, %b : tensor<1x4x6xf32>, tensor<4x6xf32> -> tensor<1x4x6xf32>
  %2 = graph.batch_norm %1, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<1x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4x6xf32>
  return %2 : tensor<1x4x6xf32>
}

// A bias of more axes puts an axis before the batch, which is then taken for channels.
//
// CHECK-LABEL: func.func @bias_adds_an_axis
// CHECK:         graph.batch_norm
func.func @bias_adds_an_axis(%x : tensor<4x3x8xf32>) -> tensor<1x4x4x6xf32> {
  %w = graph.weight "w" : tensor<4x3x3xf32>
  %b = graph.weight "b" : tensor<1x1x4x1xf32>
  %c = graph.weight "statistic" : tensor<4xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<4x3x8xf32>, tensor<4x3x3xf32> -> tensor<4x4x6xf32>
  %1 = graph.add %0, %b : tensor<4x4x6xf32>, tensor<1x1x4x1xf32> -> tensor<1x4x4x6xf32>
  %2 = graph.batch_norm %1, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<1x4x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<1x4x4x6xf32>
  return %2 : tensor<1x4x4x6xf32>
}

// What is left of a normalisation that was written out goes the same way.
//
// CHECK-LABEL: func.func @written_out
// CHECK-DAG:     %[[FACTOR:.*]] = graph.reshape %f {shape = ["4"]}
// CHECK:         %[[FILTERS:.*]] = graph.reshape %[[FACTOR]] {shape = ["4", "1", "1"]}
// CHECK:         %[[SCALED:.*]] = graph.mul %w, %[[FILTERS]]
// CHECK:         %[[CONV:.*]] = graph.conv %x, %[[SCALED]]
// CHECK:         %[[OUT:.*]] = graph.add %[[CONV]], %b
// CHECK:         return %[[OUT]]
func.func @written_out(%x : tensor<1x3x8xf32>) -> tensor<1x4x6xf32> {
  %w = graph.weight "w" : tensor<4x3x3xf32>
  %f = graph.weight "f" : tensor<4x1xf32>
  %b = graph.weight "b" : tensor<4x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  %1 = graph.mul %0, %f : tensor<1x4x6xf32>, tensor<4x1xf32> -> tensor<1x4x6xf32>
  %2 = graph.add %1, %b : tensor<1x4x6xf32>, tensor<4x1xf32> -> tensor<1x4x6xf32>
  return %2 : tensor<1x4x6xf32>
}

// Two biases are one.
//
// CHECK-LABEL: func.func @two_biases
// CHECK:         %[[LINEAR:.*]] = graph.linear %x, %w
// CHECK:         %[[BIAS:.*]] = graph.sub %b, %c
// CHECK:         %[[OUT:.*]] = graph.add %[[LINEAR]], %[[BIAS]]
// CHECK:         return %[[OUT]]
func.func @two_biases(%x : tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" : tensor<4x3xf32>
  %b = graph.weight "b" : tensor<4xf32>
  %c = graph.weight "c" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  %1 = graph.add %0, %b : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  %2 = graph.sub %1, %c : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// A weight that is also used elsewhere is not kept twice for the sake of a product.
//
// CHECK-LABEL: func.func @weight_has_two_users
// CHECK:         graph.linear %x, %w
// CHECK:         graph.mul
func.func @weight_has_two_users(%x : tensor<2x3xf32>, %i : tensor<5xi64>) -> (tensor<2x4xf32>, tensor<5x3xf32>) {
  %w = graph.weight "w" : tensor<4x3xf32>
  %c = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  %1 = graph.mul %0, %c : tensor<2x4xf32>, tensor<f32> -> tensor<2x4xf32>
  %2 = graph.embedding %w, %i : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<5x3xf32>
}

// What makes more of the layer's result is no factor of its filters.
//
// CHECK-LABEL: func.func @factor_adds_channels
// CHECK:         graph.linear %x, %w
// CHECK:         graph.mul
func.func @factor_adds_channels(%x : tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" : tensor<1x3xf32>
  %f = graph.weight "f" : tensor<4xf32>
  %0 = graph.linear %x, %w : tensor<2x3xf32>, tensor<1x3xf32> -> tensor<2x1xf32>
  %1 = graph.mul %0, %f : tensor<2x1xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// A normalisation that no layer precedes goes into the one after it.
//
// CHECK-LABEL: func.func @before_a_layer
// CHECK:         %[[FACTOR:.*]] = graph.div
// CHECK:         %[[SHIFT:.*]] = graph.sub
// CHECK:         %[[SCALED:.*]] = graph.mul %w, %[[FACTOR]]
// CHECK:         %[[LINEAR:.*]] = graph.linear %x, %[[SCALED]]
// CHECK:         %[[SHIFTED:.*]] = graph.mul %w, %[[SHIFT]]
// CHECK:         %[[BIAS:.*]] = graph.sum %[[SHIFTED]] {axes = array<i64: 1>
// CHECK:         graph.add %[[LINEAR]]
// CHECK-NOT:     graph.batch_norm
func.func @before_a_layer(%x : tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" : tensor<4x3xf32>
  %c = graph.weight "statistic" : tensor<3xf32>
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %1 = graph.linear %0, %w : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// The zeros around an image are not shifted, so that a filter cannot tell how much is.
//
// CHECK-LABEL: func.func @before_padding
// CHECK:         graph.batch_norm
func.func @before_padding(%x : tensor<1x3x8xf32>) -> tensor<1x4x8xf32> {
  %w = graph.weight "w" : tensor<4x3x3xf32>
  %c = graph.weight "statistic" : tensor<3xf32>
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<1x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<1x3x8xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x8xf32>
  return %1 : tensor<1x4x8xf32>
}

// A transposed convolution reads fewer elements at the border.
//
// CHECK-LABEL: func.func @before_a_transposed_convolution
// CHECK:         graph.batch_norm
func.func @before_a_transposed_convolution(%x : tensor<1x3x8xf32>) -> tensor<1x4x10xf32> {
  %w = graph.weight "w" : tensor<3x4x3xf32>
  %c = graph.weight "statistic" : tensor<3xf32>
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.0e-05 : f64} : tensor<1x3x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<1x3x8xf32>
  %1 = graph.conv_transpose %0, %w {strides = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x3x8xf32>, tensor<3x4x3xf32> -> tensor<1x4x10xf32>
  return %1 : tensor<1x4x10xf32>
}
