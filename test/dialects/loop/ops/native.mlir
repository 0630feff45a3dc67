// RUN: sr-opt %s | filecheck %s

// The text of the function stands with the call; without one it is outside.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.native(%x, %y) {function = "f", text = "", arguments = ["s0", 2.000000e+00 : f32], points = "2 * s0"} : memref<?xf32>, memref<?xf32>
loop.kernel @round_trip(%x: memref<?xf32>, %y: memref<?xf32>) symbols ["s0"] {
  loop.native(%x, %y) {function = "f", text = "", arguments = ["s0", 2.0 : f32], points = "2 * s0"} : memref<?xf32>, memref<?xf32>
}
