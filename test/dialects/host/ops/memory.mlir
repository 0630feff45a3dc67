// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Memory has integers of 1, 4 and 8 bytes; all else are words, addresses among them.
//
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT:    %x = host.load %p[24] : i64
// CHECK-NEXT:    %y = host.load volatile %x[0] : i8
// CHECK-NEXT:    host.store %y, %p[8] : i32
// CHECK-NEXT:    %room = host.alloca %y : i64
// CHECK-NEXT:    %words = host.words(%x, %y)
// CHECK-NEXT:    %none = host.words()
// CHECK-NEXT:    %table = host.table array<i32: 0, 2, 1>
func.func @round_trip(%p: i64) {
  %x = host.load %p[24] : i64
  %y = host.load volatile %x[0] : i8
  host.store %y, %p[8] : i32
  %room = host.alloca %y : i64
  %words = host.words(%x, %y)
  %none = host.words()
  %table = host.table array<i32: 0, 2, 1>
  return
}

// -----

func.func @two_bytes_are_loaded(%p: i64) {
  // expected-error @below {{expected memory of i8, i32 or i64}}
  %x = host.load %p[0] : i16
  return
}

// -----

func.func @two_bytes_are_stored(%p: i64) {
  // expected-error @below {{expected memory of i8, i32 or i64}}
  host.store %p, %p[0] : i16
  return
}

// -----

func.func @room_of_bits(%p: i64) {
  // expected-error @below {{expected memory of i8, i32 or i64}}
  %x = host.alloca %p : i1
  return
}
