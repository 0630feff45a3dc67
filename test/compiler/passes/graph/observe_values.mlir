// RUN: sr-opt %s -p 'observe-values' --split-input-file | filecheck %s

// What is moved to be a factor is observed where it is made; constants are not.
//
// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> (tensor<4x8xf32>, tensor<64x4xf32>)
// CHECK-SAME:    graph.output_names = ["y", "observed:relu"]
// CHECK:         %[[R:.*]] = graph.relu
// CHECK:         %[[Y:.*]] = graph.linear
// CHECK:         return %[[Y]], %[[R]]
func.func @main(%x : tensor<64x4xf32>) -> tensor<4x8xf32> attributes {graph.output_names = ["y"]} {
  %w = graph.constant dense<0.5> : tensor<8x64xf32>
  %1 = graph.relu %x : tensor<64x4xf32> -> tensor<64x4xf32>
  %2 = graph.permute %1 {order = array<i64: 1, 0>} : tensor<64x4xf32> -> tensor<4x64xf32>
  %3 = graph.linear %2, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// Both factors are observed, by the names of their nodes, equal ones with a number.
//
// CHECK-LABEL: func.func @names
// CHECK-SAME:    graph.output_names = ["out0", "observed:node", "observed:node#2"]
func.func @names(%x : tensor<4x4xf32>) -> tensor<4x4xf32> {
  %1 = graph.relu %x : tensor<4x4xf32> -> tensor<4x4xf32> loc("node")
  %2 = graph.tanh %x : tensor<4x4xf32> -> tensor<4x4xf32> loc("node")
  %3 = graph.matmul %1, %2 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Nothing reads a value of a branch from outside.
//
// CHECK-LABEL: func.func @branch
// CHECK-SAME:    graph.output_names = ["out0"]
func.func @branch(%c : tensor<i1>, %x : tensor<4x4xf32>) -> tensor<4x4xf32> {
  %1 = graph.if %c, %x : tensor<i1>, tensor<4x4xf32> -> tensor<4x4xf32> {
  ^bb0(%2 : tensor<4x4xf32>):
    %3 = graph.matmul %2, %2 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  } {
  ^bb0(%4 : tensor<4x4xf32>):
    graph.yield %4 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// -----

// A call gives texts as ever; what results were is forgotten.
//
// CHECK-LABEL: func.func @texts
// CHECK-SAME:    graph.output_names = ["out0", "observed:cast"]
// CHECK-SAME:    graph.structure = "{{.*}}texts{{.*}}outputs{{[^a-z]*}}null
func.func @texts(%x : tensor<4x4xi64>) -> tensor<4x4xf32>
    attributes {graph.input_names = ["x"], graph.structure = "{\22inputs\22: {\22kind\22: \22dict\22, \22parts\22: [{\22kind\22: \22texts\22, \22parts\22: [], \22keys\22: [], \22name\22: \22x\22, \22number\22: 0, \22value\22: null}], \22keys\22: [\22x\22], \22name\22: \22\22, \22number\22: 0, \22value\22: null}, \22outputs\22: {\22kind\22: \22array\22, \22parts\22: [], \22keys\22: [], \22name\22: \22\22, \22number\22: 0, \22value\22: null}, \22texts\22: [\22a\22, \22b\22]}"} {
  %1 = graph.cast %x {to = f32} : tensor<4x4xi64> -> tensor<4x4xf32>
  %2 = graph.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
