// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The counter and the key broadcast; the type is that of the property.
//
// CHECK-LABEL: func.func @rows
// CHECK:         tensor<2x3xi64>, tensor<i64> -> tensor<2x3xf32>
func.func @rows(%i : tensor<2x3xi64>, %k : tensor<i64>) {
  %0 = graph.random_uniform %i, %k {stream = 0, to = f32} : tensor<2x3xi64>, tensor<i64> -> tensor<2x3xf32>
  return
}

// -----

func.func @words(%i : tensor<3xi32>, %k : tensor<i64>) {
  // expected-error {{expected a counter and a key of i64, got tensor<3xi32> and tensor<i64>}}
  %0 = graph.random_uniform %i, %k {stream = 0, to = f32} : tensor<3xi32>, tensor<i64> -> tensor<3xf32>
  return
}

// -----

func.func @stream(%i : tensor<3xi64>, %k : tensor<i64>) {
  // expected-error {{expected a stream of 0 to 4294967295, got -1}}
  %0 = graph.random_uniform %i, %k {stream = -1, to = f32} : tensor<3xi64>, tensor<i64> -> tensor<3xf32>
  return
}

// -----

func.func @numbers(%i : tensor<3xi64>, %k : tensor<i64>) {
  // expected-error {{expected numbers of f32 or f64, got f16}}
  %0 = graph.random_uniform %i, %k {stream = 0, to = f16} : tensor<3xi64>, tensor<i64> -> tensor<3xf16>
  return
}
