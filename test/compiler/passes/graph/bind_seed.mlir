// RUN: sr-opt %s -p 'bind-seed{seed="7"}' | filecheck %s
// RUN: sr-opt %s -p 'bind-seed{seed="input"}' | filecheck %s --check-prefix=INPUT
// RUN: not sr-opt %s -p bind-seed 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not sr-opt %s -p 'bind-seed{seed="x"}' 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: not sr-opt %s -p 'bind-seed{seed="9223372036854775808"}' 2>&1 | filecheck %s --check-prefix=LARGE

// NONE: expected a seed for numbers at random, got none; compile with Options(seed=0)
// TEXT: expected a seed as a number or input, got x
// LARGE: expected a seed of 64 bits, got 9223372036854775808

// Each draw by the seed of the model has a stream of its own; one by another key stays.
//
// CHECK-LABEL: func.func @draws
// CHECK:         graph.constant dense<7> : tensor<i64>
// CHECK:         graph.random_uniform %i, %{{.*}} {stream = 0 : i64, to = f32}
// CHECK:         graph.random_uniform %i, %{{.*}} {stream = 1 : i64, to = f32}
// CHECK:         graph.random_uniform %i, %k {stream = 0 : i64, to = f32}
//
// INPUT-LABEL: func.func @draws
// INPUT-SAME:      %[[SEED:[0-9]+]]: tensor<i64>)
// INPUT-SAME:      graph.input_names = ["i", "k", "seed"]
// INPUT:         graph.random_uniform %i, %[[SEED]] {stream = 0 : i64
// INPUT:         graph.random_uniform %i, %[[SEED]] {stream = 1 : i64
func.func @draws(%i: tensor<3xi64>, %k: tensor<i64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {graph.input_names = ["i", "k"]} {
  %0 = graph.get_attr "graph.seed" : tensor<i64>
  %1 = graph.random_uniform %i, %0 {stream = 0, to = f32} : tensor<3xi64>, tensor<i64> -> tensor<3xf32>
  %2 = graph.random_uniform %i, %0 {stream = 0, to = f32} : tensor<3xi64>, tensor<i64> -> tensor<3xf32>
  %3 = graph.random_uniform %i, %k {stream = 0, to = f32} : tensor<3xi64>, tensor<i64> -> tensor<3xf32>
  return %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
