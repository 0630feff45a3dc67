// RUN: sr-opt %s -p eliminate-futures --split-input-file --verify-diagnostics | filecheck %s

// What stands between a fork and its wait runs beside it.
//
// CHECK-LABEL: func.func @beside
// CHECK-NEXT:    %[[B:.*]], %[[N:.*]] = graph.parallel %x
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<3xf32>):
// CHECK-NEXT:      %[[E:.*]] = graph.exp %[[X]]
// CHECK-NEXT:      graph.yield %[[E]] : tensor<3xf32>
// CHECK-NEXT:    } {
// CHECK:           graph.neg
// CHECK:         }
// CHECK-NEXT:    graph.add %[[N]], %[[B]]
func.func @beside(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  %1 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %r = graph.add %0, %1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Forks that begin one after the other, each before the first wait, run at once, in
// whatever order they are awaited; one that begins late begins as early as it may.
//
// CHECK-LABEL: func.func @several
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %{{.*}} = graph.parallel %x
// CHECK:           graph.exp
// CHECK:         } {
// CHECK:           graph.tanh
// CHECK:         } {
// CHECK:           graph.neg
// CHECK-NOT:     graph.parallel
func.func @several(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  %g = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.tanh %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %1 = graph.wait %g : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %2 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %3 = graph.add %0, %1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %r = graph.add %2, %3 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// A fork that needs what was computed beside another begins within the other's time.
//
// CHECK-LABEL: func.func @begun_later
// CHECK-NEXT:    graph.parallel %x
// CHECK:           graph.exp
// CHECK:         } {
// CHECK:           %[[N:.*]] = graph.neg
// CHECK-NEXT:      graph.parallel %[[N]]
// CHECK:             graph.tanh
// CHECK:           } {
// CHECK:             graph.abs
func.func @begun_later(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  %g = graph.fork %0 : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.tanh %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %1 = graph.abs %0 : tensor<3xf32> -> tensor<3xf32>
  %2 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %3 = graph.wait %g : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %4 = graph.add %1, %2 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %r = graph.add %4, %3 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Where forks and waits are no brackets, a wait ends the forks that began after its own.
//
// CHECK-LABEL: func.func @crossed
// CHECK-NEXT:    %[[E:.*]], %{{.*}}, %{{.*}}, %{{.*}} = graph.parallel %x
// CHECK:             graph.tanh
// CHECK:           } {
// CHECK:             graph.abs
// CHECK:           }
// CHECK-NEXT:      graph.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.cos %[[E]]
func.func @crossed(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  %g = graph.fork %0 : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.tanh %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %1 = graph.abs %0 : tensor<3xf32> -> tensor<3xf32>
  %2 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %3 = graph.cos %2 : tensor<3xf32> -> tensor<3xf32>
  %4 = graph.wait %g : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %5 = graph.add %1, %3 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %r = graph.add %5, %4 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// A fork in a fork is a region in a region.
//
// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %{{.*}}, %{{.*}} = graph.parallel %x
// CHECK:           %[[E:.*]], %[[N:.*]] = graph.parallel
// CHECK:           graph.add %[[N]], %[[E]]
// CHECK:         } {
// CHECK:           graph.abs
func.func @nested(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
  %g = graph.fork %a : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
    ^bb0(%c: tensor<3xf32>):
      %b = graph.exp %c : tensor<3xf32> -> tensor<3xf32>
      graph.yield %b : tensor<3xf32>
    }
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    %d = graph.wait %g : !graph.future<tensor<3xf32>> -> tensor<3xf32>
    %e = graph.add %b, %d : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %e : tensor<3xf32>
  }
  %0 = graph.abs %x : tensor<3xf32> -> tensor<3xf32>
  %1 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %r = graph.add %0, %1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// A future that another fork waits for is awaited before that begins.
//
// CHECK-LABEL: func.func @handed_on
// CHECK-NEXT:    %[[E:.*]], %[[N:.*]] = graph.parallel %x
// CHECK:         graph.parallel %[[E]], %x, %[[N]]
// CHECK:           graph.add
// CHECK:         } {
// CHECK:           graph.abs
func.func @handed_on(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  %g = graph.fork %f, %x : !graph.future<tensor<3xf32>>, tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: !graph.future<tensor<3xf32>>, %b: tensor<3xf32>):
    %c = graph.wait %a : !graph.future<tensor<3xf32>> -> tensor<3xf32>
    %d = graph.add %c, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %d : tensor<3xf32>
  }
  %1 = graph.abs %0 : tensor<3xf32> -> tensor<3xf32>
  %2 = graph.wait %g : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %r = graph.add %1, %2 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Nothing runs beside these: one that is awaited at once, one that only views what it
// takes, and one that nobody awaits.
//
// CHECK-LABEL: func.func @alone
// CHECK-NEXT:    %[[E:.*]] = graph.exp %x
// CHECK-NEXT:    %[[V:.*]] = graph.reshape %[[E]]
// CHECK-NEXT:    %[[N:.*]] = graph.neg %[[E]]
// CHECK-NEXT:    %[[R:.*]] = graph.add %[[N]], %[[V]]
// CHECK-NEXT:    return %[[R]]
func.func @alone(%x: tensor<3xf32>) -> tensor<1x3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %g = graph.fork %0 : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %h = graph.fork %0 : tensor<3xf32> -> !graph.future<tensor<1x3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.reshape %a {shape = ["1", "3"]} : tensor<3xf32> -> tensor<1x3xf32>
    graph.yield %b : tensor<1x3xf32>
  }
  %i = graph.fork %0 : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.cos %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %1 = graph.wait %g : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  %2 = graph.wait %h : !graph.future<tensor<1x3xf32>> -> tensor<1x3xf32>
  %r = graph.add %1, %2 : tensor<3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

// -----

// Constants stand before forks, and a value may be awaited twice, or be what a fork took.
//
// CHECK-LABEL: func.func @constants
// CHECK:         %[[C:.*]], %[[A:.*]] = graph.parallel %x
// CHECK:           graph.mul
// CHECK:         } {
// CHECK:           graph.add
// CHECK-NEXT:      graph.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[S:.*]] = graph.add %[[A]], %[[C]]
// CHECK-NEXT:    %[[T:.*]] = graph.add %[[S]], %[[C]]
// CHECK-NEXT:    %[[U:.*]] = graph.add %[[T]], %{{.*}}
// CHECK-NEXT:    graph.add %[[U]], %x
func.func @constants(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>, tensor<3xf32>, tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.constant dense<2.0> : tensor<3xf32>
    %c = graph.mul %a, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    graph.yield %c, %b, %a : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  %k = graph.constant dense<3.0> : tensor<3xf32>
  %0 = graph.add %x, %k : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %1, %2, %3 = graph.wait %f : !graph.future<tensor<3xf32>, tensor<3xf32>, tensor<3xf32>> -> tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  %4, %5, %6 = graph.wait %f : !graph.future<tensor<3xf32>, tensor<3xf32>, tensor<3xf32>> -> tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  %7 = graph.add %0, %1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %8 = graph.add %7, %4 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %9 = graph.add %8, %2 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %r = graph.add %9, %6 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// A size that is defined beside a fork is known after it: all run in turn.
//
// CHECK-LABEL: func.func @size
// CHECK-NEXT:    graph.exp
// CHECK-NEXT:    graph.neg
// CHECK-NEXT:    graph.define_symbol
// CHECK-NEXT:    graph.slice
func.func @size(%x: tensor<?xf32, ["n"]>, %c: tensor<i64>) -> tensor<?xf32, ["k"]> {
  %f = graph.fork %x : tensor<?xf32, ["n"]> -> !graph.future<tensor<?xf32, ["n"]>> {
  ^bb0(%a: tensor<?xf32, ["n"]>):
    %b = graph.exp %a : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
    graph.yield %b : tensor<?xf32, ["n"]>
  }
  %0 = graph.neg %c : tensor<i64> -> tensor<i64>
  graph.define_symbol %0 {symbol = "k", low = "0", high = "n"} : tensor<i64>
  %1 = graph.wait %f : !graph.future<tensor<?xf32, ["n"]>> -> tensor<?xf32, ["n"]>
  %2 = graph.slice %1 {starts = ["0"], steps = array<i64: 1>, sizes = ["k"]} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["k"]>
  return %2 : tensor<?xf32, ["k"]>
}

// -----

// A future that is awaited is used by nothing else.
//
// CHECK: expected a future that is used by graph.wait, got one of func.return
func.func @both(%x: tensor<3xf32>) -> (tensor<3xf32>, !graph.future<tensor<3xf32>>) {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  %0 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  return %0, %f : tensor<3xf32>, !graph.future<tensor<3xf32>>
}

// -----

// A future is no result of a model.
//
// CHECK: expected a future of graph.fork, awaited where it is made, got one at graph.fork
func.func @returned(%x: tensor<3xf32>) -> !graph.future<tensor<3xf32>> {
  %f = graph.fork %x : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
  ^bb0(%a: tensor<3xf32>):
    %b = graph.exp %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  }
  return %f : !graph.future<tensor<3xf32>>
}

// -----

// Nor is it one of its inputs.
//
// CHECK: expected a future of graph.fork, awaited where it is made, got one at graph.wait
func.func @given(%f: !graph.future<tensor<3xf32>>) -> tensor<3xf32> {
  %0 = graph.wait %f : !graph.future<tensor<3xf32>> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
