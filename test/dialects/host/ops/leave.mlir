// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A function ends wherever it is left; the op is no terminator.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         scf.if %bad {
// CHECK-NEXT:      host.leave %status
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %status : i64
func.func @round_trip(%bad: i1, %status: i64) -> i64 {
  scf.if %bad {
    host.leave %status
  }
  return %status : i64
}

// -----

func.func @a_bit_is_no_status(%bad: i1, %status: i64) -> i64 {
  // expected-error @below {{Expected attribute i64 but got i1}}
  "host.leave"(%bad) : (i1) -> ()
  return %status : i64
}
