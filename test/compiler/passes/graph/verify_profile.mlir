// RUN: not sr-opt %s -p 'verify-profile{profile="%S/insert_quantization.yaml"}' 2>&1 | filecheck %s
// RUN: not sr-opt %s -p verify-profile 2>&1 | filecheck %s --check-prefix=NONE

// NONE: sr-opt: expected verify-profile{profile="FILE"}, got no profile

// CHECK: insert_quantization.yaml: expected a profile of this model, {{[0-9a-f]+}}, got one of another; make one of this by sr-quantize
func.func @main(%x : tensor<4x64xf32>) -> tensor<4x8xf32> {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.linear %x, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
