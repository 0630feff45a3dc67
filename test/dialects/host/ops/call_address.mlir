// RUN: sr-opt %s | filecheck %s

// The function is an address, as what it takes may be.
//
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT:    %status = host.call_address %function(%context, %function)
// CHECK-NEXT:    func.return %status : i64
func.func @round_trip(%context: i64, %function: i64) -> i64 {
  %status = host.call_address %function(%context, %function)
  return %status : i64
}
