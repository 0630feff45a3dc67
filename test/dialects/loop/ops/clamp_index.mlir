// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// An integer is an index below a bound, counted from the end where it wraps.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.clamp_index %{{.*}} below 7 : i64
// CHECK:         loop.clamp_index %{{.*}} wraps below "2 * rows" : i32
// CHECK:         loop.clamp_index %{{.*}} saturates below 7 : i64
loop.kernel @round_trip(%a: memref<?xi64>, %b: memref<?xi32>) symbols ["rows"] {
  %x = loop.load %a[0] : memref<?xi64>
  %y = loop.load %b[0] : memref<?xi32>
  %i = loop.clamp_index %x below 7 : i64
  %j = loop.clamp_index %y wraps below "rows + rows" : i32
  %k = loop.clamp_index %x saturates below 7 : i64
}

// -----

// A number that is no integer is no index.
loop.kernel @no_integer(%a: memref<?xf32>) {
  %x = loop.load %a[0] : memref<?xf32>
  // expected-error {{f32 should be of base attribute integer_type}}
  %i = loop.clamp_index %x below 7 : f32
}

// -----

// A bound is a dimension.
loop.kernel @no_dimension(%a: memref<?xi64>) symbols ["n"] {
  %x = loop.load %a[0] : memref<?xi64>
  // expected-error @below {{dimension 'n +': expected a number or a symbol, got the end}}
  %i = loop.clamp_index %x below "n +" : i64
}
