// RUN: sr-build %s -o %t --target x86-64-v3 | filecheck %s
// RUN: sr-build %s --emit-bundle %t --target x86-64-v3
// RUN: not sr-build %s -o %t --bundle-api dynamic 2>&1 | filecheck %s --check-prefix=ALONE

// The model and the rest of the folder, in bytes.
//
// CHECK:      model.sr: {{[0-9]+}} bytes
// CHECK-NEXT: runtime: {{[0-9]+}} bytes

// ALONE: sr-build: expected --bundle-api with --emit-bundle, got it without
func.func @main(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
