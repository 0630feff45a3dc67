// RUN: sr-opt %s -p 'analyze-aliases,assign-buffers,graph-to-loop' --split-input-file | filecheck %s

// Layers that are alike are one kernel, however their sizes are computed.
//
// CHECK:     loop.kernel @[[RELU:[a-z_0-9]+]]({{.*}}) symbols ["s0", "s1"]
// CHECK-NOT: loop.kernel
// CHECK:     loop.call @[[RELU]]({{.*}}) symbols ["floordiv(h + 7, 8)", "w"]
// CHECK:     loop.call @[[RELU]]({{.*}}) symbols ["floordiv(w + 15, 16)", "h"]
func.func @alike(%x : tensor<?x?xf32, ["h", "w"]>, %y : tensor<?x?xf32, ["floordiv(h + 7, 8)", "w"]>, %z : tensor<?x?xf32, ["floordiv(w + 15, 16)", "h"]>) -> (tensor<?x?xf32, ["floordiv(h + 7, 8)", "w"]>, tensor<?x?xf32, ["floordiv(w + 15, 16)", "h"]>) {
  %0 = graph.relu %y : tensor<?x?xf32, ["floordiv(h + 7, 8)", "w"]> -> tensor<?x?xf32, ["floordiv(h + 7, 8)", "w"]>
  %1 = graph.relu %z : tensor<?x?xf32, ["floordiv(w + 15, 16)", "h"]> -> tensor<?x?xf32, ["floordiv(w + 15, 16)", "h"]>
  func.return %0, %1 : tensor<?x?xf32, ["floordiv(h + 7, 8)", "w"]>, tensor<?x?xf32, ["floordiv(w + 15, 16)", "h"]>
}

// -----

// A size that may be below zero is a function of names, since no symbol is negative.
//
// CHECK:     loop.kernel @{{.*}} symbols ["s0", "s1"]
// CHECK:       to "floordiv(s1, s0 - 3)"
// CHECK:     loop.call @{{.*}} symbols ["a", "b"]
func.func @below(%x : tensor<?x?xf32, ["a", "b"]>, %y : tensor<?xf32, ["floordiv(b, a - 3)"]>) -> tensor<?xf32, ["floordiv(b, a - 3)"]> {
  %0 = graph.relu %y : tensor<?xf32, ["floordiv(b, a - 3)"]> -> tensor<?xf32, ["floordiv(b, a - 3)"]>
  func.return %0 : tensor<?xf32, ["floordiv(b, a - 3)"]>
}
