// RUN: sr-opt %s | filecheck %s

// A kernel is named, and takes what it works on; the number is that of the call.
//
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT:    host.kernel @add(%x, %n) in %context number 3
// CHECK-NEXT:    host.kernel @nothing() in %context number 4
func.func @round_trip(%context: i64, %x: i64, %n: i64) {
  host.kernel @add(%x, %n) in %context number 3
  host.kernel @nothing() in %context number 4
  return
}
