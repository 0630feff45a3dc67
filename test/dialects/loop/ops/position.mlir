// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// An index and a dimension are integers, to compute with.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         loop.position [%i * 2 + 1]
// CHECK:         loop.position [3]
// CHECK:         loop.extent 6
loop.kernel @round_trip() {
  loop.for parallel %i to 4 {
    %x = loop.position [%i * 2 + 1]
    %y = loop.position [3]
    %z = loop.extent 6
    loop.yield
  }
}

// -----

// Both may depend on the symbols of the kernel.
//
// CHECK-LABEL: loop.kernel @symbols
// CHECK:         loop.position [%i * "n"]
// CHECK:         loop.extent "2 * n"
loop.kernel @symbols() symbols ["n"] {
  loop.for parallel %i to 4 {
    %x = loop.position [%i * "n"]
    %y = loop.extent "n + n"
    loop.yield
  }
}

// -----

// An extent is a dimension.
loop.kernel @no_dimension() symbols ["n"] {
  %x = loop.extent "n +"
  // expected-error @below {{dimension 'n +': expected a number or a symbol, got the end}}
}
