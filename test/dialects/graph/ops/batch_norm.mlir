// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is one scale, bias, mean and variance for each channel.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<2x3x5xf32>
func.func @round_trip(%x : tensor<2x3x5xf32>, %c : tensor<3xf32>) {
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<2x3x5xf32>
  return
}

// -----

// The batch and the places may have any size.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<?x3x?xf32, ["batch", "time"]>
func.func @symbols(%x : tensor<?x3x?xf32, ["batch", "time"]>, %c : tensor<3xf32>) {
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : tensor<?x3x?xf32, ["batch", "time"]>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<?x3x?xf32, ["batch", "time"]>
  return
}

// -----

// The statistics are of the channels, which are the second axis.
func.func @channels_clash(%x : tensor<2x3xf32>, %c : tensor<3xf32>, %n : tensor<2xf32>) {
  // expected-error {{expected NxCx... and C, got tensor<2x3xf32> and tensor<2xf32>}}
  %0 = graph.batch_norm %x, %c, %c, %n, %c {epsilon = 1.000000e-05 : f64} : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

// Without a second axis there are no channels.
func.func @no_channels(%x : tensor<3xf32>, %c : tensor<3xf32>) {
  // expected-error {{expected NxCx... and C, got tensor<3xf32> and tensor<3xf32>}}
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

// All are of one dtype.
func.func @dtypes_clash(%x : tensor<2x3xf32>, %c : tensor<3xf32>, %d : tensor<3xf64>) {
  // expected-error {{expected NxCx... and C, got tensor<2x3xf32> and tensor<3xf64>}}
  %0 = graph.batch_norm %x, %c, %c, %c, %d {epsilon = 1.000000e-05 : f64} : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64> -> tensor<2x3xf32>
  return
}

// -----

// A root has a fraction.
func.func @integers_have_no_variance(%x : tensor<2x3xi32>, %c : tensor<3xi32>) {
  // expected-error {{expected float elements, got tensor<2x3xi32>}}
  %0 = graph.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : tensor<2x3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32> -> tensor<2x3xi32>
  return
}
