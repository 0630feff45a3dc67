// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},instrument-memory' -t host | filecheck %s

// The runtime is asked before a kernel and after it, with the buffers in a table, and
// may want the kernel to run again.
//
// CHECK-LABEL: func.func @sr_run(%p0: i64) -> i64
// CHECK:         host.call_address
// CHECK:         scf.while
// CHECK:           host.kernel @k
// CHECK-COUNT-1:   host.call_address
// CHECK:           scf.yield
loop.program @main inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>] {
  %x = loop.view inputs 0 : memref<?xf32>
  %y = loop.view outputs 0 : memref<?xf32>
  loop.call @k(%x, %y) symbols [] : memref<?xf32>, memref<?xf32>
}
loop.kernel @k(%a: memref<?xf32>, %b: memref<?xf32>) {
}
