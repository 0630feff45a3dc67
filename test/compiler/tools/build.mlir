// RUN: sr-build %s -o %t --target x86-64-v3 | filecheck %s
// RUN: sr-build %s --emit-bundle %t --target x86-64-v3
// RUN: not sr-build %s -o %t --bundle-api dynamic 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: sr-build %s -o %t.all --include-all --target x86-64-v3,aarch64
// RUN: sr-size %t.all | filecheck %s --check-prefix=SIZE

// The model and the rest of the folder, in bytes.
//
// CHECK:      model.sr: {{[0-9]+}} bytes
// CHECK-NEXT: runtime: {{[0-9]+}} bytes

// The bytes of the kernels, by operator.
//
// SIZE:      aarch64: 1 kernels, [[A:[0-9]+]] bytes
// SIZE-NEXT: operator{{ +}}dtypes{{ +}}bytes
// SIZE-NEXT: graph::tanh{{ +}}Float{{ +}}[[A]]
// SIZE:      x86-64-v3: 1 kernels, [[B:[0-9]+]] bytes
// SIZE:      graph::tanh{{ +}}Float{{ +}}[[B]]

// ALONE: sr-build: expected --bundle-api with --emit-bundle, got it without
func.func @main(%x : tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
