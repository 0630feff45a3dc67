// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// An index over two axes is one for each, whether the inner one is of a known size or not.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:           %y, %x = loop.split_index %i by 3
// CHECK-NEXT:      %z, %w = loop.split_index %y by "2 * n"
loop.kernel @round_trip(%a: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to 12 {
    %y, %x = loop.split_index %i by 3
    %z, %w = loop.split_index %y by "n + n"
    loop.yield
  }
}

// -----

// What is split is an index.
loop.kernel @no_index(%a: memref<?xf32>) {
  %x = loop.load %a[0] : memref<?xf32>
  // expected-error @below {{operand is used with type index, but has been previously used or defined with type f32}}
  %i, %j = loop.split_index %x by 3
}

// -----

// A width is a dimension.
loop.kernel @no_dimension(%a: memref<?xf32>) {
  loop.for parallel %i to 12 {
    %y, %x = loop.split_index %i by "n +"
    // expected-error @below {{dimension 'n +': expected a number or a symbol, got the end}}
    loop.yield
  }
}
