// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The result has the channels of the image and the places of the grid.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         graph.grid_sample %x, %g {mode = "linear", padding = "zeros", align_corners = false} : tensor<?x3x5x7xf32, ["n"]>, tensor<?x4x6x2xf32, ["n"]> -> tensor<?x3x4x6xf32, ["n"]>
func.func @round_trip(%x : tensor<?x3x5x7xf32, ["n"]>, %g : tensor<?x4x6x2xf32, ["n"]>) {
  %0 = graph.grid_sample %x, %g {mode = "linear", padding = "zeros", align_corners = false} : tensor<?x3x5x7xf32, ["n"]>, tensor<?x4x6x2xf32, ["n"]> -> tensor<?x3x4x6xf32, ["n"]>
  return
}

// -----

// A place has a number for each axis, which is checked where only a run knows how many.
//
// CHECK-LABEL: func.func @open_axes
// CHECK:         graph.grid_sample
func.func @open_axes(%x : tensor<2x3x5x7xf32>, %g : tensor<2x4x6x?xf32, ["n + 1"]>) {
  %0 = graph.grid_sample %x, %g {mode = "linear", padding = "zeros", align_corners = false} : tensor<2x3x5x7xf32>, tensor<2x4x6x?xf32, ["n + 1"]> -> tensor<2x3x4x6xf32>
  return
}

// -----

// A place has a number for each axis.
func.func @axes(%x : tensor<2x3x5x7xf32>, %g : tensor<2x4x6x3xf32>) {
  // expected-error {{expected NxCx... and NxPx...xA, got tensor<2x3x5x7xf32> and tensor<2x4x6x3xf32>}}
  %0 = graph.grid_sample %x, %g {mode = "linear", padding = "zeros", align_corners = false} : tensor<2x3x5x7xf32>, tensor<2x4x6x3xf32> -> tensor<2x3x4x6xf32>
  return
}

// -----

// There are three modes, in the words of ONNX.
func.func @mode(%x : tensor<2x3x5x7xf32>, %g : tensor<2x4x6x2xf32>) {
  // expected-error {{expected one of nearest, linear, cubic, got bilinear}}
  %0 = graph.grid_sample %x, %g {mode = "bilinear", padding = "zeros", align_corners = false} : tensor<2x3x5x7xf32>, tensor<2x4x6x2xf32> -> tensor<2x3x4x6xf32>
  return
}

// -----

// There are three kinds of what lies beyond an image.
func.func @padding(%x : tensor<2x3x5x7xf32>, %g : tensor<2x4x6x2xf32>) {
  // expected-error {{expected one of zeros, border, reflection, got wrap}}
  %0 = graph.grid_sample %x, %g {mode = "linear", padding = "wrap", align_corners = false} : tensor<2x3x5x7xf32>, tensor<2x4x6x2xf32> -> tensor<2x3x4x6xf32>
  return
}
