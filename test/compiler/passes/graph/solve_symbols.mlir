// RUN: sr-opt %s -p solve-symbols | filecheck %s

// A size of which a symbol is a part gets a symbol of its own, within the same range.
//
// CHECK-LABEL: func.func @multiple
// CHECK-SAME:      (%x: tensor<?x3xf32, ["x_dim0"]>) -> tensor<?x3xf32, ["2 * floordiv(x_dim0, 2)"]>
// CHECK-SAME:      graph.symbols = {x_dim0 = [2 : i64, 16 : i64]}
// CHECK-NEXT:    graph.require {amount = "min(-2 * floordiv(x_dim0, 2) + x_dim0, 2 * floordiv(x_dim0, 2) - x_dim0)", message = "a size 2 * n along axis 0", op = "input x"}
// CHECK-NEXT:    %[[X:.*]] = graph.reshape %x {shape = ["2 * floordiv(x_dim0, 2)", "3"]}
// CHECK-NEXT:    graph.relu %[[X]]
func.func @multiple(%x: tensor<?x3xf32, ["2 * n"]>) -> tensor<?x3xf32, ["2 * n"]> attributes {graph.symbols = {n = [1, 8]}} {
  %0 = graph.relu %x : tensor<?x3xf32, ["2 * n"]> -> tensor<?x3xf32, ["2 * n"]>
  return %0 : tensor<?x3xf32, ["2 * n"]>
}

// The symbol is no less than zero, whatever the size.
//
// CHECK-LABEL: func.func @some_more
// CHECK-SAME:      (%x: tensor<?xf32, ["x_dim0"]>) -> tensor<?xf32, ["floordiv(max(0, x_dim0 - 2), 5)"]>
func.func @some_more(%x: tensor<?xf32, ["5 * n + 2"]>) -> tensor<?xf32, ["n"]> {
  %0 = graph.slice %x {starts = ["2"], sizes = ["n"], steps = array<i64: 5>} : tensor<?xf32, ["5 * n + 2"]> -> tensor<?xf32, ["n"]>
  return %0 : tensor<?xf32, ["n"]>
}

// One size is enough; others, and what ops say of sizes, are written in it. A name that
// is taken is not taken again.
//
// CHECK-LABEL: func.func @others
// CHECK-SAME:      (%x: tensor<?xf32, ["x_dim0_1"]>, %y: tensor<?x?xf32, ["3 * floordiv(x_dim0_1, 4)", "x_dim0"]>)
// CHECK:         graph.dim {value = "floordiv(x_dim0_1, 4) + 1"}
func.func @others(%x: tensor<?xf32, ["4 * n"]>, %y: tensor<?x?xf32, ["3 * n", "x_dim0"]>) -> tensor<i64> {
  %0 = graph.dim {value = "n + 1"} : -> tensor<i64>
  return %0 : tensor<i64>
}

// A symbol that is a size needs nothing, in whatever input it is one.
//
// CHECK-LABEL: func.func @whole
// CHECK-SAME:      (%x: tensor<?xf32, ["2 * n"]>, %y: tensor<?xf32, ["n"]>)
func.func @whole(%x: tensor<?xf32, ["2 * n"]>, %y: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["2 * n"]> {
  return %x : tensor<?xf32, ["2 * n"]>
}

// A product of symbols does not tell what each of them is.
//
// CHECK-LABEL: func.func @product
// CHECK-SAME:      (%x: tensor<?xf32, ["h * w"]>)
func.func @product(%x: tensor<?xf32, ["h * w"]>) -> tensor<?xf32, ["h * w"]> {
  return %x : tensor<?xf32, ["h * w"]>
}
